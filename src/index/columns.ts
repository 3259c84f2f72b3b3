// The typed arrays a snapshot's index section consists of: their names, element types and the few codes inside
// them. The loader makes them as views of the file's bytes, the compiler fills them, the core reads them.
// What each holds is specified in docs/snapshot-format.md section 4.

/** Element type of every column; the order is the order of the FlatBuffers fields. */
export const COLUMN_ELEMENTS = {
  runCounts: 'u32',
  advisoryId: 'f64',
  advisoryPsid: 'f64',
  advisoryDisclosedAt: 'f64',
  advisoryCreatedAt: 'f64',
  advisoryFlags: 'u8',
  advisoryProduct: 'u32',
  advisoryLabel: 'u32',
  advisoryVulnType: 'u32',
  advisoryCvss: 'u32',
  advisoryCwe: 'u32',
  advisoryCapec: 'u32',
  advisoryOwasp: 'u32',
  advisorySpanStart: 'u32',
  spanFrom: 'u32',
  spanTo: 'u32',
  spanToBound: 'u8',
  spanFixedIn: 'u32',
  versionSchemeStart: 'u32',
  versionTextStart: 'u32',
  versionText: 'u8',
  versionKeyStart: 'u32',
  versionKey: 'u8',
  termStart: 'u32',
  termBytes: 'u8',
  productType: 'u8',
  productSlugStart: 'u32',
  productSlug: 'u8',
  productAdvisoryStart: 'u32',
  productAdvisory: 'u32',
  productGroupStart: 'u32',
  groupScheme: 'u8',
  groupBoundStart: 'u32',
  groupIntervalStart: 'u32',
  boundVersion: 'u32',
  intervalLo: 'u32',
  intervalHi: 'u32',
  intervalMaxHi: 'u32',
  intervalSpan: 'u32',
  intervalAdvisory: 'u32',
  createdOrder: 'u32',
  psidOrder: 'u32',
  aliasStart: 'u32',
  aliasText: 'u8',
  aliasAdvisoryStart: 'u32',
  aliasAdvisory: 'u32',
  textBlockStart: 'u32',
  detailBlockStart: 'u32',
  detailDictionary: 'u8',
  groupClearStart: 'u32',
  clearVersion: 'u32',
  fixCounts: 'u32',
} as const;

export interface ElementArrays {
  readonly u8: Uint8Array;
  readonly u32: Uint32Array;
  readonly f64: Float64Array;
}

export type ColumnName = keyof typeof COLUMN_ELEMENTS;
export type IndexColumns = {
  readonly [Name in ColumnName]: ElementArrays[(typeof COLUMN_ELEMENTS)[Name]];
};

export const COLUMN_NAMES = Object.keys(COLUMN_ELEMENTS) as readonly ColumnName[]; // exactly the literal's keys

/** Stands for null wherever a column holds an index of a version. */
export const NONE = 0xffff_ffff;

/** Advisories whose listed strings share one block of the texts section. */
export const TEXT_BLOCK_ADVISORIES = 128;
/** Advisories whose details share one compressed block: small, for one request inflates one block. */
export const DETAIL_BLOCK_ADVISORIES = 8;
/** As far back as a DEFLATE match can reach: no byte of a longer dictionary would be found. */
export const MAX_DETAIL_DICTIONARY_BYTES = 32_768;

// advisoryFlags: bit 0 exploited in the wild, bits 1-2 patch priority 1..3, bits 3-4 version scheme.
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
  return (flags >> 3) & 3;
}
