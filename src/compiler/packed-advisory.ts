// An advisory in the form in which the compiler keeps it between its passes: its rows in the sections of the snapshot,
// as they will be written, and the facts that become columns. It depends on the advisory alone, so any thread can pack.

import { packFlags, WITHDRAWN_RUN } from '../index/columns.ts';
import type { DetailRecord, NamedLink } from '../index/items/detail-record.ts';
import type { CvssTerm, LabelTerm, ListedText, SourcesTerm, WeaknessTerm } from '../index/items/list-item.ts';
import { normaliseAlias } from '../index/lookup/alias-table.ts';
import { upperBoundCode } from '../index/lookup/interval.ts';
import { PRODUCT_TYPES, productTypeFacts } from '../index/product-type.ts';
import { VERSION_SCHEMES } from '../index/versions/version-key.ts';
import type { Advisory, Person } from './advisory.ts';
import { plainPackr } from './blocks.ts';

export interface PackedAdvisory {
  readonly id: number;
  /** Of the snapshot's runs of advisories. */
  readonly run: number;
  /** For `unpackFacts`. */
  readonly facts: Uint8Array;
  /** Its rows of the sections: MessagePack. */
  readonly text: Uint8Array;
  readonly detail: Uint8Array;
  /** Empty if it has no body. */
  readonly body: Uint8Array;
}

/** A value shared by many advisories, as JSON: equal values have equal texts. */
export type TermText = string;

/** What becomes columns. A tuple, because it is packed and unpacked for every advisory. */
export type Facts = readonly [
  id: number,
  run: number,
  psid: number,
  disclosedAt: number,
  createdAt: number,
  /** Null if the source does not say, and no earlier snapshot has the advisory as it is. */
  modifiedAt: number | null,
  flags: number,
  schemeCode: number,
  productTypeCode: number,
  slug: string,
  /** In the order of the columns. */
  label: TermText,
  vulnType: TermText,
  cvss: TermText,
  cwe: TermText,
  capec: TermText,
  owasp: TermText,
  severity: TermText,
  sources: TermText,
  epssScore: number | null,
  epssPercentile: number | null,
  kevDate: number | null,
  /** Normalised and distinct. */
  aliases: readonly string[],
  spans: readonly PackedSpan[],
  originHigh: number,
  originLow: number,
];

/**
 * A hash of what an advisory was compiled from, in two halves of 32 bits: who has the same input again can keep the
 * advisory of the snapshot that has it.
 */
export type Origin = readonly [high: number, low: number];

/** Of an advisory that is packed anew each time. */
export const NO_ORIGIN: Origin = [0, 0];

export type PackedSpan = readonly [
  from: string | null,
  to: string | null,
  toBoundCode: number,
  fixedIn: string | null,
];

const NO_BYTES = new Uint8Array(0);

export function packAdvisory(advisory: Advisory, origin: Origin = NO_ORIGIN): PackedAdvisory {
  const run = advisory.withdrawnAt === null ? productTypeFacts(advisory.product.type).run : WITHDRAWN_RUN;
  return {
    id: advisory.id,
    run,
    facts: plainPackr.pack(factsOf(advisory, run, origin)),
    text: plainPackr.pack(listedText(advisory)),
    detail: plainPackr.pack(detailRecord(advisory)),
    body: advisory.details === '' ? NO_BYTES : plainPackr.pack(advisory.details),
  };
}

/** Requires: the facts of a PackedAdvisory. */
export function unpackFacts(bytes: Uint8Array): Facts {
  return plainPackr.unpack(bytes) as Facts; // packAdvisory packed exactly this
}

function factsOf(advisory: Advisory, run: number, [originHigh, originLow]: Origin): Facts {
  const { product, cvss, cwe, capec, epss, isExploited, patchPriority, kind } = advisory;
  const hasBody = advisory.details !== '';
  const label: LabelTerm = [product.id, product.name, product.premiumName];
  const cvssTerm: CvssTerm = [cvss.score, cvss.vector];
  const cweTerm: WeaknessTerm = [cwe.id, cwe.name];
  const capecTerm: WeaknessTerm = [capec.id, capec.name];
  const sources: SourcesTerm = advisory.sources.map(({ name, notice, license, licenseUrl, fields }) =>
    fields === undefined ? [name, notice, license, licenseUrl] : [name, notice, license, licenseUrl, fields],
  );
  return [
    advisory.id,
    run,
    Number.parseInt(advisory.psid, 16),
    advisory.disclosedAt,
    advisory.createdAt,
    advisory.modifiedAt,
    packFlags({ isExploited, patchPriority, hasBody, kind, saysModified: advisory.modifiedAt !== null }),
    VERSION_SCHEMES.indexOf(advisory.versionScheme),
    PRODUCT_TYPES.indexOf(product.type),
    product.slug,
    JSON.stringify(label),
    JSON.stringify(advisory.vulnType),
    JSON.stringify(cvssTerm),
    JSON.stringify(cweTerm),
    JSON.stringify(capecTerm),
    JSON.stringify(advisory.owasp),
    JSON.stringify(advisory.severity),
    JSON.stringify(sources),
    epss === null ? null : epss.score,
    epss === null ? null : epss.percentile,
    advisory.kevDate,
    aliasesOf(advisory),
    advisory.spans.map(({ from, to, toBound, fixedIn }) => [from, to, upperBoundCode(toBound), fixedIn]),
    originHigh,
    originLow,
  ];
}

function aliasesOf({ cves, ghsa, sourceId, aliases }: Advisory): string[] {
  const distinct = new Set<string>();
  for (const cve of cves) distinct.add(normaliseAlias(cve));
  distinct.add(normaliseAlias(ghsa)).add(normaliseAlias(sourceId));
  for (const alias of aliases) distinct.add(normaliseAlias(alias));
  distinct.delete('');
  return [...distinct];
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
