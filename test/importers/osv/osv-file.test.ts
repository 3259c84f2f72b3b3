import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inBatches, type OsvFile } from '../../../src/importers/osv/osv-file.ts';
import { npmEntry, osvRecord } from '../../support/feeds/osv.ts';

function sizesOf(count: number, packages: number, details: number): readonly number[] {
  const affected = Array.from({ length: packages }, (_, i) => npmEntry(`p${i}`, [{ introduced: '0' }]));
  const bytes = Buffer.from(JSON.stringify(osvRecord({ affected, details: 'x'.repeat(details) })));
  const files = Array.from(
    { length: count },
    (): OsvFile => ({ kind: 'record', place: { file: 'a' }, bytes }),
  );
  return [...inBatches(files)].map((batch) => batch.length);
}

test('files come in batches of a number that pays for a message', () => {
  assert.deepEqual(sizesOf(130, 2, 5000), [64, 64, 2]);
});

test('a batch is small in memory, also once each package of a record has a copy of its text', () => {
  for (const size of sizesOf(64, 100, 50_000))
    assert.ok(size * 100 * 50_000 <= 2 * 16 * 1024 * 1024, `${size}`);
  assert.deepEqual(sizesOf(2, 0, 16 * 1024 * 1024), [1, 1]);
});

test('known files fill the batches of others, up to a quarter of a megabyte', () => {
  const place = { file: 'a' };
  const known = (bytes: number): OsvFile => ({
    kind: 'known',
    place,
    key: 'k',
    conversion: new Uint8Array(bytes),
  });
  const other: OsvFile = { kind: 'record', place, bytes: Buffer.from('{}') };
  const sizes = (files: readonly OsvFile[]): number[] => [...inBatches(files)].map(({ length }) => length);
  const mixed = Array.from({ length: 130 }, () => [known(100), other, known(100)]).flat();
  assert.deepEqual(sizes(mixed), [191, 192, 7]);
  assert.deepEqual(sizes(Array.from({ length: 5 }, () => known(150_000))), [2, 2, 1]);
});
