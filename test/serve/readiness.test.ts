import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LifecycleState } from '../../src/serve/lifecycle.ts';
import { ageLimit, type ProcessState, readinessOf, readinessOfAll } from '../../src/serve/readiness.ts';

const NOW_MS = Date.UTC(2026, 9, 2, 12);

function processIn(state: LifecycleState, builtAtMs: number | undefined, awaitsFiles = false): ProcessState {
  return { state, builtAtMs, awaitsFiles };
}

test('data older than allowed is served or unready, as configured, and both say how old it is', () => {
  const builtAtMs = NOW_MS - 61_500;
  const old = 'The data is 61 s old, more than the 60 s allowed.';
  assert.deepEqual(readinessOf(processIn('serving', builtAtMs), ageLimit(60_000, 'unready'), NOW_MS), {
    kind: 'unready',
    code: 'snapshot_too_old',
    detail: old,
  });
  assert.deepEqual(readinessOf(processIn('serving', builtAtMs), ageLimit(60_000, 'serve'), NOW_MS), {
    kind: 'stale',
    detail: `${old} It is still served, with a Warning header.`,
  });
});

test('data of exactly the allowed age is ready, and of any age without a limit', () => {
  const ready = { kind: 'ready' };
  assert.deepEqual(
    readinessOf(processIn('serving', NOW_MS - 60_000), ageLimit(60_000, 'unready'), NOW_MS),
    ready,
  );
  assert.deepEqual(readinessOf(processIn('serving', 0), ageLimit(undefined, 'unready'), NOW_MS), ready);
});

test('draining takes precedence over everything, and missing data over missing files and its age', () => {
  const limit = ageLimit(1, 'serve');
  for (const [state, builtAtMs, code] of [
    ['draining', undefined, 'draining'],
    ['draining', 0, 'draining'],
    ['serving', undefined, 'no_snapshot'],
  ] as const) {
    const readiness = readinessOf(processIn(state, builtAtMs, true), limit, NOW_MS);
    assert.equal(readiness.kind === 'unready' && readiness.code, code);
  }
});

test('the operations listener is ready only if a worker serves, and draining takes precedence', () => {
  const codeOf = (isServing: boolean, ...rest: Parameters<typeof readinessOf>): string => {
    const readiness = readinessOfAll(isServing, ...rest);
    return readiness.kind === 'unready' ? readiness.code : readiness.kind;
  };
  assert.equal(codeOf(false, processIn('serving', NOW_MS), undefined, NOW_MS), 'no_worker');
  assert.equal(codeOf(false, processIn('serving', undefined), undefined, NOW_MS), 'no_worker');
  assert.equal(codeOf(true, processIn('serving', NOW_MS), undefined, NOW_MS), 'ready');
  assert.equal(codeOf(true, processIn('serving', undefined), undefined, NOW_MS), 'no_snapshot');
  assert.equal(codeOf(false, processIn('draining', NOW_MS), undefined, NOW_MS), 'draining');
});

test('a process that waits for its files is unready until they are there, however old its data', () => {
  const readiness = readinessOf(processIn('serving', 0, true), ageLimit(1, 'serve'), NOW_MS);
  assert.equal(readiness.kind === 'unready' && readiness.code, 'preparing');
});
