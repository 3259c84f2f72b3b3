// What `verify` checks beyond the loader: that derived values match what they were derived from. The checksum
// and the compiler already guarantee this, so servers skip it at startup. Shares no code with the compiler.
// Intervals are checked in verify-intervals.ts.

import { textAt } from '../../index/column-texts.ts';
import { type ColumnName, DETAIL_BLOCK_ADVISORIES, type IndexColumns, NONE } from '../../index/columns.ts';
import { type BlockRows, type DetailRecord, OpenRecords } from '../../index/items/detail-record.ts';
import type { ListedText } from '../../index/items/list-item.ts';
import { advisoriesOfAlias, normaliseAlias } from '../../index/lookup/alias-table.ts';
import { publishedCount } from '../../index/lookup/id-list.ts';
import { sourceIdOf } from '../../index/lookup/source-id.ts';
import { OpenBlock } from '../../index/memory/open-block.ts';
import { PRODUCT_TYPES, storedSlug } from '../../index/product-type.ts';
import { SnapshotError } from '../errors.ts';
import { type LoadedSnapshot, prepareSnapshot } from './load.ts';
import { readSnapshot, type SnapshotBytes } from './reader.ts';
import { SnapshotRecords } from './records.ts';
import { badRecord } from './row-block.ts';
import { SnapshotCheck } from './snapshot-check.ts';
import { verifyIntervals } from './verify-intervals.ts';

/** Called after each of the slow checks, once the file is loaded. */
export type VerifyProgress = (done: number, total: number) => void;

/** Loads the file as a server would, then checks further. Throws SnapshotError with the first fault. */
export function verifySnapshot(path: string, onProgress?: VerifyProgress): LoadedSnapshot {
  const snapshot = readSnapshot(path);
  const loaded = prepareSnapshot(snapshot);
  new SnapshotCheck(loaded).run();
  verifyDeep(snapshot, onProgress);
  return loaded;
}

/** Throws SnapshotError. Requires: neither prepareSnapshot nor SnapshotCheck found a fault. */
export function verifyDeep(snapshot: SnapshotBytes, onProgress: VerifyProgress = () => {}): void {
  const { columns } = snapshot;
  const total = columns.productType.length + columns.advisoryId.length;
  let done = 0;
  const onCheck = (): void => onProgress(++done, total);
  verifyIds(columns);
  verifySlugs(columns);
  verifyIntervals(columns, onCheck);
  decodeTerms(snapshot);
  verifyAliases(columns, verifyRecords(snapshot, onCheck));
  verifySourceIds(columns);
}

/** The runs are searched one after another: an id in two of them would hide one advisory. */
function verifyIds({ advisoryId }: IndexColumns): void {
  const seen = new Map<number, number>();
  advisoryId.forEach((id, ordinal) => {
    const other = seen.get(id);
    if (other !== undefined)
      fail('advisoryId', ordinal, `an id that differs from element ${other}`, String(id));
    seen.set(id, ordinal);
  });
}

/** A name is looked up in the forms of its type: a slug in none of them would never be found. */
function verifySlugs({ productType, productSlug, productSlugStart }: IndexColumns): void {
  for (let product = 0; product < productType.length; product++) {
    const slug = textAt(productSlug, productSlugStart, product);
    const stored = storedSlug(PRODUCT_TYPES[productType[product]], slug);
    if (stored !== slug) fail('productSlug', product, JSON.stringify(stored), JSON.stringify(slug));
  }
}

/** Includes terms that no advisory uses, which the loader does not check. */
function decodeTerms({ columns, packed }: SnapshotBytes): void {
  const records = new SnapshotRecords(columns, packed);
  for (let term = 0; term + 1 < columns.termStart.length; term++) records.termAt(term);
}

/** The ordinals of each alias, ascending, according to the records. */
type AliasHolders = ReadonlyMap<string, readonly number[]>;

function verifyRecords({ columns, packed }: SnapshotBytes, onRecord: () => void): AliasHolders {
  const records = new SnapshotRecords(columns, packed);
  const open = new OpenRecords();
  const { advisoryId } = columns;
  const firstWithdrawn = publishedCount(columns);
  const holders = new Map<string, number[]>();
  const openTexts = new OpenBlock<BlockRows<ListedText>>();
  for (let ordinal = 0; ordinal < advisoryId.length; ordinal++) {
    const row = records.textAt(ordinal, openTexts);
    const record = records.detailAt(ordinal, open);
    verifyPair(columns, ordinal, row, record, ordinal >= firstWithdrawn);
    for (const alias of aliasesOf(sourceIdOf(columns, ordinal), row, record)) {
      const known = holders.get(alias);
      if (known === undefined) holders.set(alias, [ordinal]);
      else known.push(ordinal);
    }
    onRecord();
  }
  return holders;
}

/** Every id by which the advisory is found, besides its own id and PSID. */
function aliasesOf(sourceId: string, row: ListedText, record: DetailRecord): ReadonlySet<string> {
  const [, , , ghsa] = row;
  const [, cves, , , , , , , aliases] = record;
  const found = new Set([...cves, ghsa, sourceId, ...aliases].map(normaliseAlias));
  found.delete('');
  return found;
}

/** Checks that the listed texts and the detail record of one advisory agree. */
function verifyPair(
  columns: IndexColumns,
  ordinal: number,
  [, , firstCve]: ListedText,
  record: DetailRecord,
  isWithdrawn: boolean,
): void {
  const id = columns.advisoryId[ordinal];
  const offset = columns.detailBlockStart[Math.floor(ordinal / DETAIL_BLOCK_ADVISORIES)];
  const [, cves, , , , , , withdrawnAt] = record;
  const disagree = (what: string, expected: string, got: string): never => {
    throw badRecord('details', offset, `${what} of advisory ${id} to be ${expected}`, String(got));
  };
  if ((cves[0] ?? '') !== firstCve) disagree('the first CVE', `"${firstCve}"`, `"${cves[0] ?? ''}"`);
  if ((withdrawnAt !== null) !== isWithdrawn) {
    disagree('the time of withdrawal', isWithdrawn ? 'a time' : 'null', String(withdrawnAt));
  }
}

function verifyAliases(columns: IndexColumns, holders: AliasHolders): void {
  const { aliasStart, aliasText } = columns;
  const aliasCount = aliasStart.length - 1;
  for (let alias = 0; alias < aliasCount; alias++) {
    const text = textAt(aliasText, aliasStart, alias);
    const expected = holders.get(text);
    if (expected === undefined)
      fail('aliasText', aliasStart[alias], 'an alias of some advisory', `"${text}"`);
    const got = advisoriesOfAlias(columns, alias);
    if (got.length !== expected.length || expected.some((ordinal, i) => ordinal !== got[i])) {
      fail('aliasAdvisory', alias, `${expected.join(', ')} for "${text}"`, got.join(', '));
    }
  }
  // Every alias of the table is in the records and none is repeated, so equal counts mean equal sets.
  if (holders.size !== aliasCount) fail('aliasStart', 0, `${holders.size} aliases`, String(aliasCount));
}

/** Only an id that is spelled apart can have another's alias. */
function verifySourceIds(columns: IndexColumns): void {
  const { advisorySourceId, spelledAdvisory, aliasText, aliasStart } = columns;
  for (const ordinal of spelledAdvisory) {
    const row = advisorySourceId[ordinal];
    const got = row === NONE ? '' : textAt(aliasText, aliasStart, row);
    const expected = normaliseAlias(sourceIdOf(columns, ordinal));
    if (got !== expected) fail('advisorySourceId', ordinal, `the alias "${expected}"`, `"${got}"`);
  }
}

function fail(column: ColumnName, element: number, expected: string, got: string): never {
  throw new SnapshotError({
    code: 'bad-index',
    section: `index.${column}`,
    offset: element,
    expected,
    got,
  });
}
