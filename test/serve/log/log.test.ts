// The log's lines: their members, and what they say of an error.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Log, openLog } from '../../../src/serve/log/log.ts';

const TIME = /^(\{"level":\d0,"time":")\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/;

/** The line that is written, with its time as `T`. */
function lineOf(say: (log: Log) => void): string {
  const lines: string[] = [];
  say(openLog((line) => lines.push(line)));
  assert.equal(lines.length, 1);
  assert.match(lines[0], TIME);
  return lines[0].replace(TIME, '$1T"');
}

test('a line has the level, the time, the members that are defined, and the message last', () => {
  assert.equal(
    lineOf((log) => log.info('stopped')),
    '{"level":30,"time":"T","msg":"stopped"}\n',
  );
  assert.equal(
    lineOf((log) => log.warn({}, 'm')),
    '{"level":40,"time":"T","msg":"m"}\n',
  );
  const members = { a: 1, b: 'x', c: undefined, d: null, e: [1, 2], f: { g: true }, n: NaN };
  assert.equal(
    lineOf((log) => log.error(members, 'two\n"lines" \ud800')),
    '{"level":50,"time":"T","a":1,"b":"x","d":null,"e":[1,2],"f":{"g":true},"n":null,' +
      '"msg":"two\\n\\"lines\\" \\ud800"}\n',
  );
});

test('an error is told with its class, its causes, and its plain members', () => {
  class RefusedError extends Error {
    readonly code = 'late';
    readonly section = undefined;
    readonly held = { by: this }; // would not end
  }
  const cause = new Error('inner');
  const error = new RefusedError('outer', { cause });
  cause.cause = error; // and this neither
  const { err } = JSON.parse(lineOf((log) => log.error({ err: error }, 'm')));
  assert.deepEqual(err, {
    type: 'RefusedError',
    message: 'outer: inner',
    stack: `${error.stack}\ncaused by: ${cause.stack}`,
    code: 'late',
  });
});

test('the errors of an aggregate are told one by one', () => {
  const error = new AggregateError([new TypeError('a'), 'b'], 'many');
  const { err } = JSON.parse(lineOf((log) => log.error({ err: error }, 'm')));
  assert.deepEqual(
    [
      err.type,
      err.message,
      err.aggregateErrors[0].type,
      err.aggregateErrors[0].message,
      err.aggregateErrors[1],
    ],
    ['AggregateError', 'many', 'TypeError', 'a', 'b'],
  );
});

test('what was thrown need not be an error', () => {
  assert.equal(
    lineOf((log) => log.error({ err: 'text' }, 'm')),
    '{"level":50,"time":"T","err":"text","msg":"m"}\n',
  );
  assert.equal(
    lineOf((log) => log.error({ err: undefined }, 'm')),
    '{"level":50,"time":"T","msg":"m"}\n',
  );
});
