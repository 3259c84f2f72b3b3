// The table of columns: the typed arrays that a snapshot's index section consists of, in the order of the FlatBuffers
// fields. A row says all that one column says about another: the element type, what it has an element for, what its
// elements name. The loader views and checks columns by this table, the compiler packs them by it, and the page of the
// format is held against it. What each column means is specified in docs/snapshot-format.md section 4.

import { UPPER_BOUNDS } from './lookup/interval.ts';
import { PLATFORMS, PRODUCT_TYPES } from './product-type.ts';
import { VERSION_SCHEMES } from './versions/version-key.ts';

/** Runs of advisories: the published ones of each platform, and the withdrawn ones of all. */
export const RUN_COUNT = PLATFORMS.length + 1;
export const WITHDRAWN_RUN = PLATFORMS.length;
/** Fixes that were followed to another one, and that were dropped. */
const FIX_COUNTS = 2;
/** Advisories whose listed strings share one block of the texts section. */
export const TEXT_BLOCK_ADVISORIES = 128;
/** Advisories whose details share one compressed block: small, for one request inflates one block. */
export const DETAIL_BLOCK_ADVISORIES = 8;
/** As far back as a DEFLATE match can reach: no byte of a longer dictionary would be found. */
export const MAX_DETAIL_DICTIONARY_BYTES = 32_768;

export interface ElementArrays {
  readonly u8: Uint8Array;
  readonly u32: Uint32Array;
  readonly f64: Float64Array;
}
type Element = keyof ElementArrays;

/** Things with a fixed number. */
const FIXED_COUNTS = {
  runs: RUN_COUNT,
  schemes: VERSION_SCHEMES.length,
  productTypes: PRODUCT_TYPES.length,
  boundCodes: UPPER_BOUNDS.length + 1,
  fixCounts: FIX_COUNTS,
} as const;

/** Things whose number the first column that has an element for each of them tells. */
type MeasuredThing =
  | 'advisories'
  | 'spans'
  | 'versions'
  | 'versionTextBytes'
  | 'versionKeyBytes'
  | 'terms'
  | 'termBytes'
  | 'products'
  | 'slugBytes'
  | 'groups'
  | 'bounds'
  | 'intervals'
  | 'aliases'
  | 'aliasTextBytes'
  | 'aliasHolders'
  | 'dictionaryBytes'
  | 'clearVersions';

/** Things whose number follows from that of advisories or runs, or from the size of another section. */
type DerivedThing = 'published' | 'textBlocks' | 'detailBlocks' | 'textSectionBytes' | 'detailSectionBytes';

/** What a snapshot has a number of. */
export type Thing = keyof typeof FIXED_COUNTS | MeasuredThing | DerivedThing;

/** An element for each of some things. */
interface Values<Type extends Element> {
  readonly kind: 'values';
  readonly element: Type;
  readonly of: Thing;
  /** No more elements than this. */
  readonly atMost: number;
}
/** Likewise; each element is the number of another thing: below the count of those, or NONE where that is allowed. */
interface Pointers<Type extends Element> {
  readonly kind: 'pointers';
  readonly element: Type;
  readonly of: Thing;
  readonly into: Thing;
  readonly allowsNone: boolean;
}
/** Where the share of each begins among other things, and one more element for the end: from 0, never falling. */
interface Starts {
  readonly kind: 'starts';
  readonly element: 'u32';
  readonly of: Thing;
  readonly into: Thing;
}
export type ColumnFacts = Values<Element> | Pointers<Element> | Starts;

function values<Type extends Element>(
  element: Type,
  of: Thing,
  atMost = Number.POSITIVE_INFINITY,
): Values<Type> {
  return { kind: 'values', element, of, atMost };
}
function pointers<Type extends Element>(element: Type, of: Thing, into: Thing): Pointers<Type> {
  return { kind: 'pointers', element, of, into, allowsNone: false };
}
function pointersOrNone(of: Thing, into: Thing): Pointers<'u32'> {
  return { kind: 'pointers', element: 'u32', of, into, allowsNone: true };
}
function starts(of: Thing, into: Thing): Starts {
  return { kind: 'starts', element: 'u32', of, into };
}

export const COLUMNS = {
  runCounts: values('u32', 'runs'),
  advisoryId: values('f64', 'advisories'),
  advisoryPsid: values('f64', 'advisories'),
  advisoryDisclosedAt: values('f64', 'advisories'),
  advisoryCreatedAt: values('f64', 'advisories'),
  advisoryFlags: values('u8', 'advisories'),
  advisoryProduct: pointers('u32', 'advisories', 'products'),
  advisoryLabel: pointers('u32', 'advisories', 'terms'),
  advisoryVulnType: pointers('u32', 'advisories', 'terms'),
  advisoryCvss: pointers('u32', 'advisories', 'terms'),
  advisoryCwe: pointers('u32', 'advisories', 'terms'),
  advisoryCapec: pointers('u32', 'advisories', 'terms'),
  advisoryOwasp: pointers('u32', 'advisories', 'terms'),
  advisorySpanStart: starts('advisories', 'spans'),
  spanFrom: pointersOrNone('spans', 'versions'),
  spanTo: pointersOrNone('spans', 'versions'),
  spanToBound: pointers('u8', 'spans', 'boundCodes'),
  spanFixedIn: pointersOrNone('spans', 'versions'),
  versionSchemeStart: starts('schemes', 'versions'),
  versionTextStart: starts('versions', 'versionTextBytes'),
  versionText: values('u8', 'versionTextBytes'),
  versionKeyStart: starts('versions', 'versionKeyBytes'),
  versionKey: values('u8', 'versionKeyBytes'),
  termStart: starts('terms', 'termBytes'),
  termBytes: values('u8', 'termBytes'),
  productType: pointers('u8', 'products', 'productTypes'),
  productSlugStart: starts('products', 'slugBytes'),
  productSlug: values('u8', 'slugBytes'),
  productAdvisoryStart: starts('products', 'published'),
  productAdvisory: pointers('u32', 'published', 'published'),
  productGroupStart: starts('products', 'groups'),
  groupScheme: pointers('u8', 'groups', 'schemes'),
  groupBoundStart: starts('groups', 'bounds'),
  groupIntervalStart: starts('groups', 'intervals'),
  boundVersion: pointers('u32', 'bounds', 'versions'),
  intervalLo: values('u32', 'intervals'),
  intervalHi: values('u32', 'intervals'),
  intervalMaxHi: values('u32', 'intervals'),
  intervalSpan: pointers('u32', 'intervals', 'spans'),
  intervalAdvisory: pointers('u32', 'intervals', 'published'),
  createdOrder: pointers('u32', 'published', 'published'),
  psidOrder: pointers('u32', 'advisories', 'advisories'),
  aliasStart: starts('aliases', 'aliasTextBytes'),
  aliasText: values('u8', 'aliasTextBytes'),
  aliasAdvisoryStart: starts('aliases', 'aliasHolders'),
  aliasAdvisory: pointers('u32', 'aliasHolders', 'advisories'),
  textBlockStart: starts('textBlocks', 'textSectionBytes'),
  detailBlockStart: starts('detailBlocks', 'detailSectionBytes'),
  detailDictionary: values('u8', 'dictionaryBytes', MAX_DETAIL_DICTIONARY_BYTES),
  groupClearStart: starts('groups', 'clearVersions'),
  clearVersion: pointers('u32', 'clearVersions', 'versions'),
  fixCounts: values('u32', 'fixCounts'),
} as const satisfies Readonly<Record<string, ColumnFacts>>;

export type ColumnName = keyof typeof COLUMNS;
export type IndexColumns = {
  readonly [Name in ColumnName]: ElementArrays[(typeof COLUMNS)[Name]['element']];
};

export const COLUMN_NAMES = Object.keys(COLUMNS) as readonly ColumnName[]; // exactly the literal's keys

/** The numbers of all things. Requires: `runCounts` of full length. */
export function countThings(
  columns: IndexColumns,
  textSectionBytes: number,
  detailSectionBytes: number,
): Readonly<Record<Thing, number>> {
  const advisories = columns.advisoryId.length;
  const known: Partial<Record<Thing, number>> = {
    ...FIXED_COUNTS,
    published: columns.runCounts.subarray(0, WITHDRAWN_RUN).reduce((sum, count) => sum + count, 0),
    textBlocks: Math.ceil(advisories / TEXT_BLOCK_ADVISORIES),
    detailBlocks: Math.ceil(advisories / DETAIL_BLOCK_ADVISORIES),
    textSectionBytes,
    detailSectionBytes,
  };
  for (const name of COLUMN_NAMES) known[COLUMNS[name].of] ??= columns[name].length - endsOf(name);
  return known as Record<Thing, number>; // what is not counted above is what some column has an element for
}

/** How many elements a column has beyond one for each thing: a column of starts has the end. */
export function endsOf(name: ColumnName): number {
  return COLUMNS[name].kind === 'starts' ? 1 : 0;
}

/** Stands for null wherever a column holds an index of a version. */
export const NONE = 0xffff_ffff;

// advisoryFlags: bit 0 exploited in the wild, bits 1-2 patch priority 1..3, bits 3-7 version scheme.
export function packFlags(isExploited: boolean, patchPriority: number, schemeCode: number): number {
  return (isExploited ? 1 : 0) | (patchPriority << 1) | (schemeCode << 3);
}
export function isExploited(flags: number): boolean {
  return (flags & 1) === 1;
}
export function patchPriority(flags: number): number {
  return (flags >> 1) & 3;
}
export function schemeCode(flags: number): number {
  return flags >> 3;
}
