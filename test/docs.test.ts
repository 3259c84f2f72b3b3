// What the pages promise: their links lead somewhere, the options, scripts and files that they name exist,
// and a page that is read from start to end stays short.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  brokenLinks,
  type Known,
  missingFiles,
  type Page,
  type Tree,
  tooLong,
  unknownOptions,
  unreachable,
} from './page-checks.ts';
import { allCommands, optionsOf } from './support/all-commands.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The most lines of a page. */
const MOST_LINES: Readonly<Record<string, number>> = {
  'README.md': 120,
  'docs/architecture.md': 150,
  'docs/performance.md': 130,
  'docs/serving.md': 250,
  'docs/keys.md': 250,
  'docs/feeding.md': 250,
  'docs/health.md': 250,
  'docs/deployment.md': 250,
  'docs/commands.md': 250,
};

const page = (path: string, ...lines: string[]): Page => ({ path, text: lines.join('\n') });
const read = (path: string): Page => ({ path, text: readFileSync(join(ROOT, path), 'utf8') });

function filesIn(folder: string, ending: RegExp): Page[] {
  const names = readdirSync(join(ROOT, folder), { recursive: true }).map((name) =>
    join(folder, String(name)),
  );
  const own = names.filter((name) => ending.test(name) && !name.includes('node_modules'));
  return own.filter((name) => statSync(join(ROOT, name)).isFile()).map(read);
}

const REPOSITORY: Tree = {
  pages: [...['README.md', 'SECURITY.md', 'CHANGELOG.md'].map(read), ...filesIn('docs', /\.md$/)],
  exists: (path) => existsSync(join(ROOT, path)),
};

const { scripts } = JSON.parse(read('package.json').text) as { readonly scripts: Record<string, string> };

/** The text of the folders that a script's command names: whatever may read its options. */
function sourcesOf(command: string): string {
  const folders = new Set(command.match(/\b(?:scripts|bench|test)(?=\/)/g) ?? []);
  return [...folders].flatMap((folder) => filesIn(folder, /\.[jt]s$/).map(({ text }) => text)).join('\n');
}

const KNOWN: Known = {
  commands: new Map(optionsOf(allCommands())),
  scripts: new Map(Object.entries(scripts).map(([name, command]) => [name, () => sourcesOf(command)])),
};

test('every link of a page leads to a file, and to a heading that it has', () => {
  const pages = [
    page('README.md', '# A', '[a](docs/a.md) [b](docs/a.md#two) [c](docs/) ![d](docs/no.png)'),
    page('docs/a.md', '## One `--b`, two', '## Two', '## Two', '[a](#one---b-two) [b](#two-1) [c](#three)'),
    page(
      'docs/b.md',
      '[a](../README.md#a) [b](a.md#no) [c](../../x.md) [d](https://x.example/#y) `[e](f.md)`',
    ),
  ];
  const exists = (path: string) => ['README.md', 'docs/a.md', 'docs/'].includes(path);
  assert.deepEqual(brokenLinks({ pages, exists }), [
    'README.md: docs/no.png does not exist',
    'docs/a.md: #three has no such heading',
    'docs/b.md: a.md#no has no such heading',
    'docs/b.md: ../../x.md does not exist',
  ]);
  assert.deepEqual(brokenLinks(REPOSITORY), []);
});

test('every page can be reached by links from the README', () => {
  const pages = [
    page('README.md', '[a](docs/a.md) [all](docs/more/)'),
    page('docs/a.md', '[b](b.md)'),
    ...['docs/b.md', 'docs/more/c.md', 'docs/d.md'].map((path) => page(path)),
  ];
  assert.deepEqual(unreachable({ pages, exists: () => true }), ['docs/d.md']);
  assert.deepEqual(unreachable(REPOSITORY), []);
});

test('every file that a page, an example or the source sends its reader to exists', () => {
  const pages = [
    page('docs/a.md', 'See `http/a.ts`, `http/no.ts`, src/no.ts, `http/*.ts`, docs/b.md and other/c.ts.'),
  ];
  const exists = (path: string) => ['src', 'docs', 'src/http', 'src/http/a.ts'].includes(path);
  assert.deepEqual(missingFiles({ pages, exists }), [
    'docs/a.md: http/no.ts does not exist',
    'docs/a.md: src/no.ts does not exist',
    'docs/a.md: docs/b.md does not exist',
  ]);
  assert.deepEqual(missingFiles(REPOSITORY), []);
  const others = ['src', 'deploy', 'scripts', 'bench'].flatMap((folder) =>
    filesIn(folder, /\.(?!html)\w+$|file$/),
  );
  const readers = others.map(({ path, text }) => page(path, ...(text.match(/docs\/[\w/-]+\.md/g) ?? [])));
  assert.ok(readers.some(({ text }) => text !== ''));
  assert.deepEqual(missingFiles({ ...REPOSITORY, pages: readers }), []);
});

test('every option and script that a page names exists', () => {
  const commands = new Map([
    ['', ['--version']],
    ['serve', ['--port']],
    ['keys', []],
    ['keys add', ['--tier']],
    ['demo', ['--port']],
  ]);
  const known = { commands, scripts: new Map([['bench', () => "option('--seconds')"]]) };
  const sample = page(
    'docs/a.md',
    'Use `serve --port 1`, `serve --prot 1`, `keys add --tier x`, `keys --tier x`, `--tier`, `--teir`, or --gone.',
    '```sh',
    'A=1 vulndex serve --port 1 \\',
    '  --no 2 && npm run bench -- --seconds 1 --minutes 2  # --not-read',
    'npm start -- --port 1 --ports 2',
    'npm run bnech',
    'docker run --rm --privileged vulndex serve --bad',
    'curl --silent-ly http://x.example',
    'someprogram --option',
    '```',
    '```text',
    'an answer --of something',
    '```',
  );
  assert.deepEqual(unknownOptions([sample], known), [
    'docs/a.md: --no is not an option of serve',
    'docs/a.md: --minutes is not an option of npm run bench',
    'docs/a.md: --ports is not an option of demo',
    'docs/a.md: npm run bnech is not a script',
    'docs/a.md: --privileged is not a known option of docker',
    'docs/a.md: --bad is not an option of serve',
    'docs/a.md: --silent-ly is not a known option of curl',
    'docs/a.md: --option is not a known option of someprogram',
    'docs/a.md: --prot is not an option of serve',
    'docs/a.md: --tier is not an option of keys',
    'docs/a.md: --teir is not an option of any command',
    'docs/a.md: --gone is not an option of any command',
  ]);
  assert.deepEqual(unknownOptions(REPOSITORY.pages, KNOWN), []);
});

test('the pages that are read from start to end stay short', () => {
  const pages = [page('a.md', '1', '2', ''), page('b.md', '1', '2', '3', '')];
  assert.deepEqual(tooLong(pages, { 'a.md': 2, 'b.md': 2, 'c.md': 2 }), [
    'b.md has 3 lines, at most 2',
    'c.md does not exist',
  ]);
  assert.deepEqual(tooLong(REPOSITORY.pages, MOST_LINES), []);
});
