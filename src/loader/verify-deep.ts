// What `verify` looks at beyond the loader: that derived values really follow from what they were derived from.
// The checksum and the compiler answer for all of it, so no server spends its start on it. Nothing here shares
// code with the compiler; intervals are verify-intervals.ts's.

import { isUtf8 } from 'node:buffer';
import { normaliseAlias } from '../index/alias-table.ts';
import {
  type ColumnName,
  DETAIL_BLOCK_ADVISORIES,
  type IndexColumns,
  TEXT_BLOCK_ADVISORIES,
} from '../index/columns.ts';
import type { DetailRecord } from '../index/detail-record.ts';
import type { ListedText } from '../index/list-item.ts';
import { PackedCursor } from '../index/packed-cursor.ts';
import { compareKeys, VERSION_SCHEMES, versionKey } from '../index/version-key.ts';
import { SnapshotError } from './errors.ts';
import { type LoadedSnapshot, prepareSnapshot } from './load.ts';
import { readSnapshot, type SnapshotBytes, type TextSource } from './reader.ts';
import { isDetailRecord, isListedText } from './record-shapes.ts';
import { badRecord, SnapshotRecords, textBlock } from './records.ts';
import { checkedTerms } from './terms.ts';
import { verifyIntervals } from './verify-intervals.ts';

/** Hears how many of the checks that take long are done, once the file is loaded. */
export type VerifyProgress = (done: number, total: number) => void;

/** Loads the file as a server would and then looks deeper. Throws SnapshotError with the first fault. */
export function verifySnapshot(path: string, onProgress?: VerifyProgress): LoadedSnapshot {
  return readSnapshot(path, (snapshot, texts) => {
    const loaded = prepareSnapshot(snapshot, texts);
    verifyDeep(snapshot, texts, onProgress);
    return loaded;
  });
}

/** Throws SnapshotError. Requires: a snapshot that was prepared without a fault. */
export function verifyDeep(
  snapshot: SnapshotBytes,
  texts: TextSource,
  onProgress: VerifyProgress = () => {},
): void {
  const { columns } = snapshot;
  const total = columns.productType.length + columns.advisoryId.length;
  let done = 0;
  const onCheck = (): void => onProgress(++done, total);
  verifyIds(columns);
  verifyVersionKeys(columns);
  verifyIntervals(columns, onCheck);
  verifyTerms(snapshot);
  verifyAliases(columns, verifyRecords(snapshot, texts, onCheck));
}

/** The three runs are looked up one after the other: an id in two of them would hide one advisory. */
function verifyIds({ advisoryId }: IndexColumns): void {
  const seen = new Map<number, number>();
  advisoryId.forEach((id, ordinal) => {
    const other = seen.get(id);
    if (other !== undefined) fail('advisoryId', ordinal, `an id that element ${other} has not`, String(id));
    seen.set(id, ordinal);
  });
}

function verifyVersionKeys(columns: IndexColumns): void {
  const { versionSchemeStart, versionText, versionTextStart, versionKey: keys, versionKeyStart } = columns;
  VERSION_SCHEMES.forEach((scheme, code) => {
    for (let version = versionSchemeStart[code]; version < versionSchemeStart[code + 1]; version++) {
      const text = textAt('versionText', versionText, versionTextStart, version);
      const expected = versionKey(scheme, text) ?? new Uint8Array(0); // a fix need not be a version
      const got = keys.subarray(versionKeyStart[version], versionKeyStart[version + 1]);
      if (compareKeys(expected, got) === 0) continue;
      fail('versionKey', versionKeyStart[version], `${hex(expected)} for ${JSON.stringify(text)}`, hex(got));
    }
  });
}

/** Those that no advisory names, too: the loader has seen only the others. */
function verifyTerms({ columns, details }: SnapshotBytes): void {
  const termAt = checkedTerms(columns, new SnapshotRecords(columns, details));
  for (let term = 0; term + 1 < columns.termStart.length; term++) termAt(term);
}

/** The ordinals that have each alias, ascending, as the records say. */
type AliasHolders = ReadonlyMap<string, readonly number[]>;

function verifyRecords(
  { columns, details }: SnapshotBytes,
  texts: TextSource,
  onRecord: () => void,
): AliasHolders {
  const records = new SnapshotRecords(columns, details);
  const { productSlug, productSlugStart, productType, advisoryId, runCounts } = columns;
  const firstWithdrawn = runCounts[0] + runCounts[1];
  const holders = new Map<string, number[]>();
  let rows: readonly ListedText[] = [];
  let block: readonly DetailRecord[] = [];
  for (let product = 0; product < productType.length; product++) {
    textAt('productSlug', productSlug, productSlugStart, product);
  }
  for (let ordinal = 0; ordinal < advisoryId.length; ordinal++) {
    if (ordinal % TEXT_BLOCK_ADVISORIES === 0) {
      const start = columns.textBlockStart[ordinal / TEXT_BLOCK_ADVISORIES];
      const bytes = texts(start, columns.textBlockStart[ordinal / TEXT_BLOCK_ADVISORIES + 1]);
      rows = textBlock(bytes, start);
      verifyUtf8(bytes, start);
    }
    if (ordinal % DETAIL_BLOCK_ADVISORIES === 0) {
      block = records.detailBlock(ordinal / DETAIL_BLOCK_ADVISORIES);
      verifyBlock(columns, block, ordinal);
    }
    const row = rows[ordinal % TEXT_BLOCK_ADVISORIES];
    const record = block[ordinal % DETAIL_BLOCK_ADVISORIES];
    verifyPair(columns, ordinal, row, record, ordinal >= firstWithdrawn);
    for (const alias of new Set([...record[2], row[3]].map(normaliseAlias))) {
      if (alias === '') continue;
      const known = holders.get(alias);
      if (known === undefined) holders.set(alias, [ordinal]);
      else known.push(ordinal);
    }
    onRecord();
  }
  return holders;
}

/** Answers copy listed texts byte for byte, so bytes that are no UTF-8 would reach a client. */
function verifyUtf8(block: Uint8Array, blockStart: number): void {
  const cursor = new PackedCursor(block);
  cursor.enter(0, block.length);
  const step = (): void => {
    cursor.string();
    const text = block.subarray(cursor.start, cursor.end);
    if (!isUtf8(text)) throw badRecord('texts', blockStart + cursor.start, 'UTF-8', hex(text));
  };
  for (let rows = cursor.array(); rows > 0; rows--) {
    for (let texts = cursor.array() - 1; texts > 0; texts--) step();
    for (let urls = cursor.array(); urls > 0; urls--) step();
  }
}

function verifyBlock(columns: IndexColumns, block: unknown, firstOrdinal: number): void {
  const expected = Math.min(DETAIL_BLOCK_ADVISORIES, columns.advisoryId.length - firstOrdinal);
  const isSound = Array.isArray(block) && block.length === expected && block.every(isDetailRecord);
  if (isSound) return;
  const offset = columns.detailBlockStart[firstOrdinal / DETAIL_BLOCK_ADVISORIES];
  throw badRecord('details', offset, `${expected} detail records`, 'others');
}

/** What the listed texts and the detail record of one advisory say about the same thing. */
function verifyPair(
  columns: IndexColumns,
  ordinal: number,
  row: unknown,
  record: DetailRecord,
  isWithdrawn: boolean,
): void {
  const id = columns.advisoryId[ordinal];
  if (!isListedText(row)) {
    const offset = columns.textBlockStart[Math.floor(ordinal / TEXT_BLOCK_ADVISORIES)];
    throw badRecord('texts', offset, `the listed texts of advisory ${id}`, 'something else');
  }
  const offset = columns.detailBlockStart[Math.floor(ordinal / DETAIL_BLOCK_ADVISORIES)];
  const [, , firstCve, , urls] = row;
  const [, , cves, referenceTitles, , , , , withdrawnAt] = record;
  const disagree = (what: string, expected: string | number, got: string | number): never => {
    throw badRecord('details', offset, `${what} of advisory ${id} to be ${expected}`, String(got));
  };
  if ((cves[0] ?? '') !== firstCve) disagree('the first CVE', `"${firstCve}"`, `"${cves[0] ?? ''}"`);
  if (referenceTitles.length !== urls.length) {
    disagree('the number of reference titles', urls.length, referenceTitles.length);
  }
  if ((withdrawnAt !== null) !== isWithdrawn) {
    disagree('the time of withdrawal', isWithdrawn ? 'a time' : 'null', String(withdrawnAt));
  }
}

function verifyAliases(columns: IndexColumns, holders: AliasHolders): void {
  const { aliasStart, aliasText, aliasAdvisoryStart, aliasAdvisory } = columns;
  const aliasCount = aliasStart.length - 1;
  for (let alias = 0; alias < aliasCount; alias++) {
    const text = textAt('aliasText', aliasText, aliasStart, alias);
    const expected = holders.get(text);
    if (expected === undefined)
      fail('aliasText', aliasStart[alias], 'an alias of some advisory', `"${text}"`);
    const first = aliasAdvisoryStart[alias];
    const got = aliasAdvisory.subarray(first, aliasAdvisoryStart[alias + 1]);
    if (got.length !== expected.length || expected.some((ordinal, i) => ordinal !== got[i])) {
      fail('aliasAdvisory', first, `${expected.join(', ')} for "${text}"`, got.join(', '));
    }
  }
  // Every alias of the table is one of the records' and none comes twice, so equal counts mean equal sets.
  if (holders.size !== aliasCount) fail('aliasStart', 0, `${holders.size} aliases`, String(aliasCount));
}

const fromUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textAt(column: ColumnName, pool: Uint8Array, starts: Uint32Array, entry: number): string {
  const bytes = pool.slice(starts[entry], starts[entry + 1]); // the decoder takes no shared memory
  try {
    return fromUtf8.decode(bytes);
  } catch {
    return fail(column, starts[entry], 'UTF-8', hex(bytes));
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex') || 'no bytes';
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
