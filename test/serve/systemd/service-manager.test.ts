// What systemd is told, in which order, and what happens when it cannot be told. Nothing runs but the
// manager: time and the program are a test's.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Readiness } from '../../../src/http/readiness.ts';
import { beatEveryMs, type Look, ServiceManager } from '../../../src/serve/systemd/service-manager.ts';

const READY: Readiness = { kind: 'ready' };
const NO_SNAPSHOT: Readiness = { kind: 'unready', code: 'no_snapshot', detail: 'No snapshot is loaded yet.' };
const ENVIRONMENT = { NOTIFY_SOCKET: '/run/notify', PATH: '/bin', VULNDEX_SECRET: 'x' };

interface Scene {
  readonly manager: ServiceManager;
  readonly told: string[];
  readonly logged: string[];
  look: Look;
  nowMs: number;
  /** Lines are refused with this reason. */
  refusal: string | undefined;
  /** Lines are answered when this has resolved. */
  answered: Promise<void>;
  isClosed: boolean;
  /** Checks at the next second, until nothing is left to tell. */
  check(afterMs?: number): Promise<void>;
}

function scene(variables: Readonly<Record<string, string>> = {}): Scene {
  const told: string[] = [];
  const logged: string[] = [];
  const note = (...words: unknown[]): void =>
    void logged.push(words.map((word) => JSON.stringify(word)).join());
  const manager = ServiceManager.open(
    { ...ENVIRONMENT, ...variables },
    { warn: note, info: note },
    {
      nowMs: () => it.nowMs,
      open: (environment) => {
        assert.deepEqual(environment, { NOTIFY_SOCKET: '/run/notify', PATH: '/bin' });
        return {
          tell: async (line) => {
            await it.answered;
            if (it.refusal !== undefined) throw new Error(it.refusal);
            told.push(line);
          },
          close: () => {
            it.isClosed = true;
          },
        };
      },
    },
  );
  assert.ok(manager !== undefined);
  const it: Scene = {
    manager,
    told,
    logged,
    look: { readiness: NO_SNAPSHOT, snapshotId: undefined, isBeating: true },
    nowMs: 0,
    refusal: undefined,
    answered: Promise.resolve(),
    isClosed: false,
    check: async (afterMs = 1_000) => {
      it.nowMs += afterMs;
      manager.check();
      await turn();
    },
  };
  manager.follow(() => it.look);
  return it;
}

test('without a socket there is nobody to tell', () => {
  const log = { warn: () => assert.fail(), info: () => assert.fail() };
  for (const environment of [{}, { NOTIFY_SOCKET: '' }, { WATCHDOG_USEC: '1000000' }])
    assert.equal(ServiceManager.open(environment, log), undefined);
});

test('readiness is told once, when it is there, and each status when it changes', async (t) => {
  const it = scene();
  t.after(() => it.manager.close());
  await turn();
  assert.deepEqual(it.told, ['STATUS=Not ready: no snapshot']);
  await it.check();
  it.look = { ...it.look, readiness: READY, snapshotId: 'aaaa' };
  await it.check();
  await it.check();
  it.look = { ...it.look, readiness: { kind: 'stale', detail: 'It is 7 s old.' } };
  await it.check();
  it.look = { ...it.look, readiness: NO_SNAPSHOT };
  await it.check();
  it.look = { ...it.look, readiness: READY, snapshotId: 'bbbb' };
  await it.check();
  assert.deepEqual(it.told.slice(1), [
    'READY=1',
    'STATUS=Serving snapshot aaaa',
    'STATUS=Serving snapshot aaaa, which is older than it should be',
    'STATUS=Not ready: no snapshot',
    'STATUS=Serving snapshot bbbb',
  ]);
  assert.deepEqual(it.logged, []);
});

test('the heartbeat comes at half of the period, and only while the workers beat', async (t) => {
  const it = scene({ WATCHDOG_USEC: '10000000', WATCHDOG_PID: String(process.pid) });
  t.after(() => it.manager.close());
  await turn();
  const beatsAfter = async (seconds: number): Promise<number> => {
    it.told.length = 0;
    for (let second = 0; second < seconds; second++) await it.check();
    return it.told.filter((line) => line === 'WATCHDOG=1').length;
  };
  assert.equal(await beatsAfter(20), 4);
  it.look = { ...it.look, isBeating: false };
  assert.equal(await beatsAfter(20), 0);
  it.look = { ...it.look, isBeating: true };
  assert.equal(await beatsAfter(1), 1, 'it is overdue');
});

test('a watchdog of another process, and one that is not understood, gets no heartbeat; the latter is in the log', () => {
  const warnings: unknown[] = [];
  const log = { warn: (got: unknown) => void warnings.push(got) };
  assert.equal(beatEveryMs({ WATCHDOG_USEC: '30000000' }, 7, log), 15_000);
  assert.equal(beatEveryMs({ WATCHDOG_USEC: '30000000', WATCHDOG_PID: '7' }, 7, log), 15_000);
  assert.equal(beatEveryMs({ WATCHDOG_USEC: '30000000', WATCHDOG_PID: '8' }, 7, log), undefined);
  assert.equal(beatEveryMs({}, 7, log), undefined);
  assert.deepEqual(warnings, []);
  for (const period of ['0', '-1', '1.5', '30s', 'x'.repeat(1_000)])
    assert.equal(beatEveryMs({ WATCHDOG_USEC: period }, 7, log), undefined);
  assert.equal(warnings.length, 5);
  assert.ok(JSON.stringify(warnings).length < 500);
});

test('while something is being told nothing else is', async (t) => {
  const it = scene();
  t.after(() => it.manager.close());
  await turn();
  it.told.length = 0;
  let answer = (): void => {};
  it.answered = new Promise((resolve) => {
    answer = resolve;
  });
  for (const snapshotId of ['a', 'b', 'c']) {
    it.look = { ...it.look, readiness: READY, snapshotId };
    await it.check();
  }
  answer();
  await turn();
  await it.check();
  assert.deepEqual(it.told, ['READY=1', 'STATUS=Serving snapshot a', 'STATUS=Serving snapshot c']);
});

test('a failure is in the log once, with what to check, and everything is told when it is over', async (t) => {
  const it = scene();
  t.after(() => it.manager.close());
  await turn();
  it.told.length = 0;
  it.refusal = 'Failed to notify init system: No such file or directory; failed, status 1';
  it.look = { ...it.look, readiness: READY, snapshotId: 'a' };
  for (let second = 0; second < 30; second++) await it.check();
  assert.equal(it.logged.length, 1);
  assert.match(it.logged[0], /No such file.*check NOTIFY_SOCKET, NotifyAccess=all, and that systemd-notify/);
  it.refusal = undefined;
  await it.check(10_000);
  assert.deepEqual(it.told, ['READY=1', 'STATUS=Serving snapshot a']);
  assert.match(it.logged[1], /told again/);
});

test('a heartbeat that failed is tried again before systemd loses patience', async (t) => {
  const it = scene({ WATCHDOG_USEC: '10000000' });
  t.after(() => it.manager.close());
  await turn();
  it.told.length = 0;
  it.refusal = 'busy';
  await it.check(5_000);
  it.refusal = undefined;
  await it.check(3_000);
  assert.deepEqual(it.told, ['WATCHDOG=1']);
});

test('a stop is told after what is being told, and nothing follows it', async () => {
  const it = scene();
  await turn();
  it.told.length = 0;
  it.look = { ...it.look, readiness: READY, snapshotId: 'a' };
  it.manager.check();
  await it.manager.stopping();
  it.look = { ...it.look, snapshotId: 'b' };
  await it.check();
  assert.deepEqual(it.told, ['READY=1', 'STATUS=Serving snapshot a', 'STOPPING=1']);
  it.manager.close();
  assert.ok(it.isClosed);
});
