// Fills the columns of the index from the facts of advisories, which come in the snapshot's order: interns what repeats
// and, at the end, sorts versions and products. alias-layout.ts and product-layout.ts fill the columns that their names
// say.

import { hasBody, type IndexColumns, NONE, RUN_COUNT } from '../index/columns.ts';
import { publishedCount, runAt } from '../index/lookup/id-list.ts';
import { highPosition, lowPosition, upperBoundOf } from '../index/lookup/interval.ts';
import { GrowableF64, GrowableU8, GrowableU32 } from '../index/memory/growable.ts';
import { PLATFORMS } from '../index/product-type.ts';
import { isPlaceholder } from '../index/versions/placeholder.ts';
import { AliasLayout } from './alias-layout.ts';
import { type FixCounts, followFixes } from './effective-fixes.ts';
import type { Facts } from './packed-advisory.ts';
import { layOutProducts, ProductTable } from './product-layout.ts';
import { TermTable } from './term-table.ts';
import { type SortedVersions, VersionTable } from './version-table.ts';

/** The columns that depend on the other sections. */
type BlockColumns = Pick<
  IndexColumns,
  'textBlockStart' | 'detailBlockStart' | 'detailDictionary' | 'bodyBlockStart' | 'bodyDictionary'
>;

export class ColumnLayout {
  readonly #runCounts = new Uint32Array(RUN_COUNT);
  readonly #id = new GrowableF64();
  readonly #psid = new GrowableF64();
  readonly #disclosedAt = new GrowableF64();
  readonly #createdAt = new GrowableF64();
  readonly #modifiedAt = new GrowableF64();
  readonly #scheme = new GrowableU8();
  readonly #flags = new GrowableU8();
  readonly #product = new GrowableU32();
  readonly #label = new GrowableU32();
  readonly #vulnType = new GrowableU32();
  readonly #cvss = new GrowableU32();
  readonly #cwe = new GrowableU32();
  readonly #capec = new GrowableU32();
  readonly #owasp = new GrowableU32();
  readonly #severity = new GrowableU32();
  readonly #sources = new GrowableU32();
  readonly #bodyAdvisory = new GrowableU32();
  readonly #epssAdvisory = new GrowableU32();
  readonly #epssScore = new GrowableU32();
  readonly #epssPercentile = new GrowableU32();
  readonly #kevAdvisory = new GrowableU32();
  readonly #kevDate = new GrowableU32();
  readonly #originHigh = new GrowableU32();
  readonly #originLow = new GrowableU32();
  readonly #spanStart = new GrowableU32();
  readonly #spanFrom = new GrowableU32();
  readonly #spanTo = new GrowableU32();
  readonly #spanToBound = new GrowableU8();
  readonly #spanFixedIn = new GrowableU32();
  readonly #terms = new TermTable();
  readonly #versions = new VersionTable();
  readonly #products = new ProductTable();
  readonly #aliases = new AliasLayout();
  readonly fixes: FixCounts = { followed: 0, dropped: 0 };
  readonly #builtAt: number;

  /** `builtAt` in epoch seconds: what is new and of unknown age is as it is since then. */
  constructor(builtAt: number) {
    this.#builtAt = builtAt;
  }

  add(ordinal: number, facts: Facts): void {
    const [
      id,
      run,
      psid,
      disclosedAt,
      createdAt,
      modifiedAt,
      flags,
      schemeCode,
      typeCode,
      slug,
      label,
      vulnType,
      cvss,
      cwe,
      capec,
      owasp,
      severity,
      sources,
      epssScore,
      epssPercentile,
      kevDate,
      aliases,
      spans,
      originHigh,
      originLow,
    ] = facts;
    this.#runCounts[run]++;
    this.#id.push(id);
    this.#psid.push(psid);
    this.#disclosedAt.push(disclosedAt);
    this.#createdAt.push(createdAt);
    this.#modifiedAt.push(modifiedAt ?? this.#builtAt);
    this.#flags.push(flags);
    this.#scheme.push(schemeCode);
    this.#originHigh.push(originHigh);
    this.#originLow.push(originLow);
    this.#product.push(this.#products.intern(typeCode, slug));
    this.#label.push(this.#terms.intern(label));
    this.#vulnType.push(this.#terms.intern(vulnType));
    this.#cvss.push(this.#terms.intern(cvss));
    this.#cwe.push(this.#terms.intern(cwe));
    this.#capec.push(this.#terms.intern(capec));
    this.#owasp.push(this.#terms.intern(owasp));
    this.#severity.push(this.#terms.intern(severity));
    this.#sources.push(this.#terms.intern(sources));
    if (hasBody(flags)) this.#bodyAdvisory.push(ordinal);
    if (epssScore !== null && epssPercentile !== null) {
      this.#epssAdvisory.push(ordinal);
      this.#epssScore.push(epssScore);
      this.#epssPercentile.push(epssPercentile);
    }
    if (kevDate !== null) {
      this.#kevAdvisory.push(ordinal);
      this.#kevDate.push(kevDate);
    }
    this.#spanStart.push(this.#spanFrom.length);
    for (const [from, to, toBound, fixedIn] of spans) {
      this.#spanFrom.push(this.#version(schemeCode, from));
      this.#spanTo.push(this.#version(schemeCode, to));
      this.#spanToBound.push(toBound);
      const isFix = fixedIn !== null && !isPlaceholder(fixedIn);
      this.#spanFixedIn.push(isFix ? this.#version(schemeCode, fixedIn) : NONE);
    }
    for (const alias of aliases) this.#aliases.add(ordinal, alias);
  }

  #version(schemeCode: number, text: string | null): number {
    return text === null ? NONE : this.#versions.intern(schemeCode, text);
  }

  finish(): Omit<IndexColumns, keyof BlockColumns> {
    this.#spanStart.push(this.#spanFrom.length);
    const versions = this.#versions.sort();
    const spans = this.#finishSpans(versions);
    const products = this.#products.sort();
    const advisoryProduct = this.#product.view().map((number) => products.rowOf[number]);
    const advisoryScheme = this.#scheme.view();
    const advisorySpanStart = this.#spanStart.view();
    const runCounts = this.#runCounts;
    const published = publishedCount({ runCounts });
    return {
      runCounts,
      advisoryId: this.#id.view(),
      advisoryPsid: this.#psid.view(),
      advisoryDisclosedAt: this.#disclosedAt.view(),
      advisoryCreatedAt: this.#createdAt.view(),
      advisoryModifiedAt: this.#modifiedAt.view(),
      advisoryFlags: this.#flags.view(),
      advisoryScheme,
      advisoryProduct,
      advisoryLabel: this.#label.view(),
      advisoryVulnType: this.#vulnType.view(),
      advisoryCvss: this.#cvss.view(),
      advisoryCwe: this.#cwe.view(),
      advisoryCapec: this.#capec.view(),
      advisoryOwasp: this.#owasp.view(),
      advisorySeverity: this.#severity.view(),
      advisorySources: this.#sources.view(),
      advisorySpanStart,
      ...spans,
      ...versions.columns,
      ...this.#terms.columns(),
      ...products.columns,
      ...layOutProducts({
        productCount: products.rowOf.length,
        published,
        advisoryProduct,
        advisoryScheme,
        advisorySpanStart,
        ...spans,
        versions,
      }),
      fixCounts: Uint32Array.of(this.fixes.followed, this.fixes.dropped),
      createdOrder: this.#createdOrder(),
      psidOrder: ordinalsBy(0, this.#psid.length, this.#psid.view()),
      ...this.#aliases.columns(),
      bodyAdvisory: this.#bodyAdvisory.view(),
      epssAdvisory: this.#epssAdvisory.view(),
      epssScore: this.#epssScore.view(),
      epssPercentile: this.#epssPercentile.view(),
      kevAdvisory: this.#kevAdvisory.view(),
      kevDate: this.#kevDate.view(),
      advisoryOriginHigh: this.#originHigh.view(),
      advisoryOriginLow: this.#originLow.view(),
    };
  }

  /** Renumbers versions, sorts the spans of each advisory and follows their fixes. */
  #finishSpans({ rowOf, keyRank, unboundedRanks, columns }: SortedVersions): {
    spanFrom: Uint32Array;
    spanTo: Uint32Array;
    spanToBound: Uint8Array;
    spanFixedIn: Uint32Array;
  } {
    const row = (number: number): number => (number === NONE ? NONE : rowOf[number]);
    const spanFrom = this.#spanFrom.view().map(row);
    const spanTo = this.#spanTo.view().map(row);
    const spanToBound = this.#spanToBound.view();
    const spanFixedIn = this.#spanFixedIn.view().map(row);
    const rank = (version: number): number | null => (version === NONE ? null : keyRank[version]);
    const rankCount = keyRank.length === 0 ? 0 : keyRank[keyRank.length - 1] + 1;
    const low = (span: number): number => {
      const from = rank(spanFrom[span]);
      return lowPosition(from !== null && unboundedRanks.has(from) ? null : from);
    };
    const high = (span: number): number =>
      highPosition(rank(spanTo[span]), upperBoundOf(spanToBound[span]), rankCount);
    const { versionKeyStart } = columns;
    const positionOf = (version: number): number | undefined =>
      versionKeyStart[version + 1] === versionKeyStart[version] ? undefined : lowPosition(keyRank[version]);
    const starts = this.#spanStart.view();
    for (let advisory = 0; advisory + 1 < starts.length; advisory++) {
      const first = starts[advisory];
      const last = starts[advisory + 1];
      if (last - first > 1) {
        const order = Array.from({ length: last - first }, (_, i) => first + i).sort(
          (a, b) => low(a) - low(b) || high(a) - high(b) || a - b,
        );
        for (const column of [spanFrom, spanTo, spanToBound, spanFixedIn]) {
          column.set(
            order.map((span) => column[span]),
            first,
          );
        }
      }
      const { followed, dropped } = this.fixes;
      followFixes(spanFixedIn, { first, last, low, high, positionOf }, this.fixes);
      if (this.fixes.followed === followed && this.fixes.dropped === dropped) continue;
      // The snapshot does not have its spans as they came, so it cannot be kept for another snapshot.
      this.#originHigh.view()[advisory] = 0;
      this.#originLow.view()[advisory] = 0;
    }
    return { spanFrom, spanTo, spanToBound, spanFixedIn };
  }

  /** Published ordinals by ascending created_at, platform by platform. */
  #createdOrder(): Uint32Array {
    const runs = { runCounts: this.#runCounts };
    const createdAt = this.#createdAt.view();
    const order = new Uint32Array(publishedCount(runs));
    PLATFORMS.forEach((_, run) => {
      const { start, end } = runAt(runs, run);
      order.set(ordinalsBy(start, end, createdAt), start);
    });
    return order;
  }
}

/** Ordinals first..last by ascending value, then by ordinal. */
function ordinalsBy(first: number, last: number, values: Float64Array): Uint32Array {
  return Uint32Array.from({ length: last - first }, (_, i) => first + i).sort(
    (a, b) => values[a] - values[b] || a - b,
  );
}
