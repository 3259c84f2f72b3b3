import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dump, FAILSAFE_SCHEMA, loadAll } from 'js-yaml';
import { parseYaml } from '../../../src/console/inventory/yaml.ts';
import { printedSeed } from '../../support/seed.ts';

/** Without prototypes, for comparisons. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** How package managers write, and some other ways. */
const STYLES = [
  { lineWidth: -1 },
  { lineWidth: -1, noArrayIndent: true },
  { lineWidth: -1, flowLevel: 1 },
  { lineWidth: -1, flowLevel: 2 },
  { lineWidth: -1, forceQuotes: true },
  { lineWidth: -1, forceQuotes: true, quotingType: '"' },
  { lineWidth: 60 },
] as const;

const TEXTS = [
  ...['a\nb\n', '\n', '  x\ny', 'a\n\n  b\nc\n\n', 'a: b', '# c', '- d', '? k', ': ', 'a:b', ':', '|', '>-'],
  ...[
    '1.10',
    '__proto__',
    "it's",
    'x #y',
    '{a}',
    '[',
    '---',
    '...',
    '*a',
    '&a',
    '!a',
    ' lead',
    'trail ',
    '\t',
  ],
  ...['@scope/name@npm:^1.0.0, b@npm:2', '/a@1.0.0(b@2.0.0)', 'k'.repeat(1_100), '\u00a0', 'é', '💥'],
];

test('what js-yaml writes is read as js-yaml reads it, or refused', (t) => {
  const text = fc.oneof(fc.constantFrom(...TEXTS), fc.string(), fc.string({ unit: 'grapheme' }));
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      text,
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(text, tie('value'), { maxKeys: 4 }),
    ),
  }));
  const document = fc.dictionary(text, value, { minKeys: 1, maxKeys: 5 });
  let read = 0;
  let refused = 0;
  fc.assert(
    fc.property(document, fc.constantFrom(...STYLES), (members, style) => {
      const written = dump(members, { ...style, noRefs: true, schema: FAILSAFE_SCHEMA });
      let expected: unknown;
      try {
        expected = loadAll(written, { schema: FAILSAFE_SCHEMA });
      } catch {
        return; // it cannot read some texts that it writes
      }
      let got: unknown;
      try {
        got = parseYaml(written);
      } catch (error) {
        assert.equal((error as Error).name, 'Refusal', String(error));
        refused++;
        return;
      }
      read++;
      assert.deepEqual(plain(got), plain(expected), written);
    }),
    { numRuns: 400, seed: printedSeed(t) },
  );
  assert.ok(read > 4 * refused, `${read} were read, ${refused} refused`);
});

test('scalars are text, whatever they look like', () => {
  assert.deepEqual(
    plain(parseYaml('a: 1.10\nb: true\nc: null\nd: 2026-01-01\n"e": \'x\'\nf: {g: [1, 2]}\nh:\n')),
    [{ a: '1.10', b: 'true', c: 'null', d: '2026-01-01', e: 'x', f: { g: ['1', '2'] }, h: '' }],
  );
});

test('documents, comments, long keys, block scalars and lists as deep as their key are read', () => {
  const text = [
    ...[
      '%YAML 1.2',
      '---',
      '# tools',
      'lockfileVersion: 9.0 # new',
      '---',
      'list:',
      '- a: 1',
      '  b: 2',
      '- - c',
    ],
    ...[
      '? long key',
      ': {d: e}',
      'text: |-',
      '  one',
      '',
      '    two',
      'folded: >',
      '  one',
      '  two',
      'end: x',
      '  y',
      '...',
    ],
  ];
  assert.deepEqual(plain(parseYaml(text.slice(1).join('\r\n'))), [
    { lockfileVersion: '9.0' },
    {
      list: [{ a: '1', b: '2' }, ['c']],
      'long key': { d: 'e' },
      text: 'one\n\n  two',
      folded: 'one two\n',
      end: 'x y',
    },
  ]);
  assert.throws(() => parseYaml(text.join('\n')), { name: 'Refusal', message: /line 1 / });
});

test('aliases are refused: nine lines of them can stand for billions', () => {
  const lines = ['a0: &a0 [x, x]'];
  for (let i = 1; i < 30; i++) lines.push(`a${i}: &a${i} [*a${i - 1}, *a${i - 1}]`);
  assert.throws(() => parseYaml(lines.join('\n')), { name: 'Refusal', message: /line 1 .*an alias/ });
  assert.throws(() => parseYaml('a: b\nc:\n  <<: *a\n'), { name: 'Refusal', message: /line 3 / });
});

test('text that is not YAML, or not that of a lockfile, is refused with its line', () => {
  for (const text of [
    'a: [1, 2',
    'a: 1\na: 2',
    'a: {b: 1, b: 2}',
    'a: b: c',
    'a: b\n c: d',
    'a:\n  b: 1\n c: 2',
    '\ta: 1',
    'a: !!js/function "x"',
    '? [a]\n: 1',
    '? a\nb: 1',
    'a: "\\q"',
    'a: "b',
    "a: 'b' c",
    'a: {b: c} d',
    'a: {b: ]}',
    'a: |9x\n  b',
  ]) {
    assert.throws(() => parseYaml(text), { name: 'Refusal', message: /line \d+ / }, text);
  }
  assert.deepEqual(parseYaml(''), []);
});

test('deep nesting is refused, and names of JavaScript objects are names', () => {
  for (const deep of ['['.repeat(100_000), '- '.repeat(100_000), `${'{a: '.repeat(50_000)}b`]) {
    assert.throws(() => parseYaml(deep), { name: 'Refusal' });
  }
  const [value] = parseYaml('__proto__:\n  a: 1\nconstructor: 2\n');
  assert.deepEqual(Object.keys(value as object), ['__proto__', 'constructor']);
  assert.equal(Object.getPrototypeOf(value), null);
});
