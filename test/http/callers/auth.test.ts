import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getHeapSnapshot } from 'node:v8';
import { buildKeyTable, type KeyTable } from '../../../src/access/key-table.ts';
import type { KeyRecord, KeysFile } from '../../../src/access/keys-file.ts';
import { emptyKeysFile, hashKey, makeKey } from '../../../src/access/keys-file.ts';
import { ENDPOINTS } from '../../../src/dialects/dialects.ts';
import type { Caller } from '../../../src/http/callers/auth.ts';
import { KeyRing, mayCall } from '../../../src/http/callers/auth.ts';
import { RateLimiter, RateLimiterTable } from '../../../src/http/callers/rate-limit.ts';

const NOW_MS = Date.UTC(2026, 9, 1);

function record(key: string, fields: Partial<KeyRecord> = {}): KeyRecord {
  return { id: `id-${key}`, name: key, sha256: hashKey(key), tier: 'standard', ...fields };
}

const fileOf = (...keys: readonly KeyRecord[]): KeysFile => ({ ...emptyKeysFile(ENDPOINTS), keys });

const tableOf = (...keys: readonly KeyRecord[]): KeyTable => buildKeyTable(fileOf(...keys));

function callerOf(ring: KeyRing, key: string, nowMs = NOW_MS): Caller {
  const result = ring.authenticate(key, nowMs);
  assert.ok(result.kind === 'caller');
  return result.caller;
}

test('a known key identifies its caller, the first time and every time after', () => {
  const ring = new KeyRing(tableOf(record('one'), record('two', { tier: 'partner' })));
  const { id, tier, rate } = callerOf(ring, 'one');
  assert.deepEqual({ id, tier }, { id: 'id-one', tier: 'standard' });
  assert.deepEqual([rate?.limit, rate?.windowSeconds, rate?.burst], [5000, 86_400, 5000]);
  assert.equal(callerOf(ring, 'one'), callerOf(ring, 'one'));
  assert.equal(callerOf(ring, 'two').rate, null);
});

test('an absent key is `missing`, and a wrong one is `invalid`', () => {
  const ring = new KeyRing(tableOf(record('one')));
  assert.deepEqual(ring.authenticate('', NOW_MS), { kind: 'missing' });
  assert.deepEqual(ring.authenticate('One', NOW_MS), { kind: 'invalid' });
  assert.deepEqual(ring.authenticate(hashKey('one'), NOW_MS), { kind: 'invalid' });
});

test('unknown, disabled and expired keys look the same from outside', () => {
  const ring = new KeyRing(
    tableOf(record('off', { disabled: true }), record('old', { expires_at: '2026-01-01T00:00:00Z' })),
  );
  for (const key of ['off', 'old', 'nobody', 'off', 'old', 'nobody']) {
    assert.equal(ring.authenticate(key, NOW_MS), ring.authenticate('x', NOW_MS), key);
  }
});

test('a key that was valid stops working at the instant it expires', () => {
  const ring = new KeyRing(tableOf(record('one', { expires_at: '2026-10-01T02:00:00+02:00' })));
  assert.equal(callerOf(ring, 'one', NOW_MS - 1).id, 'id-one');
  assert.equal(ring.authenticate('one', NOW_MS).kind, 'invalid');
  assert.equal(callerOf(ring, 'one', NOW_MS - 1).id, 'id-one');
});

test('a key of more than 512 characters is invalid, even if the file has it', () => {
  const ring = new KeyRing(tableOf(record('x'.repeat(512)), record('x'.repeat(513))));
  assert.equal(ring.authenticate('x'.repeat(512), NOW_MS).kind, 'caller');
  assert.equal(ring.authenticate('x'.repeat(513), NOW_MS).kind, 'invalid');
  assert.equal(ring.authenticate('x'.repeat(100_000), NOW_MS).kind, 'invalid');
});

test('a caller may call what its tier lists', () => {
  const ring = new KeyRing(
    tableOf(...['standard', 'extended', 'partner', 'operator'].map((tier) => record(tier, { tier }))),
  );
  const allowed = (key: string) => ENDPOINTS.filter((endpoint) => mayCall(callerOf(ring, key), endpoint));
  assert.deepEqual(allowed('standard'), ['product', 'exists']);
  assert.deepEqual(allowed('extended'), ['latest', 'product', 'exists', 'batch', 'vulnerability']);
  const aboutTheProcess = ['operations', 'operate'];
  assert.deepEqual(
    allowed('partner'),
    ENDPOINTS.filter((endpoint) => !aboutTheProcess.includes(endpoint)),
  );
  assert.deepEqual(allowed('operator'), [...ENDPOINTS]);
});

test('a new ring on the same table keeps the usage of a key, wherever its row is now', () => {
  const table = new RateLimiterTable();
  const limiter = new RateLimiter(table.memory);
  const tiers = { t: { endpoints: [], rate: { limit: 1, window_seconds: 60 } } };
  const one = record('one', { tier: 't' });
  const take = ({ slot, rate }: Caller) => limiter.take(slot, rate ?? assert.fail(), NOW_MS).allowed;
  const ringOf = (...keys: readonly KeyRecord[]): KeyRing => {
    const file = { tiers, keys };
    return new KeyRing(buildKeyTable(file, table.slotsOf(file)));
  };

  const before = callerOf(ringOf(record('gone', { tier: 't' }), one), 'one');
  assert.equal(take(before), true);
  const ring = ringOf(one, record('new', { tier: 't' }));
  table.retain(['id-one', 'id-new']);
  assert.equal(take(callerOf(ring, 'one')), false);
  assert.equal(take(callerOf(ring, 'new')), true);
});

test('a table made with the slots of another file is an internal error', () => {
  const slots = new RateLimiterTable().slotsOf(fileOf(record('one')));
  assert.throws(() => buildKeyTable(fileOf(record('one'), record('two')), slots), { message: /"id-two"/ });
});

/**
 * A ring after requests with a key, and the key as character codes, since a string would itself be found in
 * memory.
 */
function presentOne(): { readonly ring: KeyRing; readonly codes: readonly number[] } {
  const key = makeKey();
  const ring = new KeyRing(tableOf(record(key, { id: 'k', name: 'n' })));
  for (let i = 0; i < 3; i++) assert.equal(callerOf(ring, key).id, 'k');
  return { ring, codes: [...key].map((char) => char.charCodeAt(0)) };
}

// It reads the whole heap, which is large where many files share a process.
test('no presented key stays in memory in clear text', async () => {
  const { ring, codes } = presentOne();
  let heap = '';
  for await (const chunk of getHeapSnapshot().setEncoding('latin1')) heap += chunk;
  const key = String.fromCharCode(...codes);
  assert.ok(heap.includes('SHA256') || heap.includes('sha256'), 'the heap snapshot contains strings');
  assert.ok(!heap.includes(key));
  assert.equal(callerOf(ring, key).id, 'k', 'the ring is still alive');
});
