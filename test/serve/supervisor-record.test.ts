import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { LoadReason } from '../../src/loader/live/hot-swap.ts';
import type { RollBack } from '../../src/loader/live/roll-back.ts';
import { loadSnapshot } from '../../src/loader/snapshot/load.ts';
import { Conditions } from '../../src/serve/conditions.ts';
import type { FromLoader, PostedGeneration } from '../../src/serve/messages.ts';
import { hear, type Listeners } from '../../src/serve/snapshots/hear-loader.ts';
import { KeptGenerations } from '../../src/serve/snapshots/kept-generations.ts';
import { SupervisorRecord } from '../../src/serve/supervisor-record.ts';
import { temporaryFolder } from '../support/folder.ts';
import { compileHours } from '../support/followed-folder.ts';

const stock = temporaryFolder({ after });
const generations: PostedGeneration[] = [];

before(async () => {
  for (const [hour, path] of (await compileHours(stock)).entries()) {
    if (hour === 0) continue;
    const { generation, packed, fileBytes, format } = loadSnapshot(path);
    const file = join(stock, `${hour}.vdx`);
    const { parts } = generation;
    generations[hour] = { parts, packed, file, fileBytes, format, loadedAtMs: 0, tookMs: 0 };
  }
});

/** A supervisor without threads: what it would publish, and which errors it logs. */
function supervisor() {
  const published: PostedGeneration[] = [];
  const prepared: number[] = [];
  const retired: string[] = [];
  const suspected: string[] = [];
  const errors: string[] = [];
  const log = {
    info: () => {},
    warn: () => {},
    error: (_members: object, text: string) => errors.push(text),
  } as unknown as Listeners['log']; // a logger's methods have more overloads than are used here
  const record = new SupervisorRecord('uws', []);
  const conditions = new Conditions(log);
  const listeners: Listeners = {
    pool: {
      publish: (generation) => published.push(generation),
      retire: (id) => retired.push(id),
      kept: new KeptGenerations(1),
    },
    preparer: { prepare: () => prepared.push(published.length) },
    record,
    orders: { finished: () => {} },
    follower: { suspect: (file) => suspected.push(file) },
    metrics: { loadSucceeded: () => {}, loadRefused: () => {} },
    conditions,
    log,
  };
  const load = (hour: number, reason: LoadReason = 'newest'): void =>
    hear({ kind: 'loaded', generation: generations[hour], reason } satisfies FromLoader, listeners);
  return {
    record,
    errors,
    load,
    rollBack: (rollBack: RollBack | undefined) => hear({ kind: 'roll-back', rollBack }, listeners),
    retire: (isReplaced: boolean) => hear({ kind: 'retired', id: 'faulty', isReplaced }, listeners),
    retired,
    refuse: (file: string) =>
      hear({ kind: 'refused', file, code: 'checksum', message: 'damaged' }, listeners),
    suspected,
    conditions: () => conditions.active.map(({ name }) => name),
    /** How many generations were published when the preparer was told. */
    prepared,
    published: () => published.map((generation) => generations.indexOf(generation)),
  };
}

test('a file that the loader refuses is named to the follower of the source, by its name alone', () => {
  const { refuse, suspected } = supervisor();
  refuse('/data/snapshots/fleet-0123456789abcdef.vdx');
  assert.deepEqual(suspected, ['fleet-0123456789abcdef.vdx']);
});

function rollBackFrom(hour: number, to: number, kind: 'held' | 'over'): RollBack {
  const { id, builtAtMs } = generations[hour].parts;
  const order = {
    file: `${to}.vdx`,
    id: generations[to].parts.id,
    newerThan: { id, builtAtMs },
    orderedAtMs: 0,
  };
  return { text: '', order, from: order.newerThan, phase: { kind } };
}

test('a snapshot that is not newer than the live one is not published, whatever the loader says', () => {
  const { load, published, prepared, errors } = supervisor();
  load(2);
  for (const hour of [1, 2]) load(hour);
  assert.deepEqual(published(), [2]);
  assert.deepEqual(errors, Array(2).fill('loader sent a snapshot that is not newer; ignored'));
  load(3);
  assert.deepEqual(published(), [2, 3]);
  assert.deepEqual(prepared, [1, 2]);
});

test('a message that cannot be handled is logged, and the next one is', () => {
  const { load, published, errors } = supervisor();
  load(0); // there is no such generation
  assert.deepEqual(errors, ['a message of the loader was not handled']);
  load(1);
  assert.deepEqual(published(), [1]);
});

test('a roll-back publishes an older snapshot, and then only one newer than that rolled back from', () => {
  const { load, rollBack, published } = supervisor();
  load(2);
  load(1, 'rolled-back');
  rollBack(rollBackFrom(2, 1, 'held'));
  load(2);
  assert.deepEqual(published(), [2, 1]);
  rollBack(rollBackFrom(2, 1, 'over'));
  load(3);
  assert.deepEqual(published(), [2, 1, 3]);
});

test('the next loader inherits the live snapshot, its size and the roll-back', () => {
  const { load, rollBack, record } = supervisor();
  assert.deepEqual(record.inheritance(), { inForce: undefined, rollBack: undefined });
  load(2);
  rollBack(rollBackFrom(3, 2, 'held'));
  const { id, builtAtMs } = generations[2].parts;
  assert.deepEqual(record.inheritance().inForce, { id, builtAtMs, publishedCount: 1 });
  assert.equal(record.inheritance().rollBack?.phase.kind, 'held');
});

test('a faulty snapshot gives way to an older one, and what was prepared with it is prepared without', () => {
  const { load, retire, retired, prepared, published, conditions, errors } = supervisor();
  load(2);
  load(1, 'previous-retired');
  retire(true);
  assert.deepEqual([published(), retired, prepared, errors], [[2, 1], ['faulty'], [1, 2, 2], []]);
  assert.deepEqual(conditions(), []);
});

test('a faulty snapshot that nothing can replace is a condition until another is loaded', () => {
  const { load, retire, retired, conditions } = supervisor();
  load(1);
  retire(false);
  assert.deepEqual([retired, conditions()], [[], ['snapshot_faulty']]);
  load(2);
  assert.deepEqual(conditions(), []);
});
