// The pool with threads that do what the test says, under a clock that the test moves. Real threads, hung and
// interrupted, are in run.test.ts.

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { type TestContext, test } from 'node:test';
import type {
  FromWorker,
  PostedChanges,
  PostedFiles,
  PostedGeneration,
  PostedKeys,
  ToWorker,
  WorkerData,
} from '../../../src/serve/messages.ts';
import { type SharedWorkerData, WorkerPool } from '../../../src/serve/workers/worker-pool.ts';
import { phrases } from '../../support/words.ts';

/** A thread as the pool sees it. Nothing may be posted to one that has ended: nobody would read it. */
class StandIn extends EventEmitter {
  readonly data: WorkerData;
  readonly threadId = 1;
  readonly posted: ToWorker[] = [];
  #hasEnded = false;

  constructor(data: WorkerData) {
    super();
    this.data = data;
  }

  postMessage(message: ToWorker): void {
    assert.ok(!this.#hasEnded, `${message.kind} was posted to a thread that has ended`);
    this.posted.push(structuredClone(message));
  }

  post(message: FromWorker): void {
    assert.ok(!this.#hasEnded, 'a thread that has ended posts nothing');
    this.emit('message', message);
  }

  listen(): void {
    this.post({ kind: 'listening' });
  }

  end(status: number): void {
    assert.ok(!this.#hasEnded, 'a thread ends once');
    this.#hasEnded = true;
    this.emit('exit', status);
  }

  /** What it was sent, in order, and since the last call. */
  kinds(): readonly string[] {
    return this.posted.splice(0).map(describe);
  }
}

function describe(message: ToWorker): string {
  switch (message.kind) {
    case 'generation':
    case 'older-generation':
      return `${message.kind} ${message.generation.parts.id}`;
    case 'changes':
      return `changes ${message.changes.from}>${message.changes.to}`;
    case 'files':
      return `files ${message.files.snapshot}`;
    case 'accept':
      return message.isPaused ? 'pause' : 'accept';
    default:
      return message.kind;
  }
}

// Of what is posted, only what describe() names is looked at.
const generation = (id: string): PostedGeneration => ({ parts: { id } }) as PostedGeneration;
const changes = (from: string, to: string): PostedChanges => ({ from, to, ids: [], tookMs: 0 });
const files = (snapshot: string): PostedFiles => ({ snapshot, files: [], bytes: 0, tookMs: 0 });
const keys = (name: string): PostedKeys => ({ name }) as unknown as PostedKeys;

function scene(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  let nowMs = 5_000;
  const threads: StandIn[] = [];
  const heard: string[] = [];
  const interrupted: StandIn[] = [];
  const beats = [0, 0, 0];
  const silent = new Set<number>();
  const pool = new WorkerPool(
    { keepGenerations: 1 } as SharedWorkerData, // handed on as it is
    keys('first'),
    (index) => beats[index],
    {
      onRestart: (index, reason, message, backOffMs) =>
        heard.push(`${index} ${reason} ${message} ${backOffMs}`),
      onStuck: (index) => heard.push(`${index} stuck`),
      onLog: ({ lines }) => heard.push(`log ${lines}`),
      answer: ({ kind }) => {
        heard.push(`asked ${kind}`);
        return kind;
      },
      onSlow: (requests) => heard.push(`slow ${requests.length}`),
    },
    {
      startWorker: (data) => {
        const thread = new StandIn(data);
        threads.push(thread);
        return thread;
      },
      interrupt: (thread) => interrupted.push(thread as StandIn), // it made them all
      nowMs: () => nowMs,
    },
  );
  /** Passes time in steps of a second; every worker that is not in `silent` counts its heartbeats. */
  const pass = (ms: number): void => {
    for (let restMs = ms; restMs > 0; restMs -= 1_000) {
      const stepMs = Math.min(restMs, 1_000);
      nowMs += stepMs;
      for (const index of beats.keys()) if (!silent.has(index)) beats[index]++;
      t.mock.timers.tick(stepMs);
    }
  };
  const states = (): readonly string[] => pool.states().map(({ state, restarts }) => `${state} ${restarts}`);
  const told = (): readonly string[] => heard.splice(0);
  /** Starts so many workers, which listen. */
  const started = async (count: number): Promise<void> => {
    const starting = pool.start(count);
    for (const thread of threads) thread.listen();
    await starting;
  };
  return { pool, threads, interrupted, silent, pass, states, told, started };
}

/** Whether a promise has settled, once all that can run without time has run. */
async function stateOf(promise: Promise<unknown>): Promise<'pending' | 'resolved' | 'rejected'> {
  let state: 'pending' | 'resolved' | 'rejected' = 'pending';
  promise.then(
    () => {
      state = 'resolved';
    },
    () => {
      state = 'rejected';
    },
  );
  await new Promise((resolve) => setImmediate(resolve));
  return state;
}

test('the start is over when all workers listen', async (t) => {
  const { pool, threads, states } = scene(t);
  const starting = pool.start(2);
  assert.deepEqual([states(), pool.isServing], [['starting 0', 'starting 0'], false]);
  threads[1].listen();
  assert.deepEqual([states(), pool.isServing], [['starting 0', 'serving 0'], true]);
  assert.equal(await stateOf(starting), 'pending');
  threads[0].listen();
  await starting;
  assert.deepEqual(states(), ['serving 0', 'serving 0']);
  assert.deepEqual(
    threads.map(({ data: { index, awaitsGeneration } }) => [index, awaitsGeneration]),
    [
      [0, false],
      [1, false],
    ],
  );
});

test('the start fails with the first failure, and a worker that cannot start is not replaced', async (t) => {
  const { pool, threads, pass, told } = scene(t);
  const starting = pool.start(2);
  threads[0].listen();
  threads[1].emit('error', new Error('address in use'));
  threads[1].end(1);
  await assert.rejects(starting, { message: 'address in use' });
  const stopping = pool.stop();
  pass(60_000);
  assert.equal(threads.length, 2);
  assert.deepEqual([threads[0].kinds(), threads[1].kinds()], [['stop'], []]);
  threads[0].end(0);
  await stopping;
  assert.deepEqual(told(), []);
});

test('the start fails if a worker ends without an error', async (t) => {
  const { pool, threads } = scene(t);
  const starting = pool.start(1);
  threads[0].end(7);
  await assert.rejects(starting, { message: 'worker 0 ended with status 7' });
});

test('a worker that crashed is replaced after a pause, and its last words are reported', async (t) => {
  const { pool, threads, started, pass, told, states } = scene(t);
  await started(2);
  threads[1].post({ kind: 'failed', message: 'told to fail' });
  threads[1].end(1);
  assert.deepEqual(told(), ['1 crashed told to fail 200']);
  assert.deepEqual([states(), pool.isServing], [['serving 0', 'replacing 1'], true]);
  pass(199);
  assert.equal(threads.length, 2);
  pass(1);
  assert.equal(threads.length, 3);
  assert.equal(threads[2].data.index, 1);
  assert.deepEqual(states(), ['serving 0', 'starting 1']);
  threads[2].listen();
  assert.deepEqual(states(), ['serving 0', 'serving 1']);
  threads[2].emit('error', Object.assign(new Error(), { stack: 'out of memory' }));
  threads[2].end(1);
  assert.deepEqual(told(), ['1 crashed out of memory 400']);
  pass(400);
  threads[3].listen();
  threads[3].end(0);
  assert.deepEqual(told(), ['1 crashed it ended without reporting an error 800'], 'earlier words are gone');
});

test('no worker serves while the only one is being replaced, until the next one listens', async (t) => {
  const { pool, threads, started, pass } = scene(t);
  await started(1);
  assert.equal(pool.isServing, true);
  threads[0].end(1);
  assert.equal(pool.isServing, false);
  pass(200);
  assert.equal(pool.isServing, false, 'it has not opened the port yet');
  threads[1].listen();
  assert.equal(pool.isServing, true);
});

test('the pause doubles with each death up to ten seconds, and is the shortest after a good life', async (t) => {
  const { threads, started, pass, told } = scene(t);
  await started(1);
  const pauses: number[] = [];
  const die = (): void => {
    threads.at(-1)?.end(1);
    const pauseMs = Number(told()[0].split(' ').at(-1));
    pauses.push(pauseMs);
    const { length } = threads;
    pass(pauseMs - 1);
    assert.equal(threads.length, length);
    pass(1);
    assert.equal(threads.length, length + 1);
  };
  for (let death = 0; death < 9; death++) die(); // each before it listens
  assert.deepEqual(pauses.splice(0), [200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000, 10_000]);
  threads.at(-1)?.listen();
  pass(30_000);
  die();
  assert.deepEqual(pauses.splice(0), [10_000]);
  threads.at(-1)?.listen();
  pass(30_001);
  die();
  die();
  assert.deepEqual(pauses, [100, 200]);
});

test('a worker without a heartbeat for ten seconds is told to stop, interrupted and replaced', async (t) => {
  const { threads, interrupted, silent, started, pass, told, states } = scene(t);
  await started(2);
  pass(3_000);
  silent.add(1);
  pass(9_000);
  assert.deepEqual([interrupted, threads[1].kinds(), told()], [[], [], []]);
  pass(1_000);
  assert.deepEqual([interrupted, threads[1].kinds()], [[threads[1]], ['stop']]);
  assert.deepEqual(states(), ['serving 0', 'replacing 0']);
  pass(4_999);
  threads[1].end(0);
  assert.deepEqual(told(), ['1 hung it ended without reporting an error 200']);
  pass(10_000);
  assert.deepEqual(told(), [], 'it ended in time');
  assert.equal(interrupted.length, 1);
  threads[2].listen();
  threads[2].end(1);
  assert.deepEqual(told(), ['1 crashed it ended without reporting an error 400']);
});

test('an interrupted worker that has not ended after five seconds is stuck, which is reported once', async (t) => {
  const { interrupted, silent, started, pass, told } = scene(t);
  await started(2);
  silent.add(0);
  pass(11_000);
  assert.equal(interrupted.length, 1);
  pass(4_999);
  assert.deepEqual(told(), []);
  pass(1);
  assert.deepEqual(told(), ['0 stuck']);
  pass(60_000);
  assert.deepEqual([interrupted.length, told()], [1, []]);
});

test('a worker that listens late, after it was found to hang, is still being replaced', async (t) => {
  const { threads, silent, started, pass, states } = scene(t);
  await started(1);
  silent.add(0);
  pass(11_000);
  threads[0].listen();
  assert.deepEqual(states(), ['replacing 0']);
});

test('a worker that is starting is not hung, however long it takes', async (t) => {
  const { threads, interrupted, silent, started, pass, told, states } = scene(t);
  await started(1);
  threads[0].end(1);
  silent.add(0);
  pass(60_000);
  assert.deepEqual([interrupted, told().length, states()], [[], 1, ['starting 1']]);
  threads[1].listen();
  pass(10_000);
  assert.deepEqual(interrupted, []);
  pass(1_000);
  assert.deepEqual(interrupted, [threads[1]]);
});

test('a new worker is sent all that the others hold, in order, and the keys in force', async (t) => {
  const { pool, threads, started, pass } = scene(t);
  await started(1);
  for (const id of ['a', 'b', 'c']) pool.publish(generation(id));
  pool.tellChanges(changes('b', 'c'));
  pool.setFiles(files('c'));
  pool.setKeys(keys('second'));
  pool.pauseAccepting(true);
  pool.drain();
  assert.deepEqual(
    threads[0].kinds(),
    phrases('generation a | generation b | generation c | changes b>c | files c | keys | pause | drain'),
  );
  threads[0].end(1);
  pass(200);
  assert.deepEqual(
    threads[1].kinds(),
    phrases('generation c | older-generation b | changes b>c | files c | drain | pause'),
  );
  const { awaitsGeneration, keys: given } = threads[1].data;
  assert.deepEqual([awaitsGeneration, given], [true, keys('second')]);
  assert.equal(pool.files?.snapshot, 'c');
});

test('a new worker is sent nothing that is over', async (t) => {
  const { pool, threads, started, pass } = scene(t);
  await started(1);
  pool.pauseAccepting(true);
  pool.pauseAccepting(false);
  assert.deepEqual(threads[0].kinds(), ['pause', 'accept']);
  threads[0].end(1);
  pass(200);
  assert.deepEqual(threads[1].kinds(), []);
  assert.equal(threads[1].data.awaitsGeneration, false);
});

test('what is told to all is told to those that live; the next worker gets it from its start', async (t) => {
  const { pool, threads, started, pass } = scene(t);
  await started(2);
  threads[0].end(1);
  pool.publish(generation('a'));
  pool.setKeys(keys('second'));
  assert.deepEqual(threads[1].kinds(), ['generation a', 'keys']);
  pass(200);
  assert.deepEqual(threads[2].kinds(), ['generation a']);
  pool.publish(generation('b'));
  assert.deepEqual(threads[2].kinds(), ['generation b'], 'also while it is starting');
});

test('what workers post is handed on, and a batch of log lines is acknowledged', async (t) => {
  const { threads, started, told } = scene(t);
  await started(2);
  threads[1].post({ kind: 'log', batch: { lines: 'one\n', dropped: 0 } });
  threads[0].post({ kind: 'asked', number: 7, question: { kind: 'now' } });
  threads[0].post({ kind: 'slow', requests: [] });
  assert.deepEqual(told(), ['log one\n', 'asked now', 'slow 0']);
  assert.deepEqual([threads[0].kinds(), threads[1].kinds()], [['answered'], ['log-taken']]);
  threads[1].end(1);
  threads[1].emit('message', { kind: 'log', batch: { lines: 'last\n', dropped: 0 } } satisfies FromWorker);
  assert.equal(told().at(-1), 'log last\n', 'what a thread has posted may arrive after its end');
});

test('a stop waits for every worker, and none is replaced', async (t) => {
  const { pool, threads, started, pass, told } = scene(t);
  await started(2);
  const stopping = pool.stop();
  assert.deepEqual([threads[0].kinds(), threads[1].kinds()], [['stop'], ['stop']]);
  threads[1].end(0);
  assert.equal(await stateOf(stopping), 'pending');
  pass(8_000);
  threads[0].end(0);
  await stopping;
  pass(100_000);
  assert.deepEqual([threads.length, told()], [2, []]);
});

test('a worker with requests in flight may take its minute, although the others have ended long ago', async (t) => {
  const { pool, threads, interrupted, silent, started, pass, told } = scene(t);
  await started(2);
  const stopping = pool.stop();
  threads[1].end(0);
  silent.add(1); // nobody counts its heartbeats any more
  pass(60_000);
  assert.deepEqual([interrupted, told()], [[], []]);
  threads[0].end(0);
  assert.equal(await stateOf(stopping), 'resolved');
});

test('a worker that hangs during a stop is interrupted, and one that never ends is stuck after 70 s', async (t) => {
  const { pool, threads, interrupted, silent, started, pass, told } = scene(t);
  await started(2);
  const stopping = pool.stop();
  silent.add(0);
  pass(11_000);
  assert.deepEqual(interrupted, [threads[0]]);
  threads[0].end(0);
  pass(58_000);
  assert.deepEqual(told(), []);
  pass(1_000);
  assert.deepEqual(told(), ['1 stuck']);
  assert.equal(await stateOf(stopping), 'pending');
});

test('a stop cancels the start of the next worker', async (t) => {
  const { pool, threads, started, pass } = scene(t);
  await started(2);
  threads[0].end(1);
  const stopping = pool.stop();
  threads[1].end(0);
  await stopping;
  pass(60_000);
  assert.equal(threads.length, 2);
});
