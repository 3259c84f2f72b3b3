import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseYaml } from '../../../src/console/inventory/yaml.ts';

test('scalars are text, whatever they look like', () => {
  assert.deepEqual(parseYaml('a: 1.10\nb: true\nc: null\nd: 2026-01-01\n"e": \'x\'\nf: {g: [1, 2]}\nh:\n'), [
    { a: '1.10', b: 'true', c: 'null', d: '2026-01-01', e: 'x', f: { g: ['1', '2'] }, h: '' },
  ]);
});

test('aliases are refused: nine lines of them can stand for billions', () => {
  const lines = ['a0: &a0 [x, x]'];
  for (let i = 1; i < 30; i++) lines.push(`a${i}: &a${i} [*a${i - 1}, *a${i - 1}]`);
  assert.throws(() => parseYaml(lines.join('\n')), {
    name: 'Refusal',
    message: /alias.* at line 2, column 11/,
  });
  assert.throws(() => parseYaml('a: &a {b: 1}\nc:\n  <<: *a\n'), { name: 'Refusal' });
});

test('text that is not YAML is refused with its place', () => {
  for (const text of [
    'a: [1, 2',
    'a: 1\na: 2',
    'a: b: c',
    '\ta: 1',
    'a: !!js/function "x"',
    '? [a]\n: 1',
    'a: "\\q"',
  ]) {
    assert.throws(() => parseYaml(text), { name: 'Refusal', message: /at line \d+, column \d+/ }, text);
  }
  assert.deepEqual(parseYaml(''), []);
});

test('deep nesting is refused, and names of JavaScript objects are names', () => {
  assert.throws(() => parseYaml('['.repeat(100_000)), { name: 'Refusal' });
  const [value] = parseYaml('__proto__:\n  a: 1\nconstructor: 2\n');
  assert.deepEqual(Object.keys(value as object), ['__proto__', 'constructor']);
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
});
