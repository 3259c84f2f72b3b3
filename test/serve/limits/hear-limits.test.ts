// What an operator hears of the engine of the quotas.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LeaserState } from '../../../src/fleet/leases/leaser.ts';
import { Conditions } from '../../../src/serve/conditions.ts';
import { limitsEvents } from '../../../src/serve/limits/hear-limits.ts';

const STATE: LeaserState = {
  mode: 'fleet',
  problem: undefined,
  replicas: 3,
  keys: 0,
  calls: 1,
  failures: 0,
  granted: 0,
  returned: 0,
  grantedLocally: 0,
  lostKeys: 0,
  lostStates: 0,
  clockOffsetMs: 0,
  evictionPolicy: 'noeviction',
};
const PROBLEM = { code: 'full', message: 'valkey://cache:6379/0: its memory is full' } as const;

function hearing() {
  const lines: string[] = [];
  const add = (_: object | string, line?: string): void => void lines.push(line ?? String(_));
  const log = { info: add, warn: add, error: add };
  const conditions = new Conditions(log, () => 0);
  const events = limitsEvents({ conditions, log });
  const hear = (state: Partial<LeaserState>): void =>
    events.onMessage({ kind: 'state', state: { ...STATE, ...state } });
  const told = () => conditions.active.map(({ name, answered, reason }) => ({ name, answered, reason }));
  return { lines, events, hear, told };
}

test('an engine that cannot be used is a condition with its reason, told once, until it is used again', () => {
  const { hear, told, lines } = hearing();
  hear({ mode: 'local', problem: PROBLEM });
  hear({ mode: 'local', problem: PROBLEM, grantedLocally: 7 });
  assert.deepEqual(told(), [
    { name: 'quotas_local', answered: 'within 1/3 of each quota', reason: `full: ${PROBLEM.message}` },
  ]);
  assert.equal(lines.length, 1);
  hear({});
  assert.deepEqual(told(), []);
  assert.equal(lines.length, 2);
});

test('a replica that heard of no other says that it counts by itself', () => {
  const { hear, told } = hearing();
  hear({ mode: 'local', problem: PROBLEM, replicas: 0 });
  assert.match(told()[0]?.answered ?? '', /whole quota/);
});

test('an engine that may evict, and a clock that is off, are conditions', () => {
  const { hear, told } = hearing();
  hear({ evictionPolicy: 'allkeys-lru', clockOffsetMs: -603_000 });
  assert.deepEqual(
    told().map(({ name, reason }) => [name, reason]),
    [
      ['quotas_evictable', 'maxmemory-policy is allkeys-lru; set it to noeviction'],
      ['quotas_clock', "the engine's clock is about 600 s behind this one"],
    ],
  );
  hear({ evictionPolicy: undefined, clockOffsetMs: 29_000 });
  assert.deepEqual(told(), []);
});

test('a lost memory, lost keys and a clock that was set are log lines', () => {
  const { events, lines } = hearing();
  events.onMessage({ kind: 'state-lost' });
  events.onMessage({ kind: 'keys-lost', count: 3 });
  events.onMessage({ kind: 'clock-jumped', byMs: 600_000 });
  events.onFailure(new Error('died'), 1_000);
  assert.equal(lines.length, 5); // and the condition
});

test('a thread that died is a condition until another leases from the fleet', () => {
  const { events, hear, told } = hearing();
  events.onFailure(new Error('out of memory'), 1_000);
  assert.match(told()[0]?.reason ?? '', /^thread_died: out of memory/);
  hear({ mode: 'starting' });
  assert.equal(told().length, 1);
  hear({});
  assert.deepEqual(told(), []);
});
