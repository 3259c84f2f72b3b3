import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseYaml } from '../../src/inventory/yaml.ts';

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
    message: /aliases exceeded.* at line 2, column 11/,
  });
  assert.throws(() => parseYaml('a: [*x]'), { name: 'Refusal', message: /alias.* at line 1, column \d/ });
});

test('text that is not YAML, or not of a kind that is read, is refused with its place', () => {
  const texts = [
    'a: [1, 2',
    'a: {b: 1',
    'a: 1\na: 2',
    'a: {b: 1, b: 2}',
    'a: b: c',
    'a: !!js/function "x"',
    '? [a]\n: 1',
    'a: "\\q"',
    'a: "x',
    'a: 1\n b: 2',
    '  a: 1\nb: 2',
    'a:\n  - b\n c: 1',
    'a: "x" y',
    'a: [1] 2',
    'a: 1\ntext\n',
    '[[a]: 1]',
    '<<: *x',
  ];
  for (const text of texts) {
    assert.throws(() => parseYaml(text), { name: 'Refusal', message: /at line \d+, column \d+/ }, text);
  }
});

test('deep nesting is refused, and names of JavaScript objects are names', () => {
  for (const text of ['['.repeat(100_000), '- '.repeat(100_000), '{a: '.repeat(100_000)]) {
    assert.throws(() => parseYaml(text), { name: 'Refusal', message: /nesting exceeded/ });
  }
  const [value] = parseYaml('__proto__:\n  a: 1\nconstructor: 2\nx: {__proto__: 3}\n');
  assert.deepEqual(Object.keys(value as object), ['__proto__', 'constructor', 'x']);
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
});

test('a quoted text is read in one pass over its blanks: a square of them would take minutes', () => {
  const text = `x${' '.repeat(800_000)}y`;
  for (const quote of ['"', "'"]) assert.deepEqual(parseYaml(`a: ${quote}${text}${quote}`), [{ a: text }]);
});
