import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Conversion, conversionAt, entriesOf, joined } from '../../../src/importers/kept/conversion.ts';
import { type PackedSourceEntry, packEntry } from '../../../src/importers/packed-draft.ts';
import type { SourceEntry } from '../../../src/importers/source.ts';
import { draftOf } from '../../support/feeds/drafts.ts';

const place = { file: 'source', entry: 'a' };
const bytes = Buffer.from('{"lone": "\ud800", "nul": "\0"}');
const reject = { place, bytes, problems: [{ field: 'affected', message: 'a \ud800 lone half, "quoted"' }] };
const ENTRIES: readonly SourceEntry[] = [
  { kind: 'draft', draft: draftOf('a', { cves: ['CVE-2026-1'], id: 7 }), warnings: ['one', 'ü two'] },
  { kind: 'skipped', place, reason: 'ecosystem PyPI' },
  { kind: 'reject', reject },
  { kind: 'draft', draft: draftOf('a', { disclosed_at: 'never' }), warnings: [] },
  { kind: 'reject', reject: { ...reject, problems: [] } },
  { kind: 'reject', reject: { ...reject, bytes: new Uint8Array(0) } },
];
const packed = ENTRIES.map(packEntry);

function read(batch: ReturnType<typeof joined>, number: number): readonly PackedSourceEntry[] {
  return entriesOf(conversionAt(batch, number), place);
}

/** Buffers and other arrays of the same bytes are equal, and what is undefined is left out. */
function plain(entries: readonly PackedSourceEntry[]): unknown {
  return JSON.parse(
    JSON.stringify(entries, (_, value) =>
      value instanceof Uint8Array ? [...value] : value?.type === 'Buffer' ? value.data : value,
    ),
  );
}

test('a conversion says what the entries say, wherever it stands in a batch', () => {
  const drafts = packed.filter((entry) => entry.kind === 'packed');
  assert.deepEqual(
    drafts.map(({ draft }) => draft.keys === undefined),
    [false, true],
    'one draft is sound, one is not',
  );
  const atPlace = packed.map((entry) => (entry.kind === 'skipped' ? { ...entry, place } : entry));
  const batch = joined([new Conversion([]), new Conversion(packed), new Conversion(packed.slice(1))]);
  assert.deepEqual(read(batch, 0), []);
  assert.deepEqual(plain(read(batch, 1)), plain(atPlace));
  assert.deepEqual(plain(read(batch, 2)), plain(atPlace.slice(1)));
  assert.deepEqual(plain(entriesOf(new Conversion(packed).bytes(), place)), plain(atPlace));
});

test('rejects that share their bytes still do', () => {
  const once = new Conversion(packed);
  assert.ok(once.byteLength < new Conversion([...packed, packed[2], packed[2]]).byteLength);
  const [first, second] = read(joined([once]), 0).flatMap((entry) =>
    entry.kind === 'reject' ? [entry.reject.bytes] : [],
  );
  assert.equal(first, second);
  assert.ok(new Conversion([packed[2], packed[4]]).byteLength < 2 * new Conversion([packed[2]]).byteLength);
});
