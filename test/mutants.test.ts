// scripts/mutants.ts on small projects of its own: where it puts faults, what it says of them, and what it
// leaves behind.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { draw, findFaults, KINDS } from '../scripts/mutants/faults.ts';
import { temporaryFolder } from './support/folder.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const OPENING = `import assert from 'node:assert/strict';\nimport { test } from 'node:test';\n`;

/** A folder with these files of src and test and what every project has. */
function project(t: TestContext, texts: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder(t);
  const compilerOptions = { module: 'nodenext', types: ['node'], strict: true, skipLibCheck: true };
  const all = {
    ...texts,
    'package.json': '{ "type": "module" }',
    'tsconfig.json': JSON.stringify({
      compilerOptions: { ...compilerOptions, allowImportingTsExtensions: true, noEmit: true },
      include: ['src', 'test'],
    }),
    'tsconfig.build.json': '{ "extends": "./tsconfig.json", "compilerOptions": {} }',
  };
  for (const name of ['src', 'test']) mkdirSync(join(folder, name));
  for (const [name, text] of Object.entries(all)) writeFileSync(join(folder, name), text);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

function start(folder: string, temporary: string, words: readonly string[], env: NodeJS.ProcessEnv = {}) {
  return spawn(process.execPath, ['--import', 'tsx', join(ROOT, 'scripts/mutants.ts'), ...words], {
    cwd: folder,
    env: { ...process.env, TMPDIR: temporary, ...env },
  });
}

async function finish(folder: string, temporary: string, words: readonly string[]) {
  const child = start(folder, temporary, words);
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (text) => (stdout += text));
  child.stderr.on('data', (text) => (stderr += text));
  const [status] = await once(child, 'close');
  return { status, stdout, stderr };
}

const mutantsIn = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('mutants-'));

test('faults stand where something is decided, not in texts, comments, types and asserts', (t) => {
  const folder = project(t, {
    'src/all.ts': [
      "import assert from 'node:assert/strict';",
      '// “é” < 1: positions are those of characters',
      "export type Text<T> = T extends string ? 'a < b' : never;",
      'export function decide(a: number, b: number): number {',
      "  assert(a !== b, 'a - b');",
      '  if (a >= b) return b - a;',
      '  const half = Math.min(a + 1, b);',
      '  return a === half || b > 2 ? decide(a, b) : -1;',
      '}',
    ].join('\n'),
    'src/unreached.tsx': 'export const isSo = 1 < Number(2);',
  });
  const faults = findFaults(folder, ['src/all.ts']);
  assert.deepEqual(
    faults.map(({ kind, line, before, after }) => `${line} ${kind}: ${before} -> ${after}`),
    [
      '6 skipped check: if (a >= b) return b - a; -> if (false && (a >= b)) return b - a;',
      '6 flipped comparison: a >= b -> a > b',
      '6 swapped operand: b - a -> (a) - (b)',
      '7 dropped bound: Math.min(a + 1, b) -> a + 1',
      '7 dropped bound: Math.min(a + 1, b) -> b',
      '7 dropped bound: a + 1 -> a',
      '8 swapped operand: a === half || b > 2 ? decide(a, b) : -1 -> a === half || b > 2 ? -1 : decide(a, b)',
      '8 dropped bound: a === half || b > 2 -> a === half',
      '8 skipped check: a === half || b > 2 -> b > 2',
      '8 flipped comparison: a === half -> a !== half',
      '8 flipped comparison: b > 2 -> b >= 2',
      '8 swapped operand: decide(a, b) -> decide(b, a)',
    ],
  );
  const text = readFileSync(join(folder, 'src/all.ts'), 'utf8');
  for (const { start, before } of faults) assert.equal(text.slice(start, start + before.length), before);
});

test('a seed draws the same faults again, of every kind, and each once', (t) => {
  const lines = Array.from({ length: 50 }, (_, i) => `if (a < ${i} && b > ${i}) a = b - c;\n`);
  const folder = project(t, { 'src/many.ts': `let [a, b, c] = [1, 2, 3];\n${lines.join('')}export {};` });
  const faults = findFaults(folder, ['src/many.ts']);
  const drawn = draw(faults, 40, 7);
  assert.deepEqual(draw(faults, 40, 7), drawn);
  assert.notDeepEqual(draw(faults, 40, 8), drawn);
  assert.equal(new Set(drawn).size, 40);
  for (const kind of KINDS) assert.ok(drawn.filter((fault) => fault.kind === kind).length > 4, kind);
  assert.equal(draw(faults, 1000, 7).length, faults.length);
});

test('a run says what became of each fault, and changes nothing outside its copy', async (t) => {
  const texts = {
    'src/limit.ts': [
      "import { isFar } from './inner.ts';",
      'export const isInside = (n: number, limit: number) => n < limit;',
      'export const isOutside = (n: number, limit: number) => n > limit;',
      'export const isAway = (n: number) => isFar(n);',
      'export function lengthOf(text?: string): number {',
      '  if (text === undefined) return 0;',
      '  return text.length;',
      '}',
    ].join('\n'),
    'src/inner.ts': 'export const isFar = (n: number) => n > 9;',
    'src/broken.ts': 'export const isBroken = (n: number) => n > 9;',
    'test/limit.test.ts': [
      OPENING,
      "import { isAway, isInside, isOutside, lengthOf } from '../src/limit.ts';",
      "test('limits', () => {",
      '  assert.deepEqual([isInside(1, 2), isInside(2, 2)], [true, false]);',
      '  assert.deepEqual([isOutside(3, 2), isOutside(1, 2)], [true, false]);',
      '  assert.deepEqual([isAway(9), isAway(10)], [false, true]);',
      "  assert.equal(lengthOf('abc'), 3);",
      '});',
    ].join('\n'),
    'test/broken.test.ts': `${OPENING}test('fails', () => assert.fail());`,
  };
  const [folder, temporary] = [project(t, texts), temporaryFolder(t)];
  const { status, stdout, stderr } = await finish(folder, temporary, ['--seed', '1', '--json', 'out.json']);
  assert.equal(status, 0, stderr);
  const { seed, results } = JSON.parse(readFileSync(join(folder, 'out.json'), 'utf8'));
  assert.equal(seed, 1);
  assert.deepEqual(
    results.map(
      ({ file, line, kind, outcome, tests }: Readonly<Record<string, string>>) =>
        `${file}:${line} ${kind} ${outcome} ${tests}`,
    ),
    [
      'src/broken.ts:1 flipped comparison not counted ',
      'src/inner.ts:1 flipped comparison killed test/limit.test.ts',
      'src/limit.ts:2 flipped comparison killed test/limit.test.ts',
      'src/limit.ts:3 flipped comparison survived test/limit.test.ts',
      'src/limit.ts:6 skipped check refused by the compiler test/limit.test.ts',
      'src/limit.ts:6 flipped comparison killed test/limit.test.ts',
    ],
  );
  assert.match(stderr, /left out: test\/broken.test.ts fails without a fault/);
  assert.ok(
    stdout.startsWith(
      'src/limit.ts:3 flipped comparison\n  - n > limit\n  + n >= limit\n  ran test/limit.test.ts',
    ),
    stdout,
  );
  for (const [name, text] of Object.entries(texts))
    assert.equal(readFileSync(join(folder, name), 'utf8'), text);
  assert.deepEqual(mutantsIn(temporary), []);
});

test('a run that is ended takes its tests and its folder along', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const folder = project(t, {
    'src/slow.ts': 'export const isSlow = (n: number) => n > 9;',
    'test/slow.test.ts':
      "import { connect } from 'node:net';\nconnect(Number(process.env.PORT), '127.0.0.1');",
  });
  const temporary = temporaryFolder(t);
  const child = start(folder, temporary, [], { PORT: String((server.address() as AddressInfo).port) });
  const [testFile] = await once(server, 'connection');
  assert.equal(mutantsIn(temporary).length, 1);
  child.kill('SIGTERM');
  testFile.on('error', () => {}).resume();
  const [[status]] = await Promise.all([once(child, 'close'), once(testFile, 'close')]);
  assert.equal(status, null);
  assert.deepEqual(mutantsIn(temporary), []);
});

test('wrong options are refused, and so is a part of a path with nothing to change', async (t) => {
  const folder = project(t, { 'src/types.ts': 'export type A = 1;' });
  const refusals: readonly (readonly [words: string[], message: RegExp])[] = [
    [['--count', '0'], /'--count <n>' argument '0' is invalid. A whole number from 1 to 999999999/],
    [['--files', 'types'], /no place for a fault in the files of src with 'types'/],
    [['--kind', 'x'], /unknown option '--kind'/],
  ];
  await Promise.all(
    refusals.map(async ([words, message]) => {
      const { status, stderr } = await finish(folder, temporaryFolder(t), words);
      assert.equal(status, 1);
      assert.match(stderr, message);
    }),
  );
});
