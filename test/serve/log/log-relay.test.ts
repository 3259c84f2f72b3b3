// A worker's log lines on their way to the supervisor: in order, in few messages, never beyond the bound.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LogBatch, LogRelay } from '../../../src/serve/log/log-relay.ts';

function setUp(): { relay: LogRelay; posted: LogBatch[] } {
  const posted: LogBatch[] = [];
  return { relay: new LogRelay((batch) => posted.push(batch)), posted };
}

test('a line is sent at once if no batch is in flight, and otherwise with the waiting lines', () => {
  const { relay, posted } = setUp();
  for (const name of ['a', 'b', 'c']) relay.write(`${name}\n`);
  assert.deepEqual(posted, [{ lines: 'a\n', dropped: 0 }]);
  relay.taken();
  assert.deepEqual(posted.slice(1), [{ lines: 'b\nc\n', dropped: 0 }]);
  relay.taken();
  assert.equal(posted.length, 2, 'nothing is sent without lines');
  relay.write('d\n');
  assert.equal(posted.length, 3);
});

test('lines that come faster than they are taken are dropped and counted', () => {
  const { relay, posted } = setUp();
  const line = `${'x'.repeat(1023)}\n`;
  for (let i = 0; i < 1_000; i++) relay.write(line);
  assert.equal(posted.length, 1);
  relay.taken();
  assert.equal(posted[1].lines.length, 256 << 10);
  assert.equal(posted[1].dropped, 1_000 - 1 - 256);
  relay.taken();
  relay.write(line);
  assert.equal(posted[2].dropped, 0);
});

test('a thread that is ending sends its waiting lines', () => {
  const { relay, posted } = setUp();
  relay.write('a\n');
  relay.write('why it ends\n');
  relay.flush();
  assert.equal(posted[1].lines, 'why it ends\n');
});
