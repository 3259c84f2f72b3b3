// An advisory in the form in which the compiler keeps it between its passes: its rows in the sections of the
// snapshot, as they will be written, and the facts that become columns. It depends on the advisory alone, so
// any thread can pack.

import { type ColumnName, packFlags, type TraitColumn, WITHDRAWN_RUN } from '../index/columns.ts';
import type { DetailRecord, NamedLink } from '../index/items/detail-record.ts';
import type { CvssTerm, ListedText, SourcesTerm, WeaknessTerm } from '../index/items/list-item.ts';
import type { EpssRating } from '../index/items/rare-facts.ts';
import { normaliseAlias } from '../index/lookup/alias-table.ts';
import { upperBoundCode } from '../index/lookup/interval.ts';
import { productTypeFacts } from '../index/product-type.ts';
import { schemeFacts } from '../index/versions/version-key.ts';
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

/**
 * A hash of what an advisory was compiled from, in two halves of 32 bits: who has the same input again can
 * keep the advisory of the snapshot that has it.
 */
export type Origin = readonly [high: number, low: number];

/** Those of all advisories, by ordinal. */
export interface Origins {
  readonly high: Uint32Array;
  readonly low: Uint32Array;
}

/** Of an advisory that is packed anew each time. */
export const NO_ORIGIN: Origin = [0, 0];

/** The columns of numbers that mean the same in every snapshot, and where an advisory's number comes from. */
const VALUES = {
  advisoryId: ({ id }) => id,
  advisoryPsid: ({ psid }) => Number.parseInt(psid, 16),
  advisoryFlags: flagsOf,
  advisoryScheme: ({ versionScheme }) => schemeFacts(versionScheme).code,
} as const satisfies Partial<Record<ColumnName, (advisory: Advisory) => number>>;

/** What advisories have in common, and what each value is. They are interned in this order. */
const TRAITS = {
  traitsVulnType: ({ vulnType }) => vulnType,
  traitsCvss: ({ cvss }): CvssTerm => [cvss.score, cvss.vector],
  traitsCwe: ({ cwe }): WeaknessTerm => [cwe.id, cwe.name],
  traitsCapec: ({ capec }): WeaknessTerm => [capec.id, capec.name],
  traitsOwasp: ({ owasp }) => owasp,
  traitsSeverity: ({ severity }) => severity,
  traitsSources: ({ sources }): SourcesTerm =>
    sources.map(({ name, notice, license, licenseUrl, fields }) =>
      fields === undefined
        ? [name, notice, license, licenseUrl]
        : [name, notice, license, licenseUrl, fields],
    ),
} as const satisfies Record<TraitColumn, (advisory: Advisory) => unknown>;

export type ValueColumn = keyof typeof VALUES;
export const VALUE_COLUMNS = Object.keys(VALUES) as readonly ValueColumn[]; // exactly the literal's keys
export const TRAIT_COLUMNS = Object.keys(TRAITS) as readonly TraitColumn[]; // exactly the literal's keys

/** In JSON, so that equal values have equal texts: a value that many advisories share. */
export type TermText = string;
/** The same: the values of TRAITS, in a list. */
export type TraitsText = string;

/** What becomes columns. A tuple, because it is packed and unpacked for every advisory. */
export type Facts = readonly [
  /** In the order of VALUE_COLUMNS. */
  values: readonly number[],
  /** The last is null if the source does not say, and no earlier snapshot has the advisory as it is. */
  instants: readonly [disclosedAt: number, createdAt: number, modifiedAt: number | null],
  origin: Origin,
  traits: TraitsText,
  run: number,
  product: PackedProduct,
  epss: EpssRating | null,
  kevDate: number | null,
  sourceId: string,
  /** Normalised and distinct; that of the source id, if there is one, first. */
  aliases: readonly string[],
  spans: readonly PackedSpan[],
];

export type PackedProduct = readonly [
  typeCode: number,
  slug: string,
  id: number,
  /** Null if it is the slug. */
  name: string | null,
  premiumName: string | null,
];

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

function factsOf(advisory: Advisory, run: number, origin: Origin): Facts {
  return [
    VALUE_COLUMNS.map((name) => VALUES[name](advisory)),
    [advisory.disclosedAt, advisory.createdAt, advisory.modifiedAt],
    origin,
    JSON.stringify(TRAIT_COLUMNS.map((name) => TRAITS[name](advisory))),
    run,
    packedProduct(advisory.product),
    advisory.epss,
    advisory.kevDate,
    advisory.sourceId,
    aliasesOf(advisory),
    advisory.spans.map(({ from, to, toBound, fixedIn }) => [from, to, upperBoundCode(toBound), fixedIn]),
  ];
}

function packedProduct({ type, slug, id, name, premiumName }: Advisory['product']): PackedProduct {
  return [productTypeFacts(type).code, slug, id, name === slug ? null : name, premiumName];
}

function flagsOf({ isExploited, patchPriority, details, kind, modifiedAt }: Advisory): number {
  const [hasBody, saysModified] = [details !== '', modifiedAt !== null];
  return packFlags({ isExploited, patchPriority, hasBody, kind, saysModified });
}

function aliasesOf({ cves, ghsa, sourceId, aliases }: Advisory): string[] {
  const distinct = new Set<string>([normaliseAlias(sourceId), normaliseAlias(ghsa)]);
  for (const cve of cves) distinct.add(normaliseAlias(cve));
  for (const alias of aliases) distinct.add(normaliseAlias(alias));
  distinct.delete('');
  return [...distinct];
}

function listedText(advisory: Advisory): ListedText {
  const urls = advisory.references.map((reference) => reference.url);
  return [advisory.title, advisory.url, advisory.cves[0] ?? '', advisory.ghsa, urls];
}

function detailRecord(advisory: Advisory): DetailRecord {
  const link = (person: Person | null): NamedLink | null =>
    person === null ? null : [person.name, person.url];
  const { ecosystemSpecific } = advisory;
  const record = [
    advisory.description,
    advisory.cves,
    advisory.references.map((reference) => reference.title),
    advisory.urlSlug,
    link(advisory.credit),
    link(advisory.submitter),
    advisory.affectedVersions,
    advisory.withdrawnAt,
    advisory.aliases,
  ] as const;
  return ecosystemSpecific === '' ? record : [...record, ecosystemSpecific];
}
