import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dump, FAILSAFE_SCHEMA, loadAll } from 'js-yaml';
import { parseYaml } from '../../src/inventory/yaml.ts';

/** Of random texts. */
const RUNS = Number(process.env.VULNDEX_TEST_YAML_RUNS ?? 500);

/** What the library that reads all of YAML makes of it. */
const slowly = (text: string): unknown[] => loadAll(text, { schema: FAILSAFE_SCHEMA, maxAliases: 0 });

/** Without empty documents, and with lines of a text joined in one way: neither matters to a reader. */
function essence(documents: readonly unknown[]): unknown {
  const full = documents.filter((document) => document !== '');
  return JSON.parse(JSON.stringify(full).replace(/(?:\\[nrt]|[^\S ])+ ?| {2,}/g, ' '));
}

test('scalars are text, whatever they look like', () => {
  assert.deepEqual(parseYaml('a: 1.10\nb: true\nc: null\nd: 2026-01-01\n"e": \'x\'\nf: {g: [1, 2]}\nh:\n'), [
    { a: '1.10', b: 'true', c: 'null', d: '2026-01-01', e: 'x', f: { g: ['1', '2'] }, h: '' },
  ]);
});

test('all notations of lockfiles are read as the library reads them', () => {
  const texts = [
    'a: 1\nb:\n  c: 2\n  d:\n    e: 3\nf: 4\n',
    "lockfileVersion: '9.0'\n\nsettings:\n  autoInstallPeers: true # comment\n\n# comment\nimporters:\n\n  .: {}\n",
    '/a@1.0.0(b@2.0.0):\n  resolution: {integrity: sha512-ab+/==, tarball: https://host.example/a.tgz#x}\n  cpu: [x64, "!arm"]\n',
    '? /long@1.0.0(some@1.0.0)\n: dev: false\n  x: 1\n? "quoted: key"\n:\n  y: 2\nz: 3\n',
    'list:\n  - a\n  - b: 1\n    c: 2\n  -\n    d: 3\n  - - e\n    - f\nnext: 1\n',
    'list:\n- a\n- b: 1\n  c: 2\nnext: 1\n',
    '- a\n- b\n',
    '"a@npm:^1, a@npm:^2":\n  version: 1.0.0\n  "b": \'it\'\'s\'\n',
    'a: "x\\ny\\t\\u00e4\\x41\\U0001f600\\"\\\\"\n',
    'a: plain: no\n'.replace(': no', '#no'),
    'a: one\n  two\n  three # comment\nb: 1\n',
    'a: "one\n  two"\nb: \'x\n\n  y\'\nc: 1\n'.replace('\n\n', '\n'),
    'a: "one \\\n  \\ two\\\\\n  three\\n"\nb: 1\n',
    'a:\r\n  b: 1\r\n  c: "x"\r\nd: [1,\r\n  2]\r\n',
    'a: {b: 1, c: {d: [e, f]}, "g": h, i: , j}\n',
    'a: {\n  b: 1, # comment\n  c: 2\n  }\nd: []\ne: {}\n',
    '{"a": {"b": [1, "x"]}, "c":"d", "e":[]}',
    '---\na: 1\n---\nb: 2\n...\n---\nc: 3\n',
    'a: http://host.example/x?y#z\nb: a:b\nc: -1\nd: ?x\n-e: 1\n',
    'git@host.example+a/b/0123:\n  x: 1\n',
    'key with spaces: value with spaces\n',
    'a:\n\n\n  b: 1\n   \n',
    'a:\n  b: 1\n\t',
    'text',
    '',
  ];
  for (const text of texts) assert.deepEqual(parseYaml(text), slowly(text || '# '), text);
});

test('what the library writes is read as it was', () => {
  const scalar = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.string({ unit: 'binary', maxLength: 6 }),
    fc
      .array(fc.constantFrom(...' :#-?,[]{}"\'\\&*!|>%@`ab1.\n\t/~='), { maxLength: 8 })
      .map((chars) => chars.join('')),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      scalar,
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(scalar, tie('value'), { maxKeys: 4 }),
    ),
  }));
  const options = fc.record({
    lineWidth: fc.constantFrom(-1, 80, 1_000),
    flowLevel: fc.constantFrom(-1, 1, 2),
    forceQuotes: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.dictionary(scalar, value, { maxKeys: 4 }), options, (written, how) => {
      const text = dump(written, how);
      let read: readonly unknown[];
      try {
        read = parseYaml(text);
      } catch (error) {
        // Refused, not misread: block scalars may not be keys, and rare escapes are not read.
        assert.equal((error as Error).name, 'Refusal', String(error));
        return;
      }
      if (!/[|>][-+\d]*$/m.test(text)) assert.deepEqual(read, slowly(text), text);
    }),
    { numRuns: RUNS },
  );
});

test('what is read of random text is what the library reads', () => {
  const pieces = [
    'a',
    'b: ',
    ': ',
    ':',
    '- ',
    '-',
    '  ',
    '\n',
    '\n  ',
    '"',
    "'",
    '{',
    '}',
    '[',
    ']',
    ', ',
    '#',
    ' #',
    '? ',
    '---\n',
    '1',
    '\t',
    '\r\n',
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 14 }), (parts) => {
      const text = parts.join('');
      if (/^[ \t]+(?:---|\.\.\.)/m.test(text)) return; // text by the rules of YAML, but not to the library
      let read: readonly unknown[];
      try {
        read = parseYaml(text);
      } catch (error) {
        assert.equal((error as Error).name, 'Refusal', String(error));
        return;
      }
      let expected: readonly unknown[];
      try {
        expected = slowly(text);
      } catch {
        return; // read here although it is not YAML: lenient, which does no harm
      }
      assert.deepEqual(essence(read), essence(expected), JSON.stringify(text));
    }),
    { numRuns: RUNS },
  );
});

test('aliases are refused: nine lines of them can stand for billions', () => {
  const lines = ['a0: &a0 [x, x]'];
  for (let i = 1; i < 30; i++) lines.push(`a${i}: &a${i} [*a${i - 1}, *a${i - 1}]`);
  assert.throws(() => parseYaml(lines.join('\n')), {
    name: 'Refusal',
    message: /an anchor or alias.* at line 1, column 5/,
  });
  assert.throws(() => parseYaml('a: [*x]'), { name: 'Refusal', message: /alias.* at line 1, column 5/ });
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
    '%YAML 1.2\n---\na: 1',
    '[[a]: 1]',
    '<<: *x',
  ];
  for (const text of texts) {
    assert.throws(() => parseYaml(text), { name: 'Refusal', message: /at line \d+, column \d+/ }, text);
  }
});

test('deep nesting is refused, and names of JavaScript objects are names', () => {
  for (const text of ['['.repeat(100_000), '- '.repeat(100_000), '{a: '.repeat(100_000)]) {
    assert.throws(() => parseYaml(text), { name: 'Refusal', message: /more than 100 levels/ });
  }
  const [value] = parseYaml('__proto__:\n  a: 1\nconstructor: 2\nx: {__proto__: 3}\n');
  assert.deepEqual(Object.keys(value as object), ['__proto__', 'constructor', 'x']);
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
});

test('a quoted text is read in one pass over its blanks: a square of them would take minutes', () => {
  const text = `x${' '.repeat(800_000)}y`;
  for (const quote of ['"', "'"]) assert.deepEqual(parseYaml(`a: ${quote}${text}${quote}`), [{ a: text }]);
});
