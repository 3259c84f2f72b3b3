// Advisories to a snapshot, in two passes, so that no advisory's text stays in memory. The first packs each record into
// a scratch file and keeps its id and offset. The second reads the records back in the snapshot's order, interns what
// repeats, packs the texts and fills the columns. In between, a few records become the dictionary for deflating the
// details. The result depends only on the set of advisories, not on the order they came in.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { Packr } from 'msgpackr/pack'; // pure JavaScript: the other entry loads a native addon
import { Spill } from '../files/spill.ts';
import {
  BODY_BLOCK_BODIES,
  DETAIL_BLOCK_ADVISORIES,
  type IndexColumns,
  NONE,
  packFlags,
  RUN_COUNT,
  TEXT_BLOCK_ADVISORIES,
  WITHDRAWN_RUN,
} from '../index/columns.ts';
import type { DetailRecord, NamedLink } from '../index/items/detail-record.ts';
import type { CvssTerm, LabelTerm, ListedText, SourcesTerm, WeaknessTerm } from '../index/items/list-item.ts';
import { normaliseAlias } from '../index/lookup/alias-table.ts';
import { publishedCount, runAt } from '../index/lookup/id-list.ts';
import { highPosition, lowPosition, upperBoundCode, upperBoundOf } from '../index/lookup/interval.ts';
import { GrowableF64, GrowableU8, GrowableU32 } from '../index/memory/growable.ts';
import { PLATFORMS, productTypeFacts } from '../index/product-type.ts';
import { VERSION_SCHEMES } from '../index/versions/version-key.ts';
import type { Advisory, Person } from './advisory.ts';
import { BlockWriter, type ByteSink } from './blocks.ts';
import { sampleRows } from './dictionary.ts';
import { type FixCounts, followFixes } from './effective-fixes.ts';
import { packIndex } from './index-section.ts';
import { compareUtf8, Pool } from './pool.ts';
import { layOutProducts, ProductTable } from './product-layout.ts';
import { TermTable } from './term-table.ts';
import { type SortedVersions, VersionTable } from './version-table.ts';
import type { SnapshotWriter, WrittenSnapshot } from './writer.ts';

const COPY_BYTES = 1 << 20;
const ADVISORIES_PER_TURN = 256; // about ten milliseconds

export interface CompiledSnapshot extends WrittenSnapshot {
  readonly fixes: Readonly<FixCounts>;
}

export class SnapshotCompiler {
  readonly #spill: Spill;
  readonly #folder: string;
  readonly #packr = new Packr({ structures: [] }); // scratch file only: records share their structure
  readonly #ids = new GrowableF64();
  readonly #runs = new GrowableU8();
  readonly #offsets = new GrowableF64();
  /** 1 for a record with a body. */
  readonly #bodies = new GrowableU8();

  /** Scratch files go to `folder`. */
  constructor(folder: string) {
    this.#folder = folder;
    this.#spill = new Spill(folder);
  }

  get count(): number {
    return this.#ids.length;
  }

  /** Adds one advisory. Requires: ids and PSIDs unique, spans checked. */
  add(advisory: Advisory): void {
    this.#ids.push(advisory.id);
    this.#runs.push(runOf(advisory));
    this.#offsets.push(this.#spill.length);
    this.#bodies.push(advisory.details === '' ? 0 : 1);
    this.#spill.append(this.#packr.pack(advisory));
  }

  /**
   * Writes and publishes the snapshot. `onProgress` gets the number of advisories done. Requires: at least one
   * advisory; called once.
   */
  write(
    writer: SnapshotWriter,
    builtAtMs: number,
    nameOf: (id: string) => string,
    onProgress: (done: number) => void = () => {},
  ): CompiledSnapshot {
    const turns = this.#turns(writer, builtAtMs, nameOf, onProgress);
    for (;;) {
      const turn = turns.next();
      if (turn.done) return turn.value;
    }
  }

  /** Like `write`, but yields to the event loop now and then, so that signals are handled. */
  async writeInTurns(
    writer: SnapshotWriter,
    builtAtMs: number,
    nameOf: (id: string) => string,
    onProgress: (done: number) => void,
  ): Promise<CompiledSnapshot> {
    const turns = this.#turns(writer, builtAtMs, nameOf, onProgress);
    for (;;) {
      const turn = turns.next();
      if (turn.done) return turn.value;
      await nextTurn();
    }
  }

  *#turns(
    writer: SnapshotWriter,
    builtAtMs: number,
    nameOf: (id: string) => string,
    onProgress: (done: number) => void,
  ): Generator<void, CompiledSnapshot> {
    const order = this.#order();
    const bodies = this.#bodies.view();
    const withBody = order.filter((record) => bodies[record] === 1);
    const dictionaries = {
      detailDictionary: sampleRows(order.length, DETAIL_BLOCK_ADVISORIES, (ordinal) =>
        detailRecord(this.#read(order[ordinal])),
      ),
      bodyDictionary: sampleRows(
        withBody.length,
        BODY_BLOCK_BODIES,
        (index) => this.#read(withBody[index]).details,
      ),
    };
    const texts = new BlockWriter(writer, TEXT_BLOCK_ADVISORIES, { kind: 'plain' });
    const details = new SpilledSection(this.#folder, DETAIL_BLOCK_ADVISORIES, dictionaries.detailDictionary);
    const bodySection = new SpilledSection(this.#folder, BODY_BLOCK_BODIES, dictionaries.bodyDictionary);
    const layout = new ColumnLayout();
    try {
      for (let ordinal = 0; ordinal < order.length; ordinal++) {
        if (ordinal % ADVISORIES_PER_TURN === 0) yield;
        const advisory = this.#read(order[ordinal]);
        layout.add(ordinal, runOf(advisory), advisory);
        texts.add(listedText(advisory));
        details.add(detailRecord(advisory));
        if (advisory.details !== '') bodySection.add(advisory.details);
        onProgress(ordinal + 1);
      }
      const textBlockStart = texts.finish();
      writer.endSection('texts');
      const detailBlockStart = details.copyTo(writer);
      writer.endSection('details');
      const bodyBlockStart = bodySection.copyTo(writer);
      writer.endSection('bodies');
      const blockStarts = { textBlockStart, detailBlockStart, bodyBlockStart };
      writer.append(packIndex({ ...layout.finish(), ...blockStarts, ...dictionaries }));
      writer.endSection('index');
    } finally {
      details.close();
      bodySection.close();
    }
    return { ...writer.publish(builtAtMs, nameOf), fixes: layout.fixes };
  }

  /** Releases the scratch file. */
  close(): void {
    this.#spill.close();
  }

  /** Records in the snapshot's order: by run, then by descending id. */
  #order(): Uint32Array {
    const ids = this.#ids.view();
    const runs = this.#runs.view();
    return Uint32Array.from({ length: ids.length }, (_, i) => i).sort(
      (a, b) => runs[a] - runs[b] || ids[b] - ids[a],
    );
  }

  #read(record: number): Advisory {
    const offsets = this.#offsets.view();
    const end = record + 1 < offsets.length ? offsets[record + 1] : this.#spill.length;
    const bytes = this.#spill.read(offsets[record], end - offsets[record]);
    return this.#packr.unpack(bytes) as Advisory; // `add` packed exactly this
  }
}

/** A section of deflated blocks, assembled in a scratch file while another section is being written. */
class SpilledSection {
  readonly #spill: Spill;
  readonly #blocks: BlockWriter;

  constructor(folder: string, rowsPerBlock: number, dictionary: Uint8Array) {
    this.#spill = new Spill(folder);
    this.#blocks = new BlockWriter(this.#spill, rowsPerBlock, { kind: 'deflated', dictionary });
  }

  add(row: unknown): void {
    this.#blocks.add(row);
  }

  /** Appends the whole section to the sink; returns where its blocks begin. */
  copyTo(sink: ByteSink): Uint32Array {
    const starts = Uint32Array.from(this.#blocks.finish()); // a section beyond 32 bits is refused when it ends
    const spill = this.#spill;
    for (let at = 0; at < spill.length; at += COPY_BYTES) {
      sink.append(spill.read(at, Math.min(COPY_BYTES, spill.length - at)));
    }
    return starts;
  }

  close(): void {
    this.#spill.close();
  }
}

function runOf(advisory: Advisory): number {
  return advisory.withdrawnAt === null ? productTypeFacts(advisory.product.type).run : WITHDRAWN_RUN;
}

function listedText(advisory: Advisory): ListedText {
  const urls = advisory.references.map((reference) => reference.url);
  return [advisory.title, advisory.url, advisory.cves[0] ?? '', advisory.ghsa, urls, advisory.sourceId];
}

function detailRecord(advisory: Advisory): DetailRecord {
  const link = (person: Person | null): NamedLink | null =>
    person === null ? null : [person.name, person.url];
  return [
    advisory.description,
    advisory.cves,
    advisory.references.map((reference) => reference.title),
    advisory.urlSlug,
    link(advisory.credit),
    link(advisory.submitter),
    advisory.affectedVersions,
    advisory.withdrawnAt,
    advisory.aliases,
  ];
}

/** The columns that depend on the other sections. */
type BlockColumns = Pick<
  IndexColumns,
  'textBlockStart' | 'detailBlockStart' | 'detailDictionary' | 'bodyBlockStart' | 'bodyDictionary'
>;

/** Fills the columns from advisories in the snapshot's order. */
class ColumnLayout {
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
  readonly #spanStart = new GrowableU32();
  readonly #spanFrom = new GrowableU32();
  readonly #spanTo = new GrowableU32();
  readonly #spanToBound = new GrowableU8();
  readonly #spanFixedIn = new GrowableU32();
  readonly #terms = new TermTable();
  readonly #versions = new VersionTable();
  readonly #products = new ProductTable();
  readonly #aliases: { readonly text: string; readonly ordinal: number }[] = [];
  readonly fixes: FixCounts = { followed: 0, dropped: 0 };

  add(ordinal: number, run: number, advisory: Advisory): void {
    const { product, cvss, cwe, capec, versionScheme, epss, kevDate } = advisory;
    const sources: SourcesTerm = advisory.sources.map(({ name, notice, license, licenseUrl, fields }) =>
      fields === undefined
        ? [name, notice, license, licenseUrl]
        : [name, notice, license, licenseUrl, fields],
    );
    const hasBody = advisory.details !== '';
    const label: LabelTerm = [product.id, product.name, product.premiumName];
    const cvssTerm: CvssTerm = [cvss.score, cvss.vector];
    const cweTerm: WeaknessTerm = [cwe.id, cwe.name];
    const capecTerm: WeaknessTerm = [capec.id, capec.name];
    this.#runCounts[run]++;
    this.#id.push(advisory.id);
    this.#psid.push(Number.parseInt(advisory.psid, 16));
    this.#disclosedAt.push(advisory.disclosedAt);
    this.#createdAt.push(advisory.createdAt);
    this.#modifiedAt.push(advisory.modifiedAt ?? Number.NaN);
    const { isExploited, patchPriority, kind } = advisory;
    this.#flags.push(packFlags({ isExploited, patchPriority, hasBody, kind }));
    this.#scheme.push(VERSION_SCHEMES.indexOf(versionScheme));
    this.#product.push(this.#products.intern(product.type, product.slug));
    this.#label.push(this.#terms.intern(label));
    this.#vulnType.push(this.#terms.intern(advisory.vulnType));
    this.#cvss.push(this.#terms.intern(cvssTerm));
    this.#cwe.push(this.#terms.intern(cweTerm));
    this.#capec.push(this.#terms.intern(capecTerm));
    this.#owasp.push(this.#terms.intern(advisory.owasp));
    this.#severity.push(this.#terms.intern(advisory.severity));
    this.#sources.push(this.#terms.intern(sources));
    if (hasBody) this.#bodyAdvisory.push(ordinal);
    if (epss !== null) {
      this.#epssAdvisory.push(ordinal);
      this.#epssScore.push(epss.score);
      this.#epssPercentile.push(epss.percentile);
    }
    if (kevDate !== null) {
      this.#kevAdvisory.push(ordinal);
      this.#kevDate.push(kevDate);
    }
    this.#spanStart.push(this.#spanFrom.length);
    const version = (text: string | null): number =>
      text === null ? NONE : this.#versions.intern(versionScheme, text);
    for (const span of advisory.spans) {
      this.#spanFrom.push(version(span.from));
      this.#spanTo.push(version(span.to));
      this.#spanToBound.push(upperBoundCode(span.toBound));
      this.#spanFixedIn.push(version(span.fixedIn));
    }
    const { cves, ghsa, sourceId } = advisory;
    const aliases = new Set([...cves, ghsa, sourceId, ...advisory.aliases].map(normaliseAlias));
    aliases.delete('');
    for (const text of aliases) this.#aliases.push({ text, ordinal });
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
      ...this.#aliasColumns(),
      bodyAdvisory: this.#bodyAdvisory.view(),
      epssAdvisory: this.#epssAdvisory.view(),
      epssScore: this.#epssScore.view(),
      epssPercentile: this.#epssPercentile.view(),
      kevAdvisory: this.#kevAdvisory.view(),
      kevDate: this.#kevDate.view(),
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
      followFixes(spanFixedIn, { first, last, low, high, positionOf }, this.fixes);
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

  #aliasColumns(): Pick<IndexColumns, 'aliasStart' | 'aliasText' | 'aliasAdvisoryStart' | 'aliasAdvisory'> {
    const aliases = this.#aliases.sort((a, b) => compareUtf8(a.text, b.text) || a.ordinal - b.ordinal);
    const texts = new Pool();
    const advisoryStart = new GrowableU32();
    aliases.forEach(({ text }, i) => {
      if (i > 0 && text === aliases[i - 1].text) return;
      texts.add(Buffer.from(text));
      advisoryStart.push(i);
    });
    advisoryStart.push(aliases.length);
    return {
      aliasStart: texts.starts,
      aliasText: texts.bytes,
      aliasAdvisoryStart: advisoryStart.view(),
      aliasAdvisory: Uint32Array.from(aliases, (alias) => alias.ordinal),
    };
  }
}

/** Ordinals first..last by ascending value, then by ordinal. */
function ordinalsBy(first: number, last: number, values: Float64Array): Uint32Array {
  return Uint32Array.from({ length: last - first }, (_, i) => first + i).sort(
    (a, b) => values[a] - values[b] || a - b,
  );
}
