import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Conditions } from '../../src/serve/conditions.ts';
import { type AgeLimit, ageLimit } from '../../src/serve/readiness.ts';
import { watchAge } from '../../src/serve/watch-age.ts';

const NOW_MS = Date.UTC(2026, 0, 10, 12);

/** A record watched under a clock that the test moves; what was logged, in order. */
function watched(t: TestContext, stale: AgeLimit['stale'], builtAtMs: number | undefined) {
  t.mock.timers.enable({ apis: ['setInterval', 'Date'], now: NOW_MS });
  const told: string[] = [];
  const write = (members: { readonly answered?: string; readonly reason?: string }, text: string): void => {
    const { answered, reason } = members;
    told.push([text, reason, answered].filter((part) => part !== undefined).join('; '));
  };
  // A logger's methods have more overloads than are used here.
  const log = { info: write, warn: write, error: write } as ConstructorParameters<typeof Conditions>[0];
  const conditions = new Conditions(log);
  const limit = ageLimit(60_000, stale) ?? assert.fail();
  const record = { builtAtMs };
  watchAge(limit, record, conditions);
  const active = (): readonly string[] => conditions.active.map(({ name }) => name);
  return { record, told, active, pass: (ms: number) => t.mock.timers.tick(ms) };
}

const BEGINS =
  'snapshot is too old; built 2026-01-10T12:00:00.000Z, more than 60 s ago; ' +
  'from the live snapshot, with a Warning header';

test('data older than allowed is reported once, and a newer snapshot ends it, which is reported once', (t) => {
  const { record, told, active, pass } = watched(t, 'serve', NOW_MS);
  pass(60_000);
  assert.deepEqual([told, active()], [[], []]);
  pass(1_000);
  assert.deepEqual([told, active()], [[BEGINS], ['snapshot_too_old']]);
  pass(10_000);
  assert.equal(told.length, 1);
  record.builtAtMs = NOW_MS + 60_000;
  pass(1_000);
  assert.deepEqual([told.slice(1), active()], [['snapshot is no longer too old'], []]);
  pass(10_000);
  assert.equal(told.length, 2);
  pass(60_000);
  assert.equal(told.length, 3, 'and the next one grows old like the first');
  assert.deepEqual(active(), ['snapshot_too_old']);
});

test('data that is too old at the start is reported at once', (t) => {
  const { told } = watched(t, 'unready', NOW_MS - 60_001);
  assert.equal(told.length, 1);
  assert.match(told[0], /\/readyz is 503 snapshot_too_old$/);
});

test('without a snapshot nothing is too old', (t) => {
  const { told, pass } = watched(t, 'serve', undefined);
  pass(100_000);
  assert.deepEqual(told, []);
});
