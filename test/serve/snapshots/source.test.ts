import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Source } from '../../../src/serve/snapshots/source.ts';
import type { FromSource, SourceData } from '../../../src/serve/snapshots/source-messages.ts';
import { FakeThread } from '../../support/serving/fake-thread.ts';

const DATA: SourceData = {
  location: '/data',
  mayBeHttp: false,
  caFile: undefined,
  folder: 'snapshots',
  keys: [],
  intervalMs: 1000,
  maxSnapshotBytes: 1,
  version: '0.1.0',
};

function sceneOf(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const threads: FakeThread[] = [];
  const heard: FromSource[] = [];
  const failures: string[] = [];
  const source = new Source(
    DATA,
    {
      onMessage: (message) => heard.push(message),
      onFailure: ({ message }, backOffMs) => failures.push(`${message} ${backOffMs}`),
    },
    () => {
      const thread = new FakeThread(undefined);
      threads.push(thread);
      return thread;
    },
  );
  return { source, threads, heard, failures };
}

test('a thread that dies is started again, later each time until it has asked once', (t) => {
  const { threads, heard, failures } = sceneOf(t);
  for (const ms of [1000, 2000]) {
    threads.at(-1)?.emit('error', new Error('broken'));
    threads.at(-1)?.emit('exit', 1);
    t.mock.timers.tick(ms);
  }
  assert.equal(threads.length, 3);
  threads[2].emit('message', { kind: 'polled', atMs: 0, isAnswered: true });
  assert.equal(heard.length, 1);
  threads[2].emit('exit', 1);
  assert.deepEqual(failures, ['broken 1000', 'broken 2000', 'it ended without an error 1000']);
});

test('a stop gives the thread two seconds', async (t) => {
  const { source, threads } = sceneOf(t);
  const stopped = source.stop();
  assert.deepEqual(threads[0].asked, [{ kind: 'stop' }]);
  t.mock.timers.tick(2_000);
  assert.equal(await stopped, true);
});

test('what the loader refuses is passed on', (t) => {
  const { source, threads } = sceneOf(t);
  source.suspect('fleet-a.vdx');
  assert.deepEqual(threads[0].asked, [{ kind: 'suspect', file: 'fleet-a.vdx' }]);
});
