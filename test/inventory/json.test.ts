import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findJsonError, member, parseJson } from '../../src/inventory/json.ts';

test('the place of an error is its line and column', () => {
  const bad: readonly (readonly [string, RegExp])[] = [
    ['{"a": 1,\n "b": 2,\n}', /unexpected "}" at line 3, column 1/],
    ['{"a" 1}', /unexpected "1}" at line 1, column 6/],
    ["{'a': 1}", /unexpected "'a': 1}" at line 1, column 2/],
    ['[1, 2', /ends too early, at line 1, column 6/],
    ['{"a": "text', /ends too early, at line 1, column 12/],
    ['{"a": tru}', /unexpected "tru}" at line 1, column 7/],
    ['{"a": 1} x', /unexpected "x" at line 1, column 10/],
    ['{"a": "\\x"}', /unexpected "\\\\x\\"}" at line 1, column 8/],
    ['{"a": "one\ntwo"}', /unexpected .* at line 1, column 11/],
    ['[1,, 2]', /unexpected ", 2]" at line 1, column 4/],
    ['{"a": 01}', /unexpected "1}" at line 1, column 8/],
    ['', /ends too early, at line 1, column 1/],
  ];
  for (const [text, message] of bad) assert.throws(() => parseJson(text), { name: 'Refusal', message }, text);
});

test('a random cut or change of JSON is found at or before the place where it was made, or still is JSON', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), fc.string({ maxLength: 3 }), (text, where, put) => {
      const at = where % (text.length + 1);
      const changed = text.slice(0, at) + put;
      try {
        JSON.parse(changed);
      } catch {
        const found = findJsonError(changed);
        assert.ok(found >= 0 && found <= changed.length);
        // All before that place can be the beginning of JSON, so the engine's own place, where it has one, is
        // not before it.
        const engine = /at position (\d+)/.exec(messageOf(changed));
        if (engine !== null) assert.ok(Math.abs(found - Number(engine[1])) <= 6, `${changed}: ${found}`);
      }
    }),
    { numRuns: 500 },
  );
});

function messageOf(text: string): string {
  try {
    JSON.parse(text);
    return '';
  } catch (error) {
    return String(error);
  }
}

test('an error 100,000 levels deep is found', () => {
  const deep = '['.repeat(100_000);
  assert.equal(findJsonError(`${deep}x`), 100_000);
  assert.equal(findJsonError('{"a":'.repeat(100_000)), 500_000);
});

test('inherited members are not members', () => {
  assert.equal(member({}, 'constructor'), undefined);
  assert.equal(member({}, '__proto__'), undefined);
  assert.equal(member(JSON.parse('{"__proto__": 1}'), '__proto__'), 1);
  assert.equal(member(undefined, 'a'), undefined);
});
