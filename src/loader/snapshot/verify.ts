// Checks that columns agree with each other as the core relies on: orders are really sorted, every advisory
// is where it belongs. verify-columns.ts checks each column against its row in the table. The first fault is
// thrown; the core checks none of this again.

import { isUtf8 } from 'node:buffer';
import {
  ADVISORY_KINDS,
  type BlockSectionBytes,
  EPSS_ONE,
  FIRST_SHARED,
  FIRST_WIDE,
  hasBody,
  type IndexColumns,
  type InstantColumn,
  kindCode,
  MAX_DAY,
  MAX_FLAGS,
  NONE,
  numberOf,
  numbersOf,
  patchPriority,
  RUN_COUNT,
  WITHDRAWN_RUN,
} from '../../index/columns.ts';
import { MAX_INSTANT, MIN_INSTANT } from '../../index/items/instant.ts';
import { runAt } from '../../index/lookup/id-list.ts';
import { MAX_SLUG_BYTES } from '../../index/lookup/product-table.ts';
import { partitionPoint } from '../../index/lookup/search.ts';
import { compareBytes } from '../../index/memory/bytes.ts';
import { allowsScheme, PRODUCT_TYPE_TABLE } from '../../index/product-type.ts';
import { affectsEveryVersion, endOfSpans, firstSpan } from '../../index/span-list.ts';
import { isLiteralKey, literalKey } from '../../index/versions/literal-version.ts';
import {
  MAX_KEY_BYTES,
  MAX_VERSION_BYTES,
  SCHEME_TABLE,
  schemeFacts,
  VERSION_SCHEMES,
  writeKeyOfScheme,
} from '../../index/versions/version-key.ts';
import { columnFault as fault, verifyColumns } from './verify-columns.ts';

/** Does each check, by its number, on however many threads. Throws what the first that fails throws. */
export type ShareChecks = (check: (number: number) => void) => void;

/** The check of groups takes longest, so it comes in parts. */
const GROUP_PARTS = 4;

/** In the order in which their faults count. Each is sound for columns that verify-columns.ts has passed. */
export const CHECKS: readonly ((columns: IndexColumns) => void)[] = [
  verifyRuns,
  verifyAllNumbers,
  verifySourceIds,
  verifySpanLists,
  verifyVersions,
  verifyProducts,
  ...Array.from({ length: GROUP_PARTS }, (_, part) => (columns: IndexColumns) => verifyGroups(columns, part)),
  verifyOrders,
  verifyAliases,
  verifyBodies,
  verifyExploitation,
];

/** Throws SnapshotError if a column is not what docs/snapshot-format.md section 5 requires. */
export function verifyIndex(
  columns: IndexColumns,
  sectionBytes: BlockSectionBytes,
  share: ShareChecks = checkInTurn,
): void {
  verifyColumns(columns, sectionBytes);
  share((number) => CHECKS[number](columns));
}

function checkInTurn(check: (number: number) => void): void {
  for (let number = 0; number < CHECKS.length; number++) check(number);
}

function verifyRuns(columns: IndexColumns): void {
  for (let run = 0; run < RUN_COUNT; run++) verifyRun(columns, run);
}

function verifyRun(columns: IndexColumns, run: number): void {
  const { advisoryId, advisoryFlags, advisoryProduct, productType } = columns;
  const { start, end } = runAt(columns, run);
  for (let i = start; i < end; i++) {
    const id = advisoryId[i];
    if (!Number.isSafeInteger(id) || id < 1) fault('bad-index', 'advisoryId', i, 'an id of 1..2^53-1', id);
    if (i > start && id >= advisoryId[i - 1]) {
      fault('unsorted', 'advisoryId', i, `below ${advisoryId[i - 1]}`, id);
    }
    const flags = advisoryFlags[i];
    if (patchPriority(flags) === 0 || kindCode(flags) >= ADVISORY_KINDS.length || flags > MAX_FLAGS) {
      fault('bad-index', 'advisoryFlags', i, 'a priority of 1..3, a known kind, and no bit 7', flags);
    }
    if (run !== WITHDRAWN_RUN && PRODUCT_TYPE_TABLE[productType[advisoryProduct[i]]].run !== run) {
      fault('bad-index', 'advisoryProduct', i, "a product of the run's platform", advisoryProduct[i]);
    }
  }
}

/**
 * Numbered in order of first use, and each of one scheme. Each is checked once, however many advisories share
 * it: their product is not bounded by the size of the file.
 */
function verifySpanLists(columns: IndexColumns): void {
  const { advisorySpans, advisoryScheme, spanListStart } = columns;
  const schemes = new Uint8Array(spanListStart.length - 1);
  let used = 0;
  for (let ordinal = 0; ordinal < advisorySpans.length; ordinal++) {
    const list = advisorySpans[ordinal];
    if (list > used) fault('unsorted', 'advisorySpans', ordinal, `at most ${used}`, list);
    if (list === used) schemes[used++] = advisoryScheme[ordinal];
  }
  if (used < schemes.length)
    fault('bad-index', 'spanListStart', used, 'a list of some advisory', 'one of none');
  const namesVersions = schemes.map((scheme, list) => (verifySpans(columns, list, scheme) ? 1 : 0));
  for (let ordinal = 0; ordinal < advisorySpans.length; ordinal++) {
    const list = advisorySpans[ordinal];
    if (advisoryScheme[ordinal] === schemes[list] || namesVersions[list] === 0) continue;
    fault('bad-index', 'advisorySpans', ordinal, `spans under scheme ${advisoryScheme[ordinal]}`, list);
  }
}

/** Versions of the scheme; those of a bound have a key. Returns whether there are any. */
function verifySpans(columns: IndexColumns, list: number, scheme: number): boolean {
  const { spanListStart, spanFrom, spanTo, spanFixedIn } = columns;
  const end = spanListStart[list + 1];
  if (end === spanListStart[list]) fault('bad-index', 'spanListStart', list, 'at least one span', 0);
  let namesVersions = false;
  for (let span = spanListStart[list]; span < end; span++) {
    if (spanFrom[span] === NONE && spanTo[span] === NONE && spanFixedIn[span] === NONE) continue;
    namesVersions = true;
    verifySpanVersion(columns, 'spanFrom', span, scheme);
    verifySpanVersion(columns, 'spanTo', span, scheme);
    verifySpanVersion(columns, 'spanFixedIn', span, scheme);
  }
  return namesVersions;
}

function verifySpanVersion(
  columns: IndexColumns,
  name: 'spanFrom' | 'spanTo' | 'spanFixedIn',
  span: number,
  scheme: number,
): void {
  const { versionSchemeStart, versionKeyStart } = columns;
  const version = columns[name][span];
  if (version === NONE) return;
  if (version < versionSchemeStart[scheme] || version >= versionSchemeStart[scheme + 1]) {
    fault('bad-index', name, span, `a version of scheme ${scheme}`, version);
  }
  if (name !== 'spanFixedIn' && versionKeyStart[version] === versionKeyStart[version + 1]) {
    fault('bad-index', name, span, 'a version with a key', version);
  }
}

function verifyAllNumbers(columns: IndexColumns): void {
  for (const name of ['advisoryDisclosedAt', 'advisoryCreatedAt', 'advisoryModifiedAt'] as const) {
    verifyNumbers(columns, name, 'whole seconds of a year 0000..9999', MIN_INSTANT, MAX_INSTANT);
  }
  verifyNumbers(columns, 'productNumber', '0..2^53-1', 0, Number.MAX_SAFE_INTEGER);
}

/** Each element is a number of the range, itself or by its row in the table of wide ones. */
function verifyNumbers(
  columns: IndexColumns,
  name: InstantColumn | 'productNumber',
  what: string,
  least: number,
  most: number,
): void {
  const elements = columns[name];
  for (let i = 0; i < elements.length; i++) {
    if (elements[i] < FIRST_WIDE) continue;
    const number = numberOf(columns, elements[i]);
    if (!Number.isSafeInteger(number) || number < least || number > most) {
      fault('bad-index', name, i, what, number ?? `row ${elements[i] - FIRST_WIDE}`);
    }
  }
}

/** The ids that their aliases do not tell. */
function verifySourceIds(columns: IndexColumns): void {
  requireAscending(columns, 'spelledAdvisory');
  verifyTexts(columns, 'spelledId', columns.spelledIdStart);
}

/** Sign of the order of two byte strings of a pool. */
function compareSlices(pool: Uint8Array, starts: Uint32Array, a: number, b: number): number {
  return compareBytes(pool, starts[a], starts[a + 1], pool, starts[b], starts[b + 1]);
}

/**
 * The first text of a pool that is not UTF-8 on its own. Checks the pool as a whole, then that no text begins
 * amid a character: much faster than text by text.
 */
function findUnsoundText(pool: Uint8Array, starts: Uint32Array): number | undefined {
  const isSound = isUtf8(pool);
  for (let i = 0; i + 1 < starts.length; i++) {
    const isCut = (pool[starts[i]] & 0xc0) === 0x80; // past the end there is nothing, which is 0 here
    if ((isCut || !isSound) && !isUtf8(pool.subarray(starts[i], starts[i + 1]))) return i;
  }
  return undefined;
}

/** Each text of a pool is UTF-8 on its own and has at most that many bytes. */
function verifyTexts(
  columns: IndexColumns,
  name: 'spelledId' | 'versionText' | 'productSlug' | 'aliasText',
  starts: Uint32Array,
  maxBytes = Number.POSITIVE_INFINITY,
): void {
  for (let i = 0; i + 1 < starts.length; i++) {
    const length = starts[i + 1] - starts[i];
    if (length > maxBytes) fault('bad-index', name, starts[i], `a text of at most ${maxBytes} bytes`, length);
  }
  const unsound = findUnsoundText(columns[name], starts);
  if (unsound !== undefined) fault('bad-index', name, starts[unsound], 'a text in UTF-8', 'other bytes');
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
  verifyVersionKeys(columns);
}

/**
 * Requests compute keys from these texts again, and rely on them being versions. Requires: texts in UTF-8.
 */
function verifyVersionKeys(columns: IndexColumns): void {
  const { versionSchemeStart, versionText, versionTextStart, versionKey, versionKeyStart } = columns;
  const texts = Buffer.from(versionText.buffer, versionText.byteOffset, versionText.byteLength);
  const key = new Uint8Array(MAX_KEY_BYTES);
  for (let scheme = 0; scheme < VERSION_SCHEMES.length; scheme++) {
    const { isStrict } = SCHEME_TABLE[scheme];
    for (let i = versionSchemeStart[scheme]; i < versionSchemeStart[scheme + 1]; i++) {
      const text = texts.toString('utf8', versionTextStart[i], versionTextStart[i + 1]);
      const length = Math.max(0, writeKeyOfScheme(scheme, text, key)); // a fix need not be a version
      const start = versionKeyStart[i];
      const end = versionKeyStart[i + 1];
      if (length === 0 && isStrict && isLiteralKey(versionKey, start, end)) {
        const literal = literalKey(text);
        if (literal !== undefined && compareBytes(literal, 0, literal.length, versionKey, start, end) === 0)
          continue;
      }
      if (compareBytes(key, 0, length, versionKey, start, end) === 0) continue;
      const expected = `${hex(key.subarray(0, length))} for ${JSON.stringify(text)}`;
      fault('bad-index', 'versionKey', start, expected, hex(versionKey.subarray(start, end)));
    }
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex') || 'no bytes';
}

function verifyProducts(columns: IndexColumns): void {
  const { productType, productSlug, productSlugStart, productAdvisory, productAdvisoryStart } = columns;
  verifyTexts(columns, 'productSlug', productSlugStart, MAX_SLUG_BYTES);
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
  verifyIntervalCount(columns, verifyGroupless(columns));
}

/** Of a product without groups every version is affected. Returns how many advisories such products have. */
function verifyGroupless(columns: IndexColumns): number {
  const { productGroupStart, productAdvisory, productAdvisoryStart } = columns;
  let count = 0;
  for (let product = 0; product + 1 < productGroupStart.length; product++) {
    if (productGroupStart[product] < productGroupStart[product + 1]) continue;
    for (let i = productAdvisoryStart[product]; i < productAdvisoryStart[product + 1]; i++) {
      if (!affectsEveryVersion(columns, productAdvisory[i])) {
        fault('bad-index', 'productGroupStart', product, 'a group, for versions not affected', 'none');
      }
      count++;
    }
  }
  return count;
}

/**
 * One for each span of the published advisories whose products have groups. Each interval is another such
 * span, as `verifyGroups` checks, so with the right number none is missing.
 */
function verifyIntervalCount(columns: IndexColumns, groupless: number): void {
  const { productAdvisory, spanListStart, advisorySpans, intervalLo } = columns;
  let expected = -groupless;
  for (let ordinal = 0; ordinal < productAdvisory.length; ordinal++) {
    const list = advisorySpans[ordinal];
    expected += spanListStart[list + 1] - spanListStart[list];
  }
  if (intervalLo.length === expected) return;
  fault('bad-index', 'intervalSpan', intervalLo.length, `${expected} intervals`, intervalLo.length);
}

/** By type code and scheme code. */
const ALLOWED_SCHEMES = PRODUCT_TYPE_TABLE.map((type) =>
  VERSION_SCHEMES.map((scheme) => allowsScheme(type, scheme)),
);

/** One part of the groups, 0 to GROUP_PARTS - 1: each sees whole groups. */
function verifyGroups(columns: IndexColumns, part: number): void {
  const { groupScheme, groupBoundStart, groupClearStart, groupIntervalStart, productGroupStart } = columns;
  const { intervalLo, intervalHi, intervalSpan, intervalAdvisory, productType } = columns;
  const { advisoryProduct, advisoryScheme } = columns;
  const firstGroup = Math.floor((groupScheme.length * part) / GROUP_PARTS);
  const endGroup = Math.floor((groupScheme.length * (part + 1)) / GROUP_PARTS);
  const ranks = rankKeys(columns);
  let product = partitionPoint(0, productType.length, (i) => productGroupStart[i + 1] > firstGroup);
  for (let group = firstGroup; group < endGroup; group++) {
    while (productGroupStart[product + 1] <= group) product++;
    const scheme = groupScheme[group];
    if (!ALLOWED_SCHEMES[productType[product]][scheme]) {
      const type = PRODUCT_TYPE_TABLE[productType[product]];
      const only = schemeFacts(type.scheme).code;
      fault('bad-index', 'groupScheme', group, `scheme ${only} for ${type.phrase}`, scheme);
    }
    if (group > productGroupStart[product] && scheme <= groupScheme[group - 1]) {
      fault('unsorted', 'groupScheme', group, `above ${groupScheme[group - 1]}`, scheme);
    }
    verifyGroupVersions(columns, ranks, 'boundVersion', groupBoundStart, group);
    verifyGroupVersions(columns, ranks, 'clearVersion', groupClearStart, group);
    const lastPosition = 2 * (groupBoundStart[group + 1] - groupBoundStart[group]);
    const first = groupIntervalStart[group];
    const last = groupIntervalStart[group + 1];
    for (let i = first; i < last; i++) {
      if (intervalLo[i] > intervalHi[i] || intervalHi[i] > lastPosition) {
        fault('bad-index', 'intervalHi', i, `${intervalLo[i]}..${lastPosition}`, intervalHi[i]);
      }
      const advisory = intervalAdvisory[i];
      const span = intervalSpan[i];
      const order =
        i === first
          ? -1
          : intervalLo[i - 1] - intervalLo[i] ||
            intervalHi[i] - intervalHi[i - 1] ||
            span - intervalSpan[i - 1] ||
            advisory - intervalAdvisory[i - 1];
      if (order >= 0)
        fault('unsorted', 'intervalLo', i, '(lo up, hi down, span down, advisory down)', intervalLo[i]);
      if (span < firstSpan(columns, advisory) || span >= endOfSpans(columns, advisory)) {
        fault('bad-index', 'intervalSpan', i, `a span of advisory ${advisory}`, span);
      }
      if (advisoryProduct[advisory] !== product || advisoryScheme[advisory] !== scheme) {
        fault('bad-index', 'intervalAdvisory', i, 'an advisory of the group', advisory);
      }
    }
    verifyMaxHi(columns, first, last);
  }
}

/** The tree over the intervals [first, last). Returns the greatest end there, 0 if there is none. */
function verifyMaxHi(columns: IndexColumns, first: number, last: number): number {
  if (first >= last) return 0;
  const { intervalHi, intervalMaxHi } = columns;
  const mid = (first + last) >>> 1;
  const expected = Math.max(
    intervalHi[mid],
    verifyMaxHi(columns, first, mid),
    verifyMaxHi(columns, mid + 1, last),
  );
  if (intervalMaxHi[mid] === expected) return expected;
  return fault('bad-index', 'intervalMaxHi', mid, String(expected), intervalMaxHi[mid]);
}

/**
 * By version: how many keys were before its own. As `verifyVersions` has it, versions of a scheme ascend by
 * key; so the keys of two of them ascend where these numbers do.
 */
function rankKeys({ versionKey, versionKeyStart }: IndexColumns): Uint32Array {
  const ranks = new Uint32Array(versionKeyStart.length - 1);
  for (let i = 1; i < ranks.length; i++) {
    ranks[i] = ranks[i - 1] + (compareSlices(versionKey, versionKeyStart, i - 1, i) === 0 ? 0 : 1);
  }
  return ranks;
}

/** Versions of the group's scheme, by ascending key. */
function verifyGroupVersions(
  columns: IndexColumns,
  ranks: Uint32Array,
  name: 'boundVersion' | 'clearVersion',
  starts: Uint32Array,
  group: number,
): void {
  const { versionSchemeStart, groupScheme } = columns;
  const rows = columns[name];
  const scheme = groupScheme[group];
  const first = starts[group];
  for (let i = first; i < starts[group + 1]; i++) {
    const version = rows[i];
    if (version < versionSchemeStart[scheme] || version >= versionSchemeStart[scheme + 1]) {
      fault('bad-index', name, i, 'a version of the scheme of the group', version);
    }
    if (i > first && ranks[rows[i - 1]] >= ranks[version])
      fault('unsorted', name, i, 'ascending keys', version);
  }
}

/** Ascending by (value, ordinal) without a repeat: with the right length, that is every ordinal once. */
function verifyOrders(columns: IndexColumns): void {
  const createdAt = numbersOf(columns, columns.advisoryCreatedAt);
  for (let run = 0; run < WITHDRAWN_RUN; run++) {
    const { start, end } = runAt(columns, run);
    verifyOrder(columns, 'createdOrder', createdAt, start, end);
  }
  columns.advisoryPsid.forEach((psid, ordinal) => {
    if (!Number.isInteger(psid) || psid < 0 || psid >= 2 ** 48) {
      fault('bad-index', 'advisoryPsid', ordinal, '48 bits', psid);
    }
  });
  verifyOrder(columns, 'psidOrder', columns.advisoryPsid, 0, columns.advisoryId.length);
}

/** By what each order ascends. */
const ORDERED_BY = { createdOrder: 'advisoryCreatedAt', psidOrder: 'advisoryPsid' } as const;

function verifyOrder(
  columns: IndexColumns,
  name: keyof typeof ORDERED_BY,
  values: Uint32Array | Float64Array,
  first: number,
  last: number,
): void {
  const order = columns[name];
  let previous = -1;
  let previousValue = Number.NEGATIVE_INFINITY;
  for (let i = first; i < last; i++) {
    const ordinal = order[i];
    if (ordinal < first || ordinal >= last) fault('bad-index', name, i, `${first}..${last - 1}`, ordinal);
    const value = values[ordinal];
    if (value < previousValue || (value === previousValue && ordinal <= previous)) {
      fault('unsorted', name, i, `ascending ${ORDERED_BY[name]}`, ordinal);
    }
    if (value === previousValue && name === 'psidOrder') {
      fault('bad-index', 'advisoryPsid', ordinal, 'no PSID twice', value);
    }
    previous = ordinal;
    previousValue = value;
  }
}

function verifyAliases(columns: IndexColumns): void {
  const { aliasStart, aliasText, aliasAdvisory, sharedAliasStart, sharedAliasAdvisory, advisoryId } = columns;
  verifyTexts(columns, 'aliasText', aliasStart);
  let shared = 0;
  for (let alias = 0; alias + 1 < aliasStart.length; alias++) {
    if (alias > 0 && compareSlices(aliasText, aliasStart, alias - 1, alias) >= 0) {
      fault('unsorted', 'aliasText', alias, 'ascending aliases', 'a fall');
    }
    const holder = aliasAdvisory[alias];
    if (holder < FIRST_SHARED) {
      const count = advisoryId.length;
      if (holder >= count) fault('bad-index', 'aliasAdvisory', alias, `below ${count}`, holder);
    } else if (holder !== FIRST_SHARED + shared++) {
      fault(
        'bad-index',
        'aliasAdvisory',
        alias,
        `row ${shared - 1}, the next`,
        `row ${holder - FIRST_SHARED}`,
      );
    }
  }
  const rows = sharedAliasStart.length - 1;
  if (shared !== rows) fault('bad-index', 'sharedAliasStart', 0, `${shared} rows`, rows);
  for (let row = 0; row < rows; row++) {
    const first = sharedAliasStart[row];
    const end = sharedAliasStart[row + 1];
    if (end - first < 2) fault('bad-index', 'sharedAliasStart', row, 'at least two advisories', end - first);
    for (let i = first + 1; i < end; i++) {
      if (sharedAliasAdvisory[i] > sharedAliasAdvisory[i - 1]) continue;
      fault(
        'unsorted',
        'sharedAliasAdvisory',
        i,
        `above ${sharedAliasAdvisory[i - 1]}`,
        sharedAliasAdvisory[i],
      );
    }
  }
}

/** The ordinals with a body are exactly those whose flags say so. */
function verifyBodies(columns: IndexColumns): void {
  const { bodyAdvisory, advisoryFlags } = columns;
  requireAscending(columns, 'bodyAdvisory');
  let next = 0;
  for (let ordinal = 0; ordinal < advisoryFlags.length; ordinal++) {
    const isListed = bodyAdvisory[next] === ordinal;
    if (isListed) next++;
    if (hasBody(advisoryFlags[ordinal]) === isListed) continue;
    const expected = isListed ? 'the flag of a body' : 'no flag of a body';
    fault('bad-index', 'advisoryFlags', ordinal, expected, advisoryFlags[ordinal]);
  }
}

function verifyExploitation(columns: IndexColumns): void {
  requireAscending(columns, 'epssAdvisory');
  requireAscending(columns, 'kevAdvisory');
  requireAtMost(columns, 'epssScore', EPSS_ONE);
  requireAtMost(columns, 'epssPercentile', EPSS_ONE);
  requireAtMost(columns, 'kevDate', MAX_DAY);
}

function requireAscending(
  columns: IndexColumns,
  name: 'bodyAdvisory' | 'epssAdvisory' | 'kevAdvisory' | 'spelledAdvisory',
): void {
  const ordinals = columns[name];
  for (let i = 1; i < ordinals.length; i++) {
    if (ordinals[i] <= ordinals[i - 1]) fault('unsorted', name, i, `above ${ordinals[i - 1]}`, ordinals[i]);
  }
}

function requireAtMost(
  columns: IndexColumns,
  name: 'epssScore' | 'epssPercentile' | 'kevDate',
  most: number,
): void {
  columns[name].forEach((value, i) => {
    if (value > most) fault('bad-index', name, i, `at most ${most}`, value);
  });
}
