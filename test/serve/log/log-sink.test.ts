// The log never blocks, never grows without bound and never throws, whatever its reader does.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LogSink, type LogSinkOptions } from '../../../src/serve/log/log-sink.ts';
import { until } from '../../support/until.ts';

/** A pipe that takes what fits, or fails on demand. */
class FakePipe {
  text = '';
  room = Number.POSITIVE_INFINITY;
  failure: string | undefined;

  readonly target = (bytes: Uint8Array, start: number): number => {
    const count = Math.min(this.room, bytes.length - start);
    if (this.failure !== undefined) throw Object.assign(new Error(this.failure), { code: this.failure });
    if (count === 0) throw Object.assign(new Error('full'), { code: 'EAGAIN' });
    this.text += Buffer.from(bytes.subarray(start, start + count)).toString();
    this.room -= count;
    return count;
  };
}

function setUp(options: LogSinkOptions = {}): { pipe: FakePipe; sink: LogSink; recovered: number[] } {
  const pipe = new FakePipe();
  const recovered: number[] = [];
  const onRecovered = (dropped: number): void => {
    recovered.push(dropped);
  };
  const sink = new LogSink({ target: pipe.target, retryMs: 1, onRecovered, ...options });
  return { pipe, sink, recovered };
}

test('lines are held back until the release, and printed lines precede them', () => {
  const { pipe, sink } = setUp();
  sink.write('{"a":1}\n');
  sink.print('listening');
  assert.equal(pipe.text, 'listening\n');
  sink.release();
  sink.write('{"b":2}\n');
  assert.equal(pipe.text, 'listening\n{"a":1}\n{"b":2}\n');
});

test('while the pipe is full, lines are kept up to the bound, then dropped and counted', async () => {
  const { pipe, sink, recovered } = setUp({ maxQueuedBytes: 25 });
  sink.release();
  pipe.room = 3;
  for (const name of ['one', 'two', 'six', 'ten']) sink.write(`line ${name}\n`);
  assert.equal(pipe.text, 'lin');
  assert.equal(sink.dropped, 2);
  assert.deepEqual(recovered, []);
  pipe.room = Number.POSITIVE_INFINITY;
  await sink.close(1_000);
  assert.equal(pipe.text, 'line one\nline two\n');
  assert.deepEqual(recovered, [2], 'reported once, when writing works again');
});

test('lines held back before the release are bounded too', () => {
  const { pipe, sink } = setUp({ maxQueuedBytes: 25 });
  for (let i = 0; i < 10; i++) sink.write('12345678\n');
  assert.equal(sink.dropped, 8);
  sink.release();
  assert.equal(pipe.text, '12345678\n12345678\n');
});

test('a closed pipe or a full disk loses lines and nothing else', () => {
  for (const failure of ['EPIPE', 'ENOSPC', 'EIO']) {
    const { pipe, sink, recovered } = setUp();
    sink.release();
    pipe.failure = failure;
    sink.write('one\n');
    sink.write('two\nthree\n');
    assert.equal(sink.dropped, 3, failure);
    pipe.failure = undefined;
    sink.write('four\n');
    assert.equal(pipe.text, 'four\n');
    assert.deepEqual(recovered, [3]);
  }
});

test('a line cut off by a failure does not run into the next', () => {
  const { pipe, sink } = setUp();
  sink.release();
  pipe.room = 5;
  sink.write('begins and\n'); // the rest waits
  pipe.room = Number.POSITIVE_INFINITY;
  pipe.failure = 'ENOSPC';
  sink.addDropped(1); // tries again
  pipe.failure = undefined;
  sink.write('next\n');
  assert.equal(pipe.text, 'begin\nnext\n');
  assert.equal(sink.dropped, 2);
});

test('closing does not wait longer than allowed for a reader', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let nowMs = 0;
  t.mock.method(performance, 'now', () => nowMs);
  const { pipe, sink } = setUp({ retryMs: 100 });
  sink.release();
  pipe.room = 0;
  sink.write('lost\n');
  let isClosed = false;
  const closing = sink.close(1_000).then(() => {
    isClosed = true;
  });
  await until('the sink to be closed', () => {
    if (isClosed) return true;
    nowMs += 100;
    t.mock.timers.tick(100);
    return false;
  });
  await closing;
  assert.equal(nowMs, 1_000);
  assert.equal(pipe.text, '');
});
