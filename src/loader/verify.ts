// That the values of an index are what the core relies on: lengths that agree, offsets in bounds, orders really
// sorted. One pass over every column; the first fault is thrown. The core checks none of this again.

import { isUtf8 } from 'node:buffer';
import {
  COLUMN_NAMES,
  type ColumnName,
  DETAIL_BLOCK_ADVISORIES,
  type IndexColumns,
  MAX_DETAIL_DICTIONARY_BYTES,
  NONE,
  patchPriority,
  schemeCode,
  TEXT_BLOCK_ADVISORIES,
} from '../index/columns.ts';
import { UPPER_BOUNDS } from '../index/lookup/interval.ts';
import { layMaxHi } from '../index/lookup/interval-index.ts';
import { MAX_SLUG_BYTES } from '../index/lookup/product-table.ts';
import { PRODUCT_TYPES } from '../index/product-type.ts';
import { MAX_VERSION_BYTES, VERSION_SCHEMES } from '../index/versions/version-key.ts';
import { SnapshotError, type SnapshotErrorCode } from './errors.ts';
import { MAX_INSTANT, MIN_INSTANT } from './record-shapes.ts';

const RUN_COUNT = 3;
const FIX_COUNTS = 2;
const NPM = PRODUCT_TYPES.indexOf('npm');
const SEMVER = VERSION_SCHEMES.indexOf('semver');

/** Throws SnapshotError when a column is not what docs/snapshot-format.md section 5 demands. */
export function verifyIndex(columns: IndexColumns, textBytes: number, detailBytes: number): void {
  verifyLengths(columns);
  verifyOffsets(columns, textBytes, detailBytes);
  verifyAdvisories(columns);
  verifyVersions(columns);
  verifyProducts(columns);
  verifyGroups(columns);
  verifyOrders(columns);
  verifyAliases(columns);
}

function fault(
  code: SnapshotErrorCode,
  column: ColumnName,
  element: number,
  expected: string,
  got: number | string,
): never {
  throw new SnapshotError({ code, section: `index.${column}`, offset: element, expected, got: String(got) });
}

function verifyLengths(columns: IndexColumns): void {
  const advisories = columns.advisoryId.length;
  const spans = columns.spanFrom.length;
  const versions = columns.versionTextStart.length - 1;
  const products = columns.productType.length;
  const groups = columns.groupScheme.length;
  const intervals = columns.intervalLo.length;
  if (columns.runCounts.length !== RUN_COUNT) {
    fault('bad-index', 'runCounts', 0, `${RUN_COUNT} elements`, columns.runCounts.length);
  }
  const [wordpress, npm, withdrawn] = columns.runCounts;
  if (wordpress + npm + withdrawn !== advisories) {
    fault('bad-index', 'runCounts', 0, `a sum of ${advisories}`, wordpress + npm + withdrawn);
  }
  const expected: Partial<Record<ColumnName, number>> = {
    advisorySpanStart: advisories + 1,
    versionSchemeStart: VERSION_SCHEMES.length + 1,
    versionKeyStart: versions + 1,
    productSlugStart: products + 1,
    productAdvisoryStart: products + 1,
    productAdvisory: wordpress + npm,
    productGroupStart: products + 1,
    groupBoundStart: groups + 1,
    groupIntervalStart: groups + 1,
    groupClearStart: groups + 1,
    fixCounts: FIX_COUNTS,
    createdOrder: wordpress + npm,
    psidOrder: advisories,
    aliasAdvisoryStart: columns.aliasStart.length,
    textBlockStart: Math.ceil(advisories / TEXT_BLOCK_ADVISORIES) + 1,
    detailBlockStart: Math.ceil(advisories / DETAIL_BLOCK_ADVISORIES) + 1,
  };
  for (const name of COLUMN_NAMES) {
    let length = expected[name];
    if (length === undefined) {
      if (/^advisory/.test(name)) length = advisories;
      else if (/^span/.test(name)) length = spans;
      else if (/^interval/.test(name)) length = intervals;
      else continue; // a column that is free in length, or that others are measured by
    }
    if (columns[name].length !== length) {
      fault('bad-index', name, 0, `${length} elements`, columns[name].length);
    }
  }
  const dictionaryBytes = columns.detailDictionary.length;
  if (dictionaryBytes > MAX_DETAIL_DICTIONARY_BYTES) {
    const expected = `at most ${MAX_DETAIL_DICTIONARY_BYTES} elements`;
    fault('bad-index', 'detailDictionary', 0, expected, dictionaryBytes);
  }
}

/** Columns of beginnings: from 0, never falling, to the end of what they point into. */
function verifyOffsets(columns: IndexColumns, textBytes: number, detailBytes: number): void {
  const ends: readonly (readonly [ColumnName & `${string}Start`, number])[] = [
    ['advisorySpanStart', columns.spanFrom.length],
    ['versionSchemeStart', columns.versionTextStart.length - 1],
    ['versionTextStart', columns.versionText.length],
    ['versionKeyStart', columns.versionKey.length],
    ['termStart', columns.termBytes.length],
    ['productSlugStart', columns.productSlug.length],
    ['productAdvisoryStart', columns.productAdvisory.length],
    ['productGroupStart', columns.groupScheme.length],
    ['groupBoundStart', columns.boundVersion.length],
    ['groupIntervalStart', columns.intervalLo.length],
    ['groupClearStart', columns.clearVersion.length],
    ['aliasStart', columns.aliasText.length],
    ['aliasAdvisoryStart', columns.aliasAdvisory.length],
    ['textBlockStart', textBytes],
    ['detailBlockStart', detailBytes],
  ];
  for (const [name, end] of ends) {
    const starts = columns[name];
    if (starts.length === 0 || starts[0] !== 0) fault('bad-index', name, 0, '0', starts[0] ?? 'nothing');
    for (let i = 1; i < starts.length; i++) {
      if (starts[i] < starts[i - 1]) fault('unsorted', name, i, `at least ${starts[i - 1]}`, starts[i]);
    }
    const last = starts.length - 1;
    if (starts[last] !== end) fault('bad-index', name, last, String(end), starts[last]);
  }
}

/** Every element below `limit`, or NONE where the column allows it. */
function verifyBelow(columns: IndexColumns, name: ColumnName, limit: number, allowsNone = false): void {
  const values = columns[name];
  for (let i = 0; i < values.length; i++) {
    if (values[i] >= limit && !(allowsNone && values[i] === NONE)) {
      fault('bad-index', name, i, `below ${limit}`, values[i]);
    }
  }
}

function verifyAdvisories(columns: IndexColumns): void {
  const { advisoryId, advisoryFlags, advisoryProduct, productType, runCounts, advisorySpanStart } = columns;
  const terms = columns.termStart.length - 1;
  const versions = columns.versionTextStart.length - 1;
  verifyBelow(columns, 'advisoryProduct', productType.length);
  for (const name of [
    'advisoryLabel',
    'advisoryVulnType',
    'advisoryCvss',
    'advisoryCwe',
    'advisoryCapec',
    'advisoryOwasp',
  ] as const) {
    verifyBelow(columns, name, terms);
  }
  verifyBelow(columns, 'spanFrom', versions, true);
  verifyBelow(columns, 'spanTo', versions, true);
  verifyBelow(columns, 'spanFixedIn', versions, true);
  verifyBelow(columns, 'spanToBound', UPPER_BOUNDS.length + 1);
  const published = runCounts[0] + runCounts[1];
  for (let i = 0; i < advisoryId.length; i++) {
    const id = advisoryId[i];
    if (!Number.isSafeInteger(id) || id < 1) fault('bad-index', 'advisoryId', i, 'an id of 1..2^53-1', id);
    const beginsRun = i === 0 || i === runCounts[0] || i === published;
    if (!beginsRun && id >= advisoryId[i - 1]) {
      fault('unsorted', 'advisoryId', i, `below ${advisoryId[i - 1]}`, id);
    }
    const flags = advisoryFlags[i];
    if (patchPriority(flags) === 0 || schemeCode(flags) >= VERSION_SCHEMES.length || flags >= 32) {
      fault('bad-index', 'advisoryFlags', i, 'a priority of 1..3 and a known scheme', flags);
    }
    if (i < published && (productType[advisoryProduct[i]] === NPM) !== i >= runCounts[0]) {
      fault('bad-index', 'advisoryProduct', i, "a product of the run's platform", advisoryProduct[i]);
    }
    if (advisorySpanStart[i + 1] === advisorySpanStart[i]) {
      fault('bad-index', 'advisorySpanStart', i, 'at least one span', 0);
    }
    for (const name of ['advisoryDisclosedAt', 'advisoryCreatedAt'] as const) {
      const instant = columns[name][i];
      if (!Number.isInteger(instant) || instant < MIN_INSTANT || instant > MAX_INSTANT) {
        fault('bad-index', name, i, 'whole seconds of a year 0000..9999', instant);
      }
    }
  }
}

/** Sign of a[start..end) against b[start..end), bytes. */
function compareSlices(pool: Uint8Array, starts: Uint32Array, a: number, b: number): number {
  const lengthA = starts[a + 1] - starts[a];
  const lengthB = starts[b + 1] - starts[b];
  const common = Math.min(lengthA, lengthB);
  for (let i = 0; i < common; i++) {
    const difference = pool[starts[a] + i] - pool[starts[b] + i];
    if (difference !== 0) return difference;
  }
  return lengthA - lengthB;
}

/** Each text of a pool is UTF-8 by itself and has at most that many bytes. */
function verifyTexts(
  columns: IndexColumns,
  name: 'versionText' | 'productSlug' | 'aliasText',
  starts: Uint32Array,
  maxBytes = Number.POSITIVE_INFINITY,
): void {
  const pool = columns[name];
  // The whole at once, and then that no text begins amid a character: much sooner done than text by text.
  const isSound = isUtf8(pool);
  for (let i = 0; i + 1 < starts.length; i++) {
    const length = starts[i + 1] - starts[i];
    if (length > maxBytes) fault('bad-index', name, starts[i], `a text of at most ${maxBytes} bytes`, length);
    const isCut = (pool[starts[i]] & 0xc0) === 0x80; // past the end there is nothing, which is 0 here
    if ((isCut || !isSound) && !isUtf8(pool.subarray(starts[i], starts[i + 1]))) {
      fault('bad-index', name, starts[i], 'a text in UTF-8', 'other bytes');
    }
  }
}

function verifyVersions(columns: IndexColumns): void {
  const { versionSchemeStart, versionKey, versionKeyStart, versionText, versionTextStart } = columns;
  verifyTexts(columns, 'versionText', versionTextStart, MAX_VERSION_BYTES);
  for (let scheme = 0; scheme < VERSION_SCHEMES.length; scheme++) {
    for (let i = versionSchemeStart[scheme] + 1; i < versionSchemeStart[scheme + 1]; i++) {
      const order =
        compareSlices(versionKey, versionKeyStart, i - 1, i) ||
        compareSlices(versionText, versionTextStart, i - 1, i);
      if (order >= 0) fault('unsorted', 'versionKey', i, 'ascending keys, equal keys by text', 'a fall');
    }
  }
}

function verifyProducts(columns: IndexColumns): void {
  const { productType, productSlug, productSlugStart, productAdvisory, productAdvisoryStart } = columns;
  const published = columns.runCounts[0] + columns.runCounts[1];
  verifyTexts(columns, 'productSlug', productSlugStart, MAX_SLUG_BYTES);
  verifyBelow(columns, 'productType', PRODUCT_TYPES.length);
  verifyBelow(columns, 'productAdvisory', published);
  for (let product = 0; product < productType.length; product++) {
    if (product > 0) {
      const order =
        productType[product - 1] - productType[product] ||
        compareSlices(productSlug, productSlugStart, product - 1, product);
      if (order >= 0) fault('unsorted', 'productSlug', product, 'ascending (type, slug)', 'a fall');
    }
    for (let i = productAdvisoryStart[product]; i < productAdvisoryStart[product + 1]; i++) {
      const advisory = productAdvisory[i];
      if (i > productAdvisoryStart[product] && advisory <= productAdvisory[i - 1]) {
        fault('unsorted', 'productAdvisory', i, `above ${productAdvisory[i - 1]}`, advisory);
      }
      if (columns.advisoryProduct[advisory] !== product) {
        fault('bad-index', 'productAdvisory', i, `an advisory of product ${product}`, advisory);
      }
    }
  }
}

function verifyGroups(columns: IndexColumns): void {
  const { groupScheme, groupBoundStart, groupClearStart, groupIntervalStart, productGroupStart } = columns;
  const { intervalLo, intervalHi, intervalMaxHi, intervalSpan, intervalAdvisory } = columns;
  verifyBelow(columns, 'groupScheme', VERSION_SCHEMES.length);
  verifyBelow(columns, 'boundVersion', columns.versionTextStart.length - 1);
  verifyBelow(columns, 'clearVersion', columns.versionTextStart.length - 1);
  verifyBelow(columns, 'intervalAdvisory', columns.runCounts[0] + columns.runCounts[1]);
  const maxHi = new Uint32Array(intervalMaxHi.length);
  let product = 0;
  for (let group = 0; group < groupScheme.length; group++) {
    while (productGroupStart[product + 1] <= group) product++;
    const scheme = groupScheme[group];
    if (columns.productType[product] === NPM && scheme !== SEMVER) {
      fault('bad-index', 'groupScheme', group, `scheme ${SEMVER} for an npm product`, scheme);
    }
    if (group > productGroupStart[product] && scheme <= groupScheme[group - 1]) {
      fault('unsorted', 'groupScheme', group, `above ${groupScheme[group - 1]}`, scheme);
    }
    verifyGroupVersions(columns, 'boundVersion', scheme, groupBoundStart[group], groupBoundStart[group + 1]);
    verifyGroupVersions(columns, 'clearVersion', scheme, groupClearStart[group], groupClearStart[group + 1]);
    const lastPosition = 2 * (groupBoundStart[group + 1] - groupBoundStart[group]);
    for (let i = groupIntervalStart[group]; i < groupIntervalStart[group + 1]; i++) {
      if (intervalLo[i] > intervalHi[i] || intervalHi[i] > lastPosition) {
        fault('bad-index', 'intervalHi', i, `${intervalLo[i]}..${lastPosition}`, intervalHi[i]);
      }
      const isFirst = i === groupIntervalStart[group];
      const order = isFirst
        ? -1
        : intervalLo[i - 1] - intervalLo[i] ||
          intervalHi[i] - intervalHi[i - 1] ||
          intervalSpan[i] - intervalSpan[i - 1];
      if (order >= 0) fault('unsorted', 'intervalLo', i, '(lo up, hi down, span down)', intervalLo[i]);
      const advisory = intervalAdvisory[i];
      const span = intervalSpan[i];
      const isOwn =
        columns.advisorySpanStart[advisory] <= span && span < columns.advisorySpanStart[advisory + 1];
      if (!isOwn) fault('bad-index', 'intervalSpan', i, `a span of advisory ${advisory}`, span);
      if (
        columns.advisoryProduct[advisory] !== product ||
        schemeCode(columns.advisoryFlags[advisory]) !== scheme
      ) {
        fault('bad-index', 'intervalAdvisory', i, 'an advisory of the group', advisory);
      }
    }
    layMaxHi(intervalHi, maxHi, groupIntervalStart[group], groupIntervalStart[group + 1]);
  }
  for (let i = 0; i < maxHi.length; i++) {
    if (maxHi[i] !== intervalMaxHi[i])
      fault('bad-index', 'intervalMaxHi', i, String(maxHi[i]), intervalMaxHi[i]);
  }
}

/** Versions of the group's scheme, by ascending key. */
function verifyGroupVersions(
  columns: IndexColumns,
  name: 'boundVersion' | 'clearVersion',
  scheme: number,
  first: number,
  last: number,
): void {
  const { versionSchemeStart, versionKey, versionKeyStart } = columns;
  const rows = columns[name];
  for (let i = first; i < last; i++) {
    const version = rows[i];
    if (version < versionSchemeStart[scheme] || version >= versionSchemeStart[scheme + 1]) {
      fault('bad-index', name, i, 'a version of the scheme of the group', version);
    }
    if (i > first && compareSlices(versionKey, versionKeyStart, rows[i - 1], version) >= 0) {
      fault('unsorted', name, i, 'ascending keys', version);
    }
  }
}

/** Ascending by (value, ordinal) without a repeat: with the right length, that is every ordinal once. */
function verifyOrders(columns: IndexColumns): void {
  const [wordpress, npm] = columns.runCounts;
  verifyOrder(columns, 'createdOrder', 'advisoryCreatedAt', 0, wordpress);
  verifyOrder(columns, 'createdOrder', 'advisoryCreatedAt', wordpress, wordpress + npm);
  verifyOrder(columns, 'psidOrder', 'advisoryPsid', 0, columns.advisoryId.length);
  const { psidOrder, advisoryPsid } = columns;
  for (let i = 0; i < psidOrder.length; i++) {
    const psid = advisoryPsid[psidOrder[i]];
    if (!Number.isInteger(psid) || psid < 0 || psid >= 2 ** 48) {
      fault('bad-index', 'advisoryPsid', psidOrder[i], '48 bits', psid);
    }
    if (i > 0 && psid === advisoryPsid[psidOrder[i - 1]]) {
      fault('bad-index', 'advisoryPsid', psidOrder[i], 'no PSID twice', psid);
    }
  }
}

function verifyOrder(
  columns: IndexColumns,
  name: 'createdOrder' | 'psidOrder',
  by: 'advisoryCreatedAt' | 'advisoryPsid',
  first: number,
  last: number,
): void {
  const order = columns[name];
  const values = columns[by];
  for (let i = first; i < last; i++) {
    const ordinal = order[i];
    if (ordinal < first || ordinal >= last) fault('bad-index', name, i, `${first}..${last - 1}`, ordinal);
    if (i === first) continue;
    const previous = order[i - 1];
    if ((values[previous] - values[ordinal] || previous - ordinal) >= 0) {
      fault('unsorted', name, i, `ascending ${by}`, ordinal);
    }
  }
}

function verifyAliases(columns: IndexColumns): void {
  const { aliasStart, aliasText, aliasAdvisory, aliasAdvisoryStart } = columns;
  verifyTexts(columns, 'aliasText', aliasStart);
  verifyBelow(columns, 'aliasAdvisory', columns.advisoryId.length);
  for (let alias = 0; alias + 1 < aliasStart.length; alias++) {
    if (alias > 0 && compareSlices(aliasText, aliasStart, alias - 1, alias) >= 0) {
      fault('unsorted', 'aliasText', alias, 'ascending aliases', 'a fall');
    }
    for (let i = aliasAdvisoryStart[alias] + 1; i < aliasAdvisoryStart[alias + 1]; i++) {
      if (aliasAdvisory[i] <= aliasAdvisory[i - 1]) {
        fault('unsorted', 'aliasAdvisory', i, `above ${aliasAdvisory[i - 1]}`, aliasAdvisory[i]);
      }
    }
  }
}
