import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { buildKeyTable, KeyTableView, NO_TIER } from '../../src/access/key-table.ts';
import { emptyKeysFile, hashKey, type KeyRecord, type KeysFile } from '../../src/access/keys-file.ts';
import { ENDPOINTS } from '../../src/dialects/dialects.ts';

function record(key: string, fields: Partial<KeyRecord> = {}): KeyRecord {
  return { id: `id-${key}`, name: key, sha256: hashKey(key), tier: 'standard', ...fields };
}

const fileOf = (...keys: readonly KeyRecord[]): KeysFile => ({ ...emptyKeysFile(ENDPOINTS), keys });

const digestOf = (key: string): string => createHash('sha256').update(key).digest('binary');

test('a key is found by its digest, with its id, tier, expiry and row in the limiter', () => {
  const file = fileOf(
    record('one'),
    record('zwei', { id: 'schlüssel-€', tier: 'partner', expires_at: '2026-10-01T02:00:00+02:00' }),
  );
  const table = buildKeyTable(
    file,
    new Map([
      ['id-one', 7],
      ['schlüssel-€', 3],
    ]),
  );
  const view = new KeyTableView(table);
  const read = (key: string) => {
    const row = view.find(digestOf(key)) ?? assert.fail();
    return [view.id(row), table.tiers[view.tierIndex(row)][0], view.expiresAtMs(row), view.slot(row)];
  };
  assert.deepEqual(read('one'), ['id-one', 'standard', Number.POSITIVE_INFINITY, 7]);
  assert.deepEqual(read('zwei'), ['schlüssel-€', 'partner', Date.UTC(2026, 9, 1), 3]);
  assert.equal(view.find(digestOf('drei')), undefined);
});

test('disabled keys and keys without a tier are not found, but keep their rows', () => {
  const view = new KeyTableView(
    buildKeyTable(fileOf(record('off', { disabled: true }), record('x', { tier: 'none' }))),
  );
  assert.equal(view.find(digestOf('off')), undefined);
  assert.equal(view.find(digestOf('x')), undefined);
  assert.deepEqual(
    [...view.takenSlots(false)],
    [
      ['id-off', 0],
      ['id-x', 1],
    ],
  );
});

test('a table without keys finds none', () => {
  assert.equal(new KeyTableView(buildKeyTable(fileOf())).find(digestOf('')), undefined);
});

test('digests that start the same are distinguished', () => {
  const digits = (last: string): string => `00000001${'0'.repeat(55)}${last}`;
  const keys = ['a', 'b', 'c'].map((last) => record(last, { sha256: digits(last) }));
  const view = new KeyTableView(buildKeyTable(fileOf(...keys)));
  const binary = (hex: string): string => Buffer.from(hex, 'hex').toString('latin1');
  for (const [row, key] of keys.entries()) assert.equal(view.find(binary(key.sha256)), row);
  assert.equal(view.find(binary(digits('d'))), undefined);
});

test('retired ids keep their rows but grant no access', () => {
  const table = buildKeyTable(fileOf(record('one')), new Map([['id-one', 0]]), new Map([['id-gone', 5]]));
  const view = new KeyTableView(table);
  assert.deepEqual(
    [...view.takenSlots(true)],
    [
      ['id-one', 0],
      ['id-gone', 5],
    ],
  );
  assert.deepEqual([...view.takenSlots(false)], [['id-one', 0]]);
  assert.equal(view.keyCount, 1);
});

test('a table that is posted to another thread is the same memory, not a copy', async (t) => {
  const table = buildKeyTable(fileOf(record('one')));
  const code = `const { parentPort, workerData } = require('node:worker_threads');
    new Uint8Array(workerData.memory)[0] = 77; parentPort.postMessage('done');`;
  const worker = new Worker(code, { eval: true, workerData: table });
  t.after(() => worker.terminate());
  await new Promise((resolve) => worker.once('message', resolve));
  assert.equal(new Uint8Array(table.memory)[0], 77);
});

test('each of a hundred thousand keys is found', () => {
  const keys = Array.from({ length: 100_000 }, (_, i) => record(String(i)));
  const table = buildKeyTable(fileOf(...keys));
  const view = new KeyTableView(table);
  for (let i = 0; i < 100_000; i += 997) assert.equal(view.find(digestOf(String(i))), i);
  assert.ok(table.memory.byteLength < 100_000 * 90, `${table.memory.byteLength} bytes`);
});

test('a disabled key has no tier', () => {
  const view = new KeyTableView(buildKeyTable(fileOf(record('one'), record('off', { disabled: true }))));
  assert.deepEqual([view.tierIndex(0), view.tierIndex(1)], [0, NO_TIER]);
});
