// The table of columns: the typed arrays that make up a snapshot's index section, in the order of the
// FlatBuffers fields. A row says how a column relates to the others: its element type, what it has one
// element for, what its elements refer to. The loader views and checks columns by this table, the compiler
// packs them by it, and a test holds the format page against it. docs/snapshot-format.md section 4 says what
// each column means.

import { UPPER_BOUNDS } from './lookup/interval.ts';
import { PLATFORMS, PRODUCT_TYPES } from './product-type.ts';
import { VERSION_SCHEMES } from './versions/version-key.ts';

/** Runs of advisories: the published ones of each platform, then the withdrawn ones of all platforms. */
export const RUN_COUNT = PLATFORMS.length + 1;
export const WITHDRAWN_RUN = PLATFORMS.length;
/** The number of fixes replaced by another fix, and of fixes dropped. */
const FIX_COUNTS = 2;
/** Advisories whose listed strings share one compressed block. */
export const TEXT_BLOCK_ADVISORIES = 32;
/** The same of detail records: few, because one request inflates one block. */
export const DETAIL_BLOCK_ADVISORIES = 16;
/** Bodies that share one compressed block. Only advisories that have one are counted. */
export const BODY_BLOCK_BODIES = 16;
/** As far back as a DEFLATE match can reach: no byte of a longer dictionary would be found. */
export const MAX_DICTIONARY_BYTES = 32_768;

export interface ElementArrays {
  readonly u8: Uint8Array;
  readonly u32: Uint32Array;
  readonly f64: Float64Array;
}
type Element = keyof ElementArrays;

/** Things whose number is fixed. */
const FIXED_COUNTS = {
  runs: RUN_COUNT,
  schemes: VERSION_SCHEMES.length,
  productTypes: PRODUCT_TYPES.length,
  boundCodes: UPPER_BOUNDS.length + 1,
  fixCounts: FIX_COUNTS,
} as const;

/** Things counted by the first column that has one element for each. */
type MeasuredThing =
  | 'advisories'
  | 'wideNumbers'
  | 'traits'
  | 'spelledIds'
  | 'spelledIdBytes'
  | 'spanLists'
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
  | 'sharedAliases'
  | 'aliasHolders'
  | 'bodies'
  | 'epssRatings'
  | 'kevEntries'
  | 'textDictionaryBytes'
  | 'detailDictionaryBytes'
  | 'bodyDictionaryBytes'
  | 'clearVersions';

/** The sections that hold blocks, with the columns that belong to each, in the order of the file. */
export const BLOCK_SECTIONS = {
  texts: {
    starts: 'textBlockStart',
    dictionary: 'textDictionary',
    rowsPerBlock: TEXT_BLOCK_ADVISORIES,
  },
  details: {
    starts: 'detailBlockStart',
    dictionary: 'detailDictionary',
    rowsPerBlock: DETAIL_BLOCK_ADVISORIES,
  },
  bodies: { starts: 'bodyBlockStart', dictionary: 'bodyDictionary', rowsPerBlock: BODY_BLOCK_BODIES },
} as const;
export type BlockSection = keyof typeof BLOCK_SECTIONS;
export const BLOCK_SECTION_NAMES = Object.keys(BLOCK_SECTIONS) as readonly BlockSection[]; // exactly the literal's keys

/** The sizes in bytes of the sections that hold blocks. */
export type BlockSectionBytes = Readonly<Record<BlockSection, number>>;

/** Things whose number follows from other numbers, or from the size of another section. */
type DerivedThing =
  | 'published'
  | 'textBlocks'
  | 'detailBlocks'
  | 'bodyBlocks'
  | 'textSectionBytes'
  | 'detailSectionBytes'
  | 'bodySectionBytes';

/** What a snapshot counts. */
export type Thing = keyof typeof FIXED_COUNTS | MeasuredThing | DerivedThing;

/** One element for each thing. */
interface Values<Type extends Element> {
  readonly kind: 'values';
  readonly element: Type;
  readonly of: Thing;
  /** The most elements allowed. */
  readonly atMost: number;
}
/** The index of another thing for each thing: below the count of those, or NONE where that is allowed. */
interface Pointers<Type extends Element> {
  readonly kind: 'pointers';
  readonly element: Type;
  readonly of: Thing;
  readonly into: Thing;
  readonly allowsNone: boolean;
}
/**
 * Where each thing's part of other things begins, and a final element for the end: begins with 0, never
 * decreases.
 */
interface Starts<Type extends 'u32' | 'f64'> {
  readonly kind: 'starts';
  readonly element: Type;
  readonly of: Thing;
  readonly into: Thing;
}
export type ColumnFacts = Values<Element> | Pointers<Element> | Starts<'u32' | 'f64'>;

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
function starts(of: Thing, into: Thing): Starts<'u32'> {
  return { kind: 'starts', element: 'u32', of, into };
}
/** Starts over more than 4 GiB. */
function wideStarts(of: Thing, into: Thing): Starts<'f64'> {
  return { kind: 'starts', element: 'f64', of, into };
}

export const COLUMNS = {
  runCounts: values('u32', 'runs'),
  advisoryId: values('f64', 'advisories'),
  advisoryPsid: values('f64', 'advisories'),
  advisoryDisclosedAt: values('u32', 'advisories'),
  advisoryCreatedAt: values('u32', 'advisories'),
  advisoryModifiedAt: values('u32', 'advisories'),
  wideNumber: values('f64', 'wideNumbers'),
  advisoryFlags: values('u8', 'advisories'),
  advisoryScheme: pointers('u8', 'advisories', 'schemes'),
  advisoryProduct: pointers('u32', 'advisories', 'products'),
  advisoryLabel: pointers('u32', 'advisories', 'terms'),
  advisoryTraits: pointers('u32', 'advisories', 'traits'),
  traitsVulnType: pointers('u32', 'traits', 'terms'),
  traitsCvss: pointers('u32', 'traits', 'terms'),
  traitsCwe: pointers('u32', 'traits', 'terms'),
  traitsCapec: pointers('u32', 'traits', 'terms'),
  traitsOwasp: pointers('u32', 'traits', 'terms'),
  traitsSeverity: pointers('u32', 'traits', 'terms'),
  traitsSources: pointers('u32', 'traits', 'terms'),
  advisorySpans: pointers('u32', 'advisories', 'spanLists'),
  advisorySourceId: pointersOrNone('advisories', 'aliases'),
  spelledAdvisory: pointers('u32', 'spelledIds', 'advisories'),
  spelledIdStart: starts('spelledIds', 'spelledIdBytes'),
  spelledId: values('u8', 'spelledIdBytes'),
  advisoryItemBytes: values('u32', 'advisories'),
  spanListStart: starts('spanLists', 'spans'),
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
  productNumber: values('u32', 'products'),
  productAdvisoryStart: starts('products', 'published'),
  productAdvisory: pointers('u32', 'published', 'published'),
  productGroupStart: starts('products', 'groups'),
  groupScheme: pointers('u8', 'groups', 'schemes'),
  groupBoundStart: starts('groups', 'bounds'),
  groupIntervalStart: starts('groups', 'intervals'),
  groupClearStart: starts('groups', 'clearVersions'),
  boundVersion: pointers('u32', 'bounds', 'versions'),
  intervalLo: values('u32', 'intervals'),
  intervalHi: values('u32', 'intervals'),
  intervalMaxHi: values('u32', 'intervals'),
  intervalSpan: pointers('u32', 'intervals', 'spans'),
  intervalAdvisory: pointers('u32', 'intervals', 'published'),
  clearVersion: pointers('u32', 'clearVersions', 'versions'),
  createdOrder: pointers('u32', 'published', 'published'),
  psidOrder: pointers('u32', 'advisories', 'advisories'),
  aliasStart: starts('aliases', 'aliasTextBytes'),
  aliasText: values('u8', 'aliasTextBytes'),
  aliasAdvisory: values('u32', 'aliases'),
  sharedAliasStart: starts('sharedAliases', 'aliasHolders'),
  sharedAliasAdvisory: pointers('u32', 'aliasHolders', 'advisories'),
  bodyAdvisory: pointers('u32', 'bodies', 'advisories'),
  epssAdvisory: pointers('u32', 'epssRatings', 'advisories'),
  epssScore: values('u32', 'epssRatings'),
  epssPercentile: values('u32', 'epssRatings'),
  kevAdvisory: pointers('u32', 'kevEntries', 'advisories'),
  kevDate: values('u32', 'kevEntries'),
  textBlockStart: wideStarts('textBlocks', 'textSectionBytes'),
  textDictionary: values('u8', 'textDictionaryBytes', MAX_DICTIONARY_BYTES),
  detailBlockStart: wideStarts('detailBlocks', 'detailSectionBytes'),
  detailDictionary: values('u8', 'detailDictionaryBytes', MAX_DICTIONARY_BYTES),
  bodyBlockStart: wideStarts('bodyBlocks', 'bodySectionBytes'),
  bodyDictionary: values('u8', 'bodyDictionaryBytes', MAX_DICTIONARY_BYTES),
  fixCounts: values('u32', 'fixCounts'),
} as const satisfies Readonly<Record<string, ColumnFacts>>;

export type ColumnName = keyof typeof COLUMNS;
/** Columns that say where the blocks of a section are and what they were deflated with. */
export type BlockColumn = (typeof BLOCK_SECTIONS)[BlockSection]['starts' | 'dictionary'];
export type IndexColumns = {
  readonly [Name in ColumnName]: ElementArrays[(typeof COLUMNS)[Name]['element']];
};

/** Columns of what advisories have in common: each row is a combination that occurs. */
export type TraitColumn = Extract<ColumnName, `traits${string}`>;
/** Columns of epoch seconds, as elements for `numberOf`. */
export type InstantColumn = Extract<ColumnName, `advisory${string}At`>;

export const COLUMN_NAMES = Object.keys(COLUMNS) as readonly ColumnName[]; // exactly the literal's keys

/** The number of each thing. Requires: `runCounts` of full length. */
export function countThings(
  columns: IndexColumns,
  sectionBytes: BlockSectionBytes,
): Readonly<Record<Thing, number>> {
  const known: Partial<Record<Thing, number>> = {
    ...FIXED_COUNTS,
    published: columns.runCounts.subarray(0, WITHDRAWN_RUN).reduce((sum, count) => sum + count, 0),
    textBlocks: Math.ceil(columns.advisoryId.length / TEXT_BLOCK_ADVISORIES),
    detailBlocks: Math.ceil(columns.advisoryId.length / DETAIL_BLOCK_ADVISORIES),
    bodyBlocks: Math.ceil(columns.bodyAdvisory.length / BODY_BLOCK_BODIES),
    textSectionBytes: sectionBytes.texts,
    detailSectionBytes: sectionBytes.details,
    bodySectionBytes: sectionBytes.bodies,
  };
  for (const name of COLUMN_NAMES) known[COLUMNS[name].of] ??= columns[name].length - endsOf(name);
  return known as Record<Thing, number>; // every other thing has a column with one element for each
}

/** Elements beyond one for each thing: a column of starts has the end. */
export function endsOf(name: ColumnName): number {
  return COLUMNS[name].kind === 'starts' ? 1 : 0;
}

/** Elements of columns of numbers from this on are rows of `wideNumber`; lower ones are the number itself. */
export const FIRST_WIDE = 2 ** 31;

/** The number for which an element stands: an instant, or the number of a product. */
export function numberOf({ wideNumber }: Pick<IndexColumns, 'wideNumber'>, element: number): number {
  return element < FIRST_WIDE ? element : wideNumber[element - FIRST_WIDE];
}

/** The numbers for which the elements of a column stand: the column itself where none is wide. */
export function numbersOf(
  columns: Pick<IndexColumns, 'wideNumber'>,
  elements: Uint32Array,
): Uint32Array | Float64Array {
  if (columns.wideNumber.length === 0) return elements;
  return Float64Array.from(elements, (element) => numberOf(columns, element));
}

/** From this on, the holder of an alias is a row of `sharedAliasStart`; below, the only advisory with it. */
export const FIRST_SHARED = 2 ** 31;

/** Stands for null wherever a column holds an index of a version or of an alias. */
export const NONE = 0xffff_ffff;

/** What an advisory is about. Position in this list is its code in a snapshot. Append only. */
export const ADVISORY_KINDS = ['vulnerability', 'malware', 'informational'] as const;
export type AdvisoryKind = (typeof ADVISORY_KINDS)[number];

interface AdvisoryFlags {
  readonly isExploited: boolean;
  /** 1 to 3. */
  readonly patchPriority: number;
  readonly hasBody: boolean;
  readonly kind: AdvisoryKind;
  /** Whether the source says when it last changed the advisory. */
  readonly saysModified: boolean;
}

// advisoryFlags: bit 0 exploited in the wild, bits 1-2 patch priority 1..3, bit 3 has a body, bits 4-5 kind,
// bit 6 the source says when it changed it.
export function packFlags(flags: AdvisoryFlags): number {
  const { isExploited, patchPriority, hasBody, kind, saysModified } = flags;
  const low = (isExploited ? 1 : 0) | (patchPriority << 1) | (hasBody ? 8 : 0);
  return low | (ADVISORY_KINDS.indexOf(kind) << 4) | (saysModified ? 64 : 0);
}
export function isExploited(flags: number): boolean {
  return (flags & 1) === 1;
}
export function patchPriority(flags: number): number {
  return (flags >> 1) & 3;
}
export function hasBody(flags: number): boolean {
  return (flags & 8) !== 0;
}
/** Not below ADVISORY_KINDS.length only in a file that `verify` refuses. */
export function kindCode(flags: number): number {
  return (flags >> 4) & 3;
}
/** Bit 7 is not used. */
export const MAX_FLAGS = 0x7f;
export function saysModified(flags: number): boolean {
  return (flags & 64) !== 0;
}

/**
 * EPSS scores and percentiles are stored as whole multiples of 1e-9, the precision in which they are
 * published.
 */
export const EPSS_ONE = 1_000_000_000;
/** The last day of the year 9999, counted from 1970-01-01. */
export const MAX_DAY = 2_932_896;
