// A worker's lines on their way to the supervisor: in order, in few messages, and never more than the bound.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LogBatch, LogRelay } from '../../src/serve/log-relay.ts';

function setUp(): { relay: LogRelay; posted: LogBatch[] } {
  const posted: LogBatch[] = [];
  return { relay: new LogRelay((batch) => posted.push(batch)), posted };
}

test('a line goes at once when nothing is under way, and else with those that wait', () => {
  const { relay, posted } = setUp();
  for (const name of ['a', 'b', 'c']) relay.write(`${name}\n`);
  assert.deepEqual(posted, [{ lines: 'a\n', dropped: 0 }]);
  relay.taken();
  assert.deepEqual(posted.slice(1), [{ lines: 'b\nc\n', dropped: 0 }]);
  relay.taken();
  assert.equal(posted.length, 2, 'nothing is sent for want of lines');
  relay.write('d\n');
  assert.equal(posted.length, 3);
});

test('lines that come faster than they are taken are dropped, and their number is told', () => {
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

test('a thread that ends sends what waits', () => {
  const { relay, posted } = setUp();
  relay.write('a\n');
  relay.write('why it ends\n');
  relay.flush();
  assert.equal(posted[1].lines, 'why it ends\n');
});
