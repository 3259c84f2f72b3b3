// Checks what biome cannot: names of folders, opening comments, tests that mirror src, a rule for every
// folder. Which folder may import which, what the core must not touch, cycles and file names are rules of
// biome.json, which `npm run lint` enforces; here these rules are given violations, so that none can get lost
// unnoticed.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from './support/folder.ts';
import { phrases, words } from './support/words.ts';

interface Source {
  /** Relative to src, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** Written by the FlatBuffers compiler, in its own style. */
const GENERATED = 'loader/generated/';
/**
 * Folders of tests without a single source: whole runs of the program, by request or in a browser, and the
 * benches, which are in bench/.
 */
const UNMIRRORED_FOLDERS = ['e2e/', 'bench/', 'browser/', 'deploy/'];
/** Test files without a source file of the same name, and why. */
const UNMIRRORED: { readonly [path: string]: string } = {
  'http/callers/rate-limit-threads.test.ts':
    'http/callers/rate-limit.ts in real threads: the file is also the thread that it starts',
};

const root = fileURLToPath(new URL('..', import.meta.url));

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true })
    .map((name) => String(name).split(sep).join('/'))
    .filter((name) => /\.tsx?$/.test(name) && !name.includes('node_modules/'))
    .sort();
}

function sourcesBelow(folder: string): readonly Source[] {
  return filesBelow(folder).map((path) => ({ path, text: readFileSync(join(root, folder, path), 'utf8') }));
}

const sources = sourcesBelow('src');
const sourcePaths = sources.map((source) => source.path);
const testPaths = filesBelow('test');

function source(path: string, ...lines: string[]): Source {
  return { path, text: lines.join('\n') };
}

/** The parts of biome's report that are read here. */
interface Report {
  readonly diagnostics: readonly {
    readonly category: string;
    readonly message: string;
    readonly location: { readonly path: string; readonly start: { readonly line: number } };
  }[];
}

/** The rules that this file is about; the sample sources break some others. */
const RULES: readonly string[] = words(`
  noCommonJs noDefaultExport noImportCycles noNodejsModules noRestrictedGlobals noRestrictedImports plugin
  useFilenamingConvention
`);

/** What biome reports for sample sources under the rules of this project, as `path:line rule`, sorted. */
function lint(t: TestContext, offenders: readonly Source[]): string[] {
  const folder = temporaryFolder(t);
  for (const path of ['biome.json', '.gitignore', 'scripts/lint']) {
    cpSync(join(root, path), join(folder, path), { recursive: true });
  }
  for (const { path, text } of offenders) {
    const file = join(folder, 'src', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules/@biomejs/biome/bin/biome'),
      ...['lint', '--reporter=json', '--max-diagnostics=none', 'src'],
    ],
    { cwd: folder, encoding: 'utf8' },
  );
  assert.ok(stdout.startsWith('{'), stderr);
  const { diagnostics } = JSON.parse(stdout) as Report;
  return diagnostics
    .map(({ category, location }) => ({ rule: category.split('/').at(-1) ?? '', location }))
    .filter(({ rule }) => RULES.includes(rule))
    .map(({ rule, location }) => `${location.path.replace(/^src\//, '')}:${location.start.line} ${rule}`)
    .sort();
}

test('the linter enforces which folder may import which, in every form of import', (t) => {
  const offender = source(
    'index/a.ts',
    "import { b } from '../loader/b.ts';",
    "import type { C } from '../http/c.ts';",
    "export * from '../compiler/d.ts';",
    "export const e = await import('../cli/e.ts');",
    "export const f: import('./f.ts').F = require('./g.ts');",
    "import { readFileSync } from 'node:fs';",
    "import { h } from './deep/h.ts';",
    "export { i } from '../access/i.ts';",
    "import uws from 'uWebSockets.js';",
    "export const j = await import('uws-pack');",
    'export { b, type C, readFileSync, h, uws };',
  );
  assert.deepEqual(lint(t, [offender]), [
    ...[1, 10, 2, 3, 4].map((line) => `index/a.ts:${line} noRestrictedImports`),
    'index/a.ts:5 noCommonJs',
    'index/a.ts:5 plugin',
    'index/a.ts:6 noNodejsModules',
    ...[8, 9].map((line) => `index/a.ts:${line} noRestrictedImports`),
  ]);
});

test('the linter keeps clock, randomness, I/O and Node types out of the core, and only out of the core', (t) => {
  const offenders = [
    source('index/a.ts', 'export const now = new Date();'),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source text, read and not run
    source('index/versions/b.ts', 'export const text = `${Math.random()}`;', 'process.exit();'),
    source(
      'index/c.ts',
      'export function f(bytes: Buffer): void {',
      '  console.log(bytes, globalThis);',
      '}',
    ),
    source('index/d.ts', "// Date, Buffer\nexport const DateParts = 'process' + Math.max(1, 2);"),
    source('http/e.ts', 'console.log(Date.now(), Math.random(), Buffer.from(""), process.pid);'),
  ];
  assert.deepEqual(
    lint(t, offenders),
    phrases(`
      index/a.ts:1 noRestrictedGlobals | index/c.ts:1 noRestrictedGlobals | index/c.ts:2 noRestrictedGlobals |
      index/c.ts:2 noRestrictedGlobals | index/versions/b.ts:1 plugin |
      index/versions/b.ts:2 noRestrictedGlobals
    `),
  );
});

test('the linter finds cycles, including type imports, default exports and file names that are not kebab-case', (t) => {
  const offenders = [
    source('index/a.ts', "import { b } from './b.ts';\nimport { d } from './d.ts';\nexport const a = b + d;"),
    source('index/b.ts', "import type { C } from './deep/c.ts';\nexport const b: C = 1;"),
    source('index/deep/c.ts', "export { a } from '../a.ts';\nexport type C = number;"),
    source('index/d.ts', 'export const d = 1;'),
    source('http/e.ts', 'export default function e() {}'),
    source('http/f.ts', 'const f = 1;', 'export { f as default };'),
    source('http/idList.ts', 'export const i = 1;'),
    source('http/a-b2.test.ts', 'export const i = 1;'),
  ];
  assert.deepEqual(
    lint(t, offenders),
    phrases(`
      http/e.ts:1 noDefaultExport | http/f.ts:2 noDefaultExport | http/idList.ts:0 useFilenamingConvention |
      index/a.ts:1 noImportCycles | index/b.ts:1 noImportCycles | index/deep/c.ts:1 noImportCycles
    `),
  );
});

/** What a folder, or a file with a rule of its own, may import beside its own folder. */
const MAY_IMPORT: Readonly<Record<string, string>> = {
  index: '',
  access: '',
  files: '',
  download: '',
  generator: '',
  inventory: 'index/platforms.ts index/product-type.ts index/parse-purl.ts',
  fleet: 'files download',
  loader: 'index',
  compare: 'index loader',
  http: 'index access',
  'http/transport/uws.ts': 'index access uWebSockets.js uws-pack',
  'http/transport/native.ts': 'index access uWebSockets.js uws-pack',
  compiler: 'index files loader/format.ts loader/generated',
  importers: 'index files download compiler/advisory.ts compiler/packed-advisory.ts access/instant.ts',
  cli: 'index access files download fleet generator inventory loader compare compiler importers',
  dialects: 'index http',
  'dialects/toy': 'index http',
  serve: 'index access loader compare http dialects fleet',
  console: 'inventory index/product-type.ts dialects/operations/document.ts',
};

test('the linter lets each folder of src import what this table says, and nothing else', (t) => {
  const folders = [
    ...new Set(sourcePaths.filter((path) => path.includes('/')).map((path) => path.split('/')[0])),
  ];
  const importers = Object.keys(MAY_IMPORT);
  assert.deepEqual(folders.toSorted(), importers.filter((name) => !name.includes('/')).sort());
  const inside = folders.map((folder) => `${folder}/b.ts`);
  const parts = Object.values(MAY_IMPORT)
    .flatMap(words)
    .filter((name) => name.includes('/'));
  const files = parts.map((name) => (name.endsWith('.ts') ? name : `${name}/b.ts`));
  const outside = words('cli.ts main.ts ../package.json ../test/b.ts ../bench/b.ts ../scripts/b.ts');
  const targets = [...new Set([...inside, ...files, ...outside, ...words('uWebSockets.js uws-pack')])];
  const rows = [
    ...importers.map((name) => ({
      path: name.endsWith('.ts') ? name : `${name}/a.ts`,
      allowed: [...words(MAY_IMPORT[name]), name.split('/')[0]],
    })),
    ...['cli.ts', 'main.ts'].map((path) => ({ path, allowed: [...folders, ...outside] })),
  ];
  const offenders = rows.map(({ path }) => {
    const up = path.includes('/') ? '../'.repeat(path.split('/').length - 1) : './';
    return source(path, ...targets.map((name) => `import '${/^u(ws|WebS)/.test(name) ? name : up + name}';`));
  });
  const refused = rows.flatMap(({ path, allowed }) =>
    targets
      .filter((target) => !allowed.some((name) => target === name || target.startsWith(`${name}/`)))
      .map((target) => `${path} imports ${target}: noRestrictedImports`),
  );
  const found = lint(t, offenders)
    .filter((text) => !text.endsWith('noImportCycles')) // the two entries import one another here
    .map((text) => text.replace(/:(\d+)/, (_, line) => ` imports ${targets[line - 1]}:`));
  assert.deepEqual(found.sort(), refused.sort());
});

function badNames(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    const folders = path.split('/').slice(0, -1);
    const wrong = folders.filter((part) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(part));
    return [
      ...wrong.map((part) => `${path}: ${part} is not kebab-case`),
      ...(/(^|\/)utils?\.ts$/.test(path) ? [`${path} does not say what it owns`] : []),
    ];
  });
}

test('folders are kebab-case, and no file is named utils', () => {
  assert.deepEqual(badNames(['http/Handlers/all.ts', 'index/utils.ts', 'http/a-b2.test.ts']), [
    'http/Handlers/all.ts: Handlers is not kebab-case',
    'index/utils.ts does not say what it owns',
  ]);
  assert.deepEqual(badNames([...sourcePaths, ...testPaths]), []);
});

function missingOpenings(sources: readonly Source[]): string[] {
  return sources
    .filter((source) => !source.path.startsWith(GENERATED))
    .filter((source) => !/^(#![^\n]*\n)?(\/\/ ?\S|\/\*)/.test(source.text))
    .map((source) => `${source.path} does not open with a comment`);
}

test('every source file opens with a comment', () => {
  const offenders = [
    source('index/a.ts', "import './b.ts';", '// Too late.'),
    source('index/b.ts', ''),
    source('index/c.ts', '//', 'const c = 1;'),
    source('index/d.ts', '// Owns d.'),
    source('cli.ts', '#!/usr/bin/env node', '// The entry.'),
    source('loader/generated/e.ts', 'export const e = 1;'),
  ];
  assert.deepEqual(missingOpenings(offenders), [
    'index/a.ts does not open with a comment',
    'index/b.ts does not open with a comment',
    'index/c.ts does not open with a comment',
  ]);
  assert.ok(sources.length > 0);
  assert.deepEqual(missingOpenings(sources), []);
});

const COMMENT_COLUMNS = 110;

/** A drawing is indented, and an order to the linter is one line. */
function wideComments(sources: readonly Source[]): string[] {
  return sources.flatMap(({ path, text }) =>
    text
      .split('\n')
      .filter(
        (line) => line.length > COMMENT_COLUMNS && /^ *(\/\/ |\/\*\* |\* )(?! |biome-ignore)/.test(line),
      )
      .map((line) => `${path}: ${line.trim()}`),
  );
}

test(`comments have at most ${COMMENT_COLUMNS} columns, as code has`, () => {
  const sentence = 'word '.repeat(22).trim();
  const offenders = [
    source(
      'a.ts',
      `// ${sentence}`,
      `//   ${sentence}`,
      `// biome-ignore lint/x: ${sentence}`,
      `const a = '${sentence}'`,
    ),
    source('b.ts', `  /** ${sentence} */`, `   * ${sentence}`, '// Short.'),
  ];
  assert.deepEqual(wideComments(offenders), [
    `a.ts: // ${sentence}`,
    `b.ts: /** ${sentence} */`,
    `b.ts: * ${sentence}`,
  ]);
  assert.deepEqual(wideComments(['src', 'test', 'bench', 'scripts'].flatMap(sourcesBelow)), []);
});

/** Test paths are relative to test, source paths to src. */
function unmirroredTests(tests: readonly string[], sources: readonly string[]): string[] {
  return tests
    .filter((path) => path.endsWith('.test.ts') && path.includes('/'))
    .filter((path) => !UNMIRRORED_FOLDERS.some((folder) => path.startsWith(folder)))
    .filter((path) => UNMIRRORED[path] === undefined)
    .filter((path) => !sources.includes(path.replace(/\.test\.ts$/, '.ts')))
    .map((path) => `test/${path} has no src/${path.replace(/\.test\.ts$/, '.ts')}`);
}

test('a test mirrors the path of its source', () => {
  assert.deepEqual(
    unmirroredTests(
      words(`
        index/a.test.ts index/b.test.ts e2e/swap.test.ts bench/b.test.ts tidy.test.ts
        support/serving/server.ts
      `),
      ['index/a.ts', 'http/b.ts'],
    ),
    ['test/index/b.test.ts has no src/index/b.ts'],
  );
  assert.deepEqual(unmirroredTests(testPaths, sourcePaths), []);
});

/**
 * Calls and imports of timers, and clocks that are replaced. What a mock of node:test replaces is named in
 * quotes.
 */
const WAITS: readonly RegExp[] = [
  /\b(?:setTimeout|setInterval|sleep|delay)\(/,
  /['"](?:node:)?timers(?:\/promises)?['"]/,
  /\bAtomics\.wait\([^()]*(?:\([^()]*\)[^()]*)*,[^,()]*,[^,()]*,[^,()]*\)/,
  /\b(?:Date|performance)\.now\s*=(?!=)/,
];
/** A turn of the event loop is no time. */
const TURN = /import \{ setImmediate as \w+ \} from 'node:timers\/promises';/;

/** Paths are relative to test. */
function waits(tests: readonly Source[]): string[] {
  return tests.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, i) =>
        !TURN.test(line) && WAITS.some((wait) => wait.test(line))
          ? [`test/${path}:${i + 1} waits for time`]
          : [],
      ),
  );
}

test('no test waits for time: until() of support waits, and clocks and timers are injected or mocked', () => {
  const offender = source(
    'index/a.test.ts',
    "import { setTimeout as pause } from 'node:timers/promises';",
    "import { setImmediate as turn } from 'node:timers/promises';",
    'await new Promise((resolve) => setTimeout(resolve, 5));',
    'const timer = setInterval(look, 5);',
    'await sleep(500);',
    'await delay(50);',
    'Date.now = () => 1;',
    'performance.now = () => 1;',
    'if (performance.now() === Date.now()) throw new Error();',
    "t.mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] });",
    "t.mock.method(performance, 'now', () => 1);",
    'Atomics.wait(ready, 0, 0, 100);',
    'Atomics.wait(ready, 0, Atomics.load(ready, 0));',
    "const { setTimeout: wait } = await import('node:timers/promises');",
    "await until('the end', () => isOver);",
  );
  assert.deepEqual(
    waits([offender]),
    [1, 3, 4, 5, 6, 7, 8, 12, 14].map((line) => `test/index/a.test.ts:${line} waits for time`),
  );
  const tests = testPaths
    .filter((path) => path.endsWith('.test.ts') && path !== 'tidy.test.ts')
    .map((path) => ({ path, text: readFileSync(join(root, 'test', path), 'utf8') }));
  assert.ok(tests.length > 0);
  assert.deepEqual(waits(tests), []);
});
