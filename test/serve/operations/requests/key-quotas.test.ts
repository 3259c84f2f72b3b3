import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildKeyTable } from '../../../../src/access/key-table.ts';
import { hashKey, type KeyRecord, type KeysFile } from '../../../../src/access/keys-file.ts';
import { RateLimiter, RateLimiterTable, tierRate } from '../../../../src/http/callers/rate-limit.ts';
import { KeyQuotas } from '../../../../src/serve/operations/requests/key-quotas.ts';

const NOW_MS = Date.UTC(2026, 0, 1);
const LIMIT = { limit: 100, window_seconds: 86_400 };
const TIERS: KeysFile['tiers'] = {
  first: { endpoints: [], rate: { limit: 7, window_seconds: 60 } },
  limited: { endpoints: [], rate: LIMIT },
  free: { endpoints: [], rate: null },
};

function key(id: string, more: Partial<KeyRecord> = {}): KeyRecord {
  return { id, name: id, sha256: hashKey(id), tier: 'limited', ...more };
}

function scene(keys: readonly KeyRecord[]) {
  const limits = new RateLimiterTable();
  const file = { tiers: TIERS, keys };
  const slots = limits.slotsOf(file);
  const limiter = new RateLimiter(limits.memory);
  const table = buildKeyTable(file, slots);
  const use = (id: string, count: number): void => {
    const rate = tierRate('limited', LIMIT);
    for (let i = 0; i < count; i++) limiter.take(slots.get(id) ?? -1, rate, NOW_MS);
  };
  return { quotas: new KeyQuotas(limits.memory), table, use };
}

const idsOf = (quotas: KeyQuotas): string[] => quotas.shown(NOW_MS).map(({ id }) => id);

test('keys come by their remaining share, those without a limit last, and looking takes nothing', () => {
  const { quotas, table, use } = scene([
    key('idle'),
    key('free', { tier: 'free' }),
    key('some'),
    key('spent'),
  ]);
  use('some', 30);
  use('spent', 101);
  for (let i = 0; i < 3; i++) {
    quotas.step(table, NOW_MS);
    assert.deepEqual(quotas.shown(NOW_MS), [
      { id: 'spent', tier: 'limited', limits: [{ ...LIMIT, remaining: 0 }] },
      { id: 'some', tier: 'limited', limits: [{ ...LIMIT, remaining: 70 }] },
      { id: 'idle', tier: 'limited', limits: [{ ...LIMIT, remaining: 100 }] },
      { id: 'free', tier: 'free', limits: [] },
    ]);
  }
  assert.equal(quotas.total, 4);
});

test('a key that is disabled or has expired counts, but is not shown', () => {
  const { quotas, table } = scene([
    key('disabled', { disabled: true }),
    key('expired', { expires_at: '2025-12-31T00:00:00Z' }),
    key('good'),
  ]);
  quotas.step(table, NOW_MS);
  assert.deepEqual([idsOf(quotas), quotas.total], [['good'], 3]);
});

test('of many keys the 100 with least left are shown, once all were looked at in steps', () => {
  const { quotas, table, use } = scene(Array.from({ length: 25_000 }, (_, i) => key(`k${i}`)));
  use('k24999', 50);
  use('k12000', 60);
  for (const steps of [1, 2]) {
    quotas.step(table, NOW_MS);
    assert.deepEqual(idsOf(quotas), [], `after ${steps}`);
  }
  quotas.step(table, NOW_MS);
  const ids = idsOf(quotas);
  assert.deepEqual([ids.length, ids.slice(0, 3)], [100, ['k12000', 'k24999', 'k0']]);
  use('k24999', 40);
  assert.equal(idsOf(quotas)[0], 'k24999', 'what they have is as of now');
});

test('another table begins a new sweep', () => {
  const before = scene([key('a')]);
  before.quotas.step(before.table, NOW_MS);
  before.quotas.step(scene([key('b'), key('c')]).table, NOW_MS);
  assert.deepEqual(idsOf(before.quotas), ['b', 'c']);
});
