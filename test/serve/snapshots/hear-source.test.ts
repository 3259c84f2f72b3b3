import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FollowProblem } from '../../../src/fleet/follow-events.ts';
import { Conditions } from '../../../src/serve/conditions.ts';
import { sourceHearer } from '../../../src/serve/snapshots/hear-source.ts';
import { publishTo } from '../../support/fleet/memory-store.ts';

function sceneOf() {
  const lines: string[] = [];
  const write = (about: unknown, text?: string): void => {
    const { condition, reason } = about as { condition?: string; reason?: string };
    lines.push([condition ?? text, reason].filter((each) => each !== undefined).join(': '));
  };
  const log = { info: write, warn: write, error: write };
  let scans = 0;
  const conditions = new Conditions(log as never, () => 0);
  const hear = sourceHearer({
    source: { take: () => {} },
    loader: { scan: () => scans++ },
    answered: () => 'from the live snapshot',
    conditions,
    log: log as never,
  });
  const manifest = publishTo(
    { objects: new Map() },
    { sequence: 7, id: 'a'.repeat(16), bytes: Buffer.from('x') },
  );
  return {
    hear,
    manifest,
    scans: () => scans,
    told: () => lines.splice(0),
    active: () => conditions.active.map(({ name }) => name),
    problem: (problem: FollowProblem | undefined) => hear({ kind: 'problem', problem }),
  };
}

test('a problem is named once and not at each poll, whatever else its message says', () => {
  const { problem, told, active } = sceneOf();
  for (const id of [1, 2, 3]) problem({ kind: 'store', message: `GET x: status 403: request ${id}` });
  assert.deepEqual(told(), ['source_unreachable']);
  problem({ kind: 'store', message: 'GET x: status 503: request 4' });
  assert.deepEqual(told(), ['source_unreachable']);
  problem({ kind: 'refused', code: 'expired', message: 'ended', sequence: 7 });
  problem({ kind: 'refused', code: 'expired', message: 'ended, and it is later now', sequence: 7 });
  assert.deepEqual(told(), ['source_unreachable', 'source_refused: expired']);
  assert.deepEqual(active(), ['source_refused']);
  problem({ kind: 'refused', code: 'expired', message: 'ended', sequence: 8 });
  assert.deepEqual(told(), []); // the same condition and reason
  problem({ kind: 'system', message: 'ENOSPC' });
  assert.deepEqual(active(), ['source_not_stored']);
  problem(undefined);
  assert.deepEqual(active(), []);
});

test('a manifest is logged once, and the loader is told when its snapshot is there', () => {
  const { hear, manifest, told, scans } = sceneOf();
  hear({ kind: 'manifest', manifest });
  hear({ kind: 'manifest', manifest });
  assert.equal(scans(), 0);
  hear({ kind: 'fetched', manifest });
  assert.deepEqual(told(), ['manifest accepted', 'snapshot fetched']);
  assert.equal(scans(), 1);
});

test('a clock that is off by minutes is named, and one that is off by seconds is not', () => {
  const { hear, told, active } = sceneOf();
  hear({ kind: 'clock', aheadMs: 2000 });
  assert.deepEqual(told(), []);
  hear({ kind: 'clock', aheadMs: 600_400 });
  hear({ kind: 'clock', aheadMs: 600_900 });
  assert.deepEqual(told(), ['clock_off: 10 min ahead of the source']);
  hear({ kind: 'clock', aheadMs: -600_000 });
  assert.deepEqual(told(), ['clock_off: 10 min behind the source']);
  hear({ kind: 'clock', aheadMs: 0 });
  assert.deepEqual(active(), []);
});
