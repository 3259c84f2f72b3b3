// Holds the house's structure: which folder may import which, what the core must not touch, no cycles, file names,
// opening comments, tests that mirror src. It reads source text, never runs it. Formatting and style are biome's.
// Each rule takes sources and returns complaints, and is shown a made-up offender first, so that it can fail.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

interface Source {
  /** Relative to src, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** Folder -> what it may import besides itself; an entry that ends in a slash is a whole folder. */
const ARROWS: { readonly [folder: string]: readonly string[] } = {
  index: [],
  access: [],
  generator: [],
  loader: ['index/'],
  http: ['index/', 'access/'],
  compiler: ['index/', 'loader/format.ts', 'loader/generated/'],
  importers: ['index/', 'compiler/advisory.ts'],
  cli: ['index/', 'access/', 'generator/', 'loader/', 'compiler/', 'importers/'],
  serve: ['index/', 'access/', 'loader/', 'http/'],
};
/** The entry, which knows everybody and which nobody knows. */
const ENTRY = 'cli.ts';
/** Written by the FlatBuffers compiler, in its own style. */
const GENERATED = 'loader/generated/';
const NATIVE_FILES = ['http/server.ts', 'http/native.ts'];
/** Of tests that belong to no one source: whole runs of the program, and the benches, which lie in bench/. */
const UNMIRRORED_FOLDERS = ['e2e/', 'bench/'];
/** Test files without a source file of their name, and why. */
const UNMIRRORED: { readonly [path: string]: string } = {
  'http/rate-limit-threads.test.ts':
    'http/rate-limit.ts in real threads: the file is also the thread that it starts',
};

interface Skeleton {
  /** The code without comments, each string literal replaced by its number in quotes. */
  readonly code: string;
  readonly strings: readonly string[];
}

// After one of these a slash begins a regular expression; after anything else it divides.
const BEFORE_REGEX = /(?:^|[(,=:[!&|?{;+\-*%~^<>]|\b(?:return|typeof|case|in|of|void|delete|throw))\s*$/;

function skeletonOf(text: string): Skeleton {
  const strings: string[] = [];
  // Brace depths at which a template literal goes on after its `${}`.
  const templates: number[] = [];
  let code = '';
  let depth = 0;
  let at = 0;

  /** Moves past the literal's end; a backslash always takes the character after it along. */
  const skipTo = (end: RegExp): string => {
    const start = at;
    while (at < text.length && !end.test(text.slice(at, at + 2))) at += text[at] === '\\' ? 2 : 1;
    return text.slice(start, at);
  };
  const takeTemplate = (): void => {
    strings.push(skipTo(/^(?:`|\$\{)/));
    code += `'${strings.length - 1}'`;
    if (text[at] === '`') {
      at += 1;
    } else {
      templates.push(depth);
      depth += 1;
      at += 2;
      code += '+(';
    }
  };

  while (at < text.length) {
    const char = text[at];
    if (text.startsWith('//', at)) {
      skipTo(/^\n/);
    } else if (text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at + 2);
      at = end < 0 ? text.length : end + 2;
      code += ' ';
    } else if (char === "'" || char === '"') {
      at += 1;
      strings.push(skipTo(new RegExp(`^${char}`)));
      at += 1;
      code += `'${strings.length - 1}'`;
    } else if (char === '`') {
      at += 1;
      takeTemplate();
    } else if (char === '}' && templates.at(-1) === depth - 1) {
      templates.pop();
      depth -= 1;
      at += 1;
      code += ')+';
      takeTemplate();
    } else if (char === '/' && BEFORE_REGEX.test(code.slice(-40))) {
      at += 1;
      skipTo(/^[/[]/);
      // Inside a class a slash is a plain character.
      while (text[at] === '[') {
        skipTo(/^\]/);
        skipTo(/^[/[]/);
      }
      at += 1;
      code += '0';
    } else {
      if (char === '{') depth += 1;
      if (char === '}') depth -= 1;
      code += char;
      at += 1;
    }
  }
  return { code, strings };
}

/** Everything the source imports, re-exports or requires, types included, as written. */
function specifiersOf(source: Source): string[] {
  const { code, strings } = skeletonOf(source.text);
  const forms = [
    /\b(?:import|export)\b[^;']*?\bfrom\s*'(\d+)'/g,
    /\bimport\s*'(\d+)'/g,
    /\b(?:import|require)\s*\(\s*'(\d+)'/g,
  ];
  return forms.flatMap((form) => [...code.matchAll(form)].map((match) => strings[Number(match[1])]));
}

/** The files of ours that the source imports, relative to src; `../` at the front for what lies outside. */
function targetsOf(source: Source): string[] {
  return specifiersOf(source)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => posix.join(posix.dirname(source.path), specifier).replace(/\.js$/, '.ts'));
}

function wrongArrows(sources: readonly Source[]): string[] {
  return sources.flatMap((source) => {
    if (source.path === ENTRY) return [];
    const folder = source.path.split('/')[0];
    const allowed = ARROWS[folder];
    if (allowed === undefined) return [`${source.path}: no rule says what it may import`];
    return targetsOf(source)
      .filter((target) => !target.startsWith(`${folder}/`))
      .filter((target) => !allowed.some((to) => (to.endsWith('/') ? target.startsWith(to) : target === to)))
      .map((target) => `${source.path} must not import ${target}`);
  });
}

const IMPURE = /(?<![\w$.])(?:Date|console|process|Buffer)(?![\w$])|(?<![\w$.])Math\s*\.\s*random(?![\w$])/g;

function impureCore(sources: readonly Source[]): string[] {
  return sources
    .filter((source) => source.path.startsWith('index/'))
    .flatMap((source) => {
      const modules = specifiersOf(source).filter((specifier) => specifier.startsWith('node:'));
      const words = skeletonOf(source.text).code.match(IMPURE) ?? [];
      return [...modules, ...words].map((word) => `${source.path} must not use ${word}`);
    });
}

function strayNativeImports(sources: readonly Source[]): string[] {
  return sources
    .filter((source) => !NATIVE_FILES.includes(source.path))
    .filter((source) => specifiersOf(source).includes('uWebSockets.js'))
    .map((source) => `${source.path} must not import uWebSockets.js`);
}

/** Each cycle once, as the way round it; imports of types count, as they tie two files together all the same. */
function importCycles(sources: readonly Source[]): string[] {
  const edges = new Map(sources.map((source) => [source.path, targetsOf(source)]));
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) {
      cycles.push([...trail.slice(start), path].join(' -> '));
      return;
    }
    if (done.has(path)) return;
    for (const target of edges.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) visit(path, []);
  return cycles;
}

function defaultExports(sources: readonly Source[]): string[] {
  return sources
    .filter((source) => /\bexport\s+default\b|\bas\s+default\b/.test(skeletonOf(source.text).code))
    .map((source) => `${source.path} has a default export`);
}

function badNames(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    const wrong = path
      .split('/')
      .filter((part) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.test|\.soak|\.d)?(\.ts)?$/.test(part));
    return [
      ...wrong.map((part) => `${path}: ${part} is not kebab-case`),
      ...(/(^|\/)utils?\.ts$/.test(path) ? [`${path} does not say what it owns`] : []),
    ];
  });
}

function missingOpenings(sources: readonly Source[]): string[] {
  return sources
    .filter((source) => !source.path.startsWith(GENERATED))
    .filter((source) => !/^(#![^\n]*\n)?(\/\/ ?\S|\/\*)/.test(source.text))
    .map((source) => `${source.path} does not open with a comment`);
}

/** Paths of tests are relative to test, those of sources to src. */
function unmirroredTests(tests: readonly string[], sources: readonly string[]): string[] {
  return tests
    .filter((path) => path.endsWith('.test.ts') && path.includes('/'))
    .filter((path) => !UNMIRRORED_FOLDERS.some((folder) => path.startsWith(folder)))
    .filter((path) => UNMIRRORED[path] === undefined)
    .filter((path) => !sources.includes(path.replace(/\.test\.ts$/, '.ts')))
    .map((path) => `test/${path} has no src/${path.replace(/\.test\.ts$/, '.ts')}`);
}

const root = fileURLToPath(new URL('..', import.meta.url));

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true })
    .map((name) => String(name).split(sep).join('/'))
    .filter((name) => name.endsWith('.ts'))
    .sort();
}

const sources: readonly Source[] = filesBelow('src').map((path) => ({
  path,
  text: readFileSync(join(root, 'src', path), 'utf8'),
}));
const sourcePaths = sources.map((source) => source.path);
const testPaths = filesBelow('test');

function source(path: string, ...lines: string[]): Source {
  return { path, text: lines.join('\n') };
}

test('the reader finds every form of import and is not fooled by comments, strings and patterns', () => {
  const sample = source(
    'http/a.ts',
    '// import { no } from "./comment.ts"',
    '/* import "./block.ts" */',
    "import { type A, b } from './one.ts';",
    'import * as c',
    "  from './two.ts';",
    "import './three.ts';",
    "export * from './four.ts';",
    "const d = await import('./five.ts');",
    "const e: import('./six.ts').E = require('./seven.ts');",
    "const f = \"import g from './string.ts'\", h = 'it\\'s // no comment';",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source text, read and not run
    "const i = /['\"/]\\/[/']/.test(f) ? 1 / 2 : `import '${Date.now() + `${c}'`}' from './template.ts'`;",
    "import { j } from './eight.ts';",
  );
  assert.deepEqual(specifiersOf(sample).sort(), [
    './eight.ts',
    './five.ts',
    './four.ts',
    './one.ts',
    './seven.ts',
    './six.ts',
    './three.ts',
    './two.ts',
  ]);
  assert.match(skeletonOf(sample.text).code, /Date\.now/);
});

test('the reader keeps its place in every source: it finds what a plain search for lines finds', () => {
  for (const { path, text } of sources) {
    const lines = [...text.matchAll(/^(?:import|export|\}).* from '([^']+)';$/gm)].map((match) => match[1]);
    const found = specifiersOf({ path, text });
    assert.deepEqual(
      lines.filter((specifier) => !found.includes(specifier)),
      [],
      path,
    );
  }
});

test('imports follow the arrows between folders', () => {
  const offenders = [
    source('index/a.ts', "import { b } from '../loader/b.ts';"),
    source('loader/b.ts', "import type { C } from '../http/c.ts';", "import { i } from '../index/i.ts';"),
    source('http/handlers/c.ts', "import { d } from '../../loader/d.ts';", "import { r } from '../r.ts';"),
    source('compiler/d.ts', "import '../loader/format.ts';", "import '../loader/reader.ts';"),
    source('compiler/e.ts', "import '../loader/generated/index.js';"),
    source('importers/e.ts', "import '../compiler/advisory.ts';", "import '../compiler/compile.ts';"),
    source('access/f.ts', "import '../index/i.ts';"),
    source('generator/g.ts', "import './prng.ts';", "export { i } from '../index/i.ts';"),
    source('cli/h.ts', "import '../access/keys.ts';", "await import('../http/server.ts');"),
    source('cli/i.ts', "import '../cli.ts';", "import '../../package.json';"),
    source('cli.ts', "import './http/server.ts';"),
    source('misc/j.ts'),
  ];
  assert.deepEqual(wrongArrows(offenders), [
    'index/a.ts must not import loader/b.ts',
    'loader/b.ts must not import http/c.ts',
    'http/handlers/c.ts must not import loader/d.ts',
    'compiler/d.ts must not import loader/reader.ts',
    'importers/e.ts must not import compiler/compile.ts',
    'access/f.ts must not import index/i.ts',
    'generator/g.ts must not import index/i.ts',
    'cli/h.ts must not import http/server.ts',
    'cli/i.ts must not import cli.ts',
    'cli/i.ts must not import ../package.json',
    'misc/j.ts: no rule says what it may import',
  ]);
  assert.ok(sources.length > 0);
  assert.deepEqual(wrongArrows(sources), []);
});

test('the core has no clock, no randomness, no I/O and no Node types', () => {
  const offenders = [
    source('index/a.ts', "import { readFileSync } from 'node:fs';", 'const now = new Date();'),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source text, read and not run
    source('index/b.ts', 'const text = `${Math.random()}`; process.exit();'),
    source('index/c.ts', 'export function f(bytes: Buffer): void { console.log(bytes); }'),
    source('index/d.ts', '// Date, Buffer', "const DateParts = 'process'; row.process(); Math.max(1);"),
    source('http/e.ts', 'console.log(Date.now());'),
  ];
  assert.deepEqual(impureCore(offenders), [
    'index/a.ts must not use node:fs',
    'index/a.ts must not use Date',
    'index/b.ts must not use Math.random',
    'index/b.ts must not use process',
    'index/c.ts must not use Buffer',
    'index/c.ts must not use console',
  ]);
  assert.deepEqual(impureCore(sources), []);
});

test('one place touches uWebSockets', () => {
  const offenders = [
    source('http/routes.ts', "import type { HttpRequest } from 'uWebSockets.js';"),
    source('http/server.ts', "import uws from 'uWebSockets.js';"),
    source('cli/serve.ts', "const uws = await import('uWebSockets.js');"),
    source('cli/inspect.ts', "const name = 'uWebSockets.js';"),
  ];
  assert.deepEqual(strayNativeImports(offenders), [
    'http/routes.ts must not import uWebSockets.js',
    'cli/serve.ts must not import uWebSockets.js',
  ]);
  assert.deepEqual(strayNativeImports(sources), []);
});

test('no import leads back to where it came from', () => {
  const offenders = [
    source('index/a.ts', "import { b } from './b.ts';", "import { d } from './d.ts';"),
    source('index/b.ts', "import type { C } from './deep/c.ts';"),
    source('index/deep/c.ts', "export { a } from '../a.ts';"),
    source('index/d.ts', "import { b } from './b.ts';"),
    source('index/e.ts', "import { e } from './e.ts';"),
  ];
  assert.deepEqual(importCycles(offenders), [
    'index/a.ts -> index/b.ts -> index/deep/c.ts -> index/a.ts',
    'index/e.ts -> index/e.ts',
  ]);
  assert.deepEqual(importCycles(sources), []);
});

test('nothing is exported as default', () => {
  const offenders = [
    source('index/a.ts', 'export default function a() {}'),
    source('index/b.ts', 'export { b as default };'),
    source('index/c.ts', '// export default', "export const c = 'export default';"),
  ];
  assert.deepEqual(defaultExports(offenders), [
    'index/a.ts has a default export',
    'index/b.ts has a default export',
  ]);
  assert.deepEqual(defaultExports(sources), []);
});

test('files and folders are kebab-case and named after what they own', () => {
  assert.deepEqual(
    badNames(['index/idList.ts', 'http/Handlers/all.ts', 'index/utils.ts', 'http/a-b2.test.ts']),
    [
      'index/idList.ts: idList.ts is not kebab-case',
      'http/Handlers/all.ts: Handlers is not kebab-case',
      'index/utils.ts does not say what it owns',
    ],
  );
  assert.deepEqual(badNames([...sourcePaths, ...testPaths]), []);
});

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
  assert.deepEqual(missingOpenings(sources), []);
});

test('a test lies where its source lies', () => {
  assert.deepEqual(
    unmirroredTests(
      [
        'index/a.test.ts',
        'index/b.test.ts',
        'e2e/swap.test.ts',
        'bench/b.test.ts',
        'tidy.test.ts',
        'support/server.ts',
      ],
      ['index/a.ts', 'http/b.ts'],
    ),
    ['test/index/b.test.ts has no src/index/b.ts'],
  );
  assert.deepEqual(unmirroredTests(testPaths, sourcePaths), []);
});
