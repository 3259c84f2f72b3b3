// The log never blocks, never grows without bound and never throws, whatever its reader does.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import { type TestContext, test } from 'node:test';
import { LogSink, type LogSinkOptions } from '../../../src/serve/log/log-sink.ts';
import { until } from '../../support/until.ts';

/** A descriptor that nothing else has. */
const FD = 1_000_000;

type Written = (error: Error | null, bytes?: number) => void;

/** Takes what is written to the descriptor as far as it has room, or fails on demand. */
class FakePipe {
  text = '';
  room = Number.POSITIVE_INFINITY;
  failure: string | undefined;

  constructor(t: TestContext) {
    const { write } = fs;
    t.mock.method(fs, 'write', (fd: number, data: string | Buffer, ...rest: unknown[]) => {
      if (fd !== FD) return Reflect.apply(write, fs, [fd, data, ...rest]);
      queueMicrotask(() => this.#take(Buffer.from(data), rest.at(-1) as Written));
    });
    for (const name of ['fsync', 'close'] as const)
      t.mock.method(fs, name, (_fd: number, done: () => void) => queueMicrotask(done));
  }

  #take(bytes: Buffer, written: Written): void {
    const count = Math.min(this.room, bytes.length);
    const failure = this.failure ?? (count === 0 ? 'EAGAIN' : undefined);
    if (failure !== undefined) {
      written(Object.assign(new Error(failure), { code: failure }));
      return;
    }
    this.text += bytes.subarray(0, count).toString();
    this.room -= count;
    written(null, count);
  }
}

function setUp(t: TestContext, options: LogSinkOptions = {}) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const pipe = new FakePipe(t);
  const recovered: number[] = [];
  const sink = new LogSink({ fd: FD, onRecovered: (dropped) => recovered.push(dropped), ...options });
  const written = (text: string): Promise<void> =>
    until(`the pipe to have ${JSON.stringify(text)}`, () => {
      t.mock.timers.tick(100);
      return pipe.text === text;
    });
  return { pipe, sink, recovered, written };
}

test('lines are held back until the release, and printed lines precede them', async (t) => {
  const { sink, written } = setUp(t);
  sink.write('{"a":1}\n');
  sink.print('listening');
  await written('listening\n');
  sink.release();
  sink.write('{"b":2}\n');
  await written('listening\n{"a":1}\n{"b":2}\n');
});

test('while the pipe is full, lines are kept up to the bound, then dropped and counted', async (t) => {
  const { pipe, sink, recovered, written } = setUp(t, { maxQueuedBytes: 25 });
  sink.release();
  pipe.room = 3;
  for (const name of ['one', 'two', 'six', 'ten']) sink.write(`line ${name}\n`);
  await written('lin');
  assert.equal(sink.dropped, 2);
  assert.deepEqual(recovered, []);
  pipe.room = Number.POSITIVE_INFINITY;
  await written('line one\nline two\n');
  assert.deepEqual(recovered, [2], 'reported once, when writing works again');
  sink.addDropped(3);
  sink.write('new\n');
  await written('line one\nline two\nnew\n');
  assert.deepEqual(recovered, [2, 3]);
});

test('lines held back before the release are bounded too', async (t) => {
  const { sink, written } = setUp(t, { maxQueuedBytes: 25 });
  for (let i = 0; i < 10; i++) sink.write('12345678\n');
  assert.equal(sink.dropped, 8);
  sink.release();
  await written('12345678\n12345678\n');
});

test('behind a closed pipe or a full disk lines wait up to the bound, and a line that was cut off goes on', async (t) => {
  for (const failure of ['EPIPE', 'ENOSPC', 'EIO']) {
    await t.test(failure, async (t) => {
      const { pipe, sink, recovered, written } = setUp(t, { maxQueuedBytes: 20 });
      sink.release();
      pipe.room = 5;
      sink.write('begins\n');
      await written('begin');
      pipe.failure = failure;
      sink.write('two\nthree\n');
      sink.write('four\nfive\n');
      assert.equal(sink.dropped, 2);
      pipe.failure = undefined;
      pipe.room = Number.POSITIVE_INFINITY;
      await written('begins\ntwo\nthree\n');
      assert.deepEqual(recovered, [2]);
    });
  }
});

test('closing writes what waits, and takes no more', async (t) => {
  const { pipe, sink } = setUp(t);
  sink.write('last\n');
  await sink.close(60_000);
  sink.write('late\n');
  assert.equal(pipe.text, 'last\n');
});

test('closing does not wait longer than allowed for a reader', async (t) => {
  const { pipe, sink } = setUp(t);
  pipe.room = 0;
  sink.print('lost');
  let isClosed = false;
  void sink.close(1).then(() => {
    isClosed = true;
  });
  await until('the sink to be closed', () => isClosed);
  assert.equal(pipe.text, '');
});
