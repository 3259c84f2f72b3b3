// Which keys the leaser sees, and by which numbers.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildKeyTable } from '../../../src/access/key-table.ts';
import { hashKey } from '../../../src/access/keys-file.ts';
import { allocateLeases, LeaseRows } from '../../../src/http/callers/lease-rows.ts';
import { RateLimiterTable } from '../../../src/http/callers/rate-limit.ts';
import { TableRows } from '../../../src/serve/limits/table-rows.ts';

const RATE = { limit: 100, window_seconds: 100 };
const TIERS = { limited: { endpoints: [], rate: RATE }, free: { endpoints: [], rate: null } };
const key = (id: string, tier: string, disabled = false) => {
  return { id, name: id, sha256: hashKey(id), tier, disabled };
};
const FILE = {
  tiers: TIERS,
  keys: [key('a', 'limited'), key('b', 'free'), key('c', 'limited', true), key('d', 'limited')],
};

function open() {
  let nowMs = 1_000_000;
  const { memory } = new RateLimiterTable(8);
  const leases = new LeaseRows(memory, allocateLeases(memory));
  const rows = new TableRows(leases, buildKeyTable(FILE), () => nowMs);
  const used = (): number[] => {
    const slots: number[] = [];
    rows.eachUsed((slot) => slots.push(slot));
    return slots;
  };
  return { leases, rows, used, advance: (ms: number) => (nowMs += ms) };
}

test('only keys that work and have a limit are seen', () => {
  const { leases, rows, used } = open();
  for (let slot = 0; slot < 6; slot++) leases.grant(slot, 1);
  assert.deepEqual(used(), [0, 3]);
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((slot) => rows.key(slot)?.id),
    ['a', undefined, undefined, 'd', undefined],
  );
  assert.deepEqual([rows.allowance(0), rows.allowance(1)], [10, 0]);
});

test('levels drain with the time of day, and follow it when it is set', () => {
  const { rows, advance } = open();
  rows.setLevel(0, 5_000);
  advance(2_000);
  assert.equal(rows.levelMs(0), 3_000);
  advance(600_000);
  rows.shiftLevels(600_000);
  assert.equal(rows.levelMs(0), 3_000);
  const seen: number[] = [];
  rows.eachSeen((slot) => seen.push(slot));
  assert.deepEqual(seen, [0]);
});

test('another keys file shows other keys', () => {
  const { leases, rows, used } = open();
  leases.grant(0, 1);
  rows.adopt(buildKeyTable({ tiers: TIERS, keys: [key('a', 'free')] }));
  assert.deepEqual([used(), rows.key(0)], [[], undefined]);
});
