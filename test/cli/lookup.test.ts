import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Command } from 'commander';
import { addLookupCommand } from '../../src/cli/lookup.ts';
import { renderExplanation } from '../../src/dialects/patchstack/explain.ts';
import { renderProduct } from '../../src/dialects/patchstack/product.ts';
import { type Ran, runCommand } from '../support/command.ts';
import { feedRecord, npmProduct, span } from '../support/feeds/advisories.ts';
import { temporaryFolder } from '../support/folder.ts';
import { runProgram } from '../support/process/program.ts';
import { startServer } from '../support/serving/server.ts';
import {
  compileRecords,
  readBytes,
  sampleRecords,
  withFlippedBit,
  writeBytes,
} from '../support/snapshots/snapshots.ts';

const folder = temporaryFolder({ after });
let path: string;

before(async () => {
  path = await compileRecords(folder, sampleRecords());
});

const ANSWERS = { product: renderProduct, explanation: renderExplanation };
const addLookup = (program: Command): void => addLookupCommand(program, ANSWERS);

const lookup = (...words: readonly string[]): Promise<Ran> => runCommand(addLookup, 'lookup', path, ...words);

test('lookup --json prints the same body as the server', async (t) => {
  const server = await startServer(t, { records: sampleRecords() });
  const file = join(server.folder, readdirSync(server.folder).find((name) => name.endsWith('.vdx')) ?? '');
  for (const [type, name, version] of [
    ['plugin', 'gallery', '1.1'],
    ['plugin', 'GALLERY', '1.0'],
    ['plugin', 'gallery', '*'],
    ['plugin', 'unknown', '1.0'],
    ['theme', 'paper', 'any thing'],
    ['wordpress', 'wordpress', '4.1.8'],
    ['npm', 'left', '1.5.0'],
    ['npm', '@scope/right', '*'],
    ['npm', 'gone', '*'],
    ['npm', 'gone', '1.0.0'],
  ]) {
    const address = `/product/${type}/${encodeURIComponent(name)}/${encodeURIComponent(version)}?fix=true`;
    const { text, status } = await server.request(address);
    assert.equal(status, 200, address);
    const { out, error } = await runCommand(addLookup, 'lookup', file, type, name, version, '--json');
    assert.equal(error, undefined);
    assert.equal(out, `${text}\n`, address);
  }
});

test('lookup prints a line for each advisory that applies: id, CVE, matched range, fix, title', async () => {
  const { out, error } = await lookup('plugin', 'gallery', '1.1');
  assert.equal(error, undefined);
  assert.equal(
    out,
    '103  CVE-2026-102  < 3.5          fixed in 3.5    Advisory 103\n' +
      '102  CVE-2026-102  >= 1.0 <= 1.2  no fix          Advisory 102\n' +
      '101  CVE-2026-101  < 1.5.0        fixed in 1.5.0  Advisory 101\n' +
      'update to 3.5, the lowest known version without an advisory\n',
  );
});

test('lookup shows each form of a range', async () => {
  const forms = async (...words: readonly string[]): Promise<string[]> =>
    (await lookup(...words)).out
      .trimEnd()
      .split('\n')
      .filter((line) => /^\d/.test(line))
      .map((line) => line.split(/ {2,}/)[2]);
  assert.deepEqual(await forms('theme', 'paper', '1'), ['*']);
  assert.deepEqual(await forms('wordpress', 'wordpress', '5.0'), ['5.0']);
  assert.deepEqual(await forms('npm', 'left', '1.6.0'), ['>= 1.5.0', '>= 1.0.0 < 2.0.0']);
  assert.deepEqual(await forms('npm', '@scope/right', '1.0.0'), ['<= 1.4.0']);
  assert.deepEqual(await forms('wordpress', 'wordpress', '*'), [
    '5.0 || 5.1',
    '>= 4.0 <= 4.0.9 || >= 4.1 <= 4.1.8',
  ]);
});

test('lookup shows the GHSA id if there is no CVE, a dash if there is neither, and strips control characters', async () => {
  const product = npmProduct('odd');
  const affected = [span(null, null)];
  const records = [
    feedRecord(1, { product, affected, cves: [], ghsa: 'GHSA-1', title: 'red \u001b[31m\nline' }),
    feedRecord(2, { product, affected, cves: [] }),
  ];
  const file = await compileRecords(folder, records, { name: 'odd.vdx' });
  const { out } = await runCommand(
    (program) => addLookupCommand(program, ANSWERS),
    'lookup',
    file,
    'npm',
    'odd',
    '1.0.0',
  );
  assert.equal(
    out,
    '2  -       *  no fix  NPM: Advisory 2\n1  GHSA-1  *  no fix  NPM: red  [31m line\n' +
      'no known version is free of advisories\n',
  );
});

test('lookup takes a package URL in place of type, name and version, and a folder in place of a file', async (t) => {
  const snapshots = temporaryFolder(t);
  await compileRecords(snapshots, sampleRecords());
  for (const [url, ...words] of [
    ['pkg:npm/left@1.5.0', 'npm', 'left', '1.5.0'],
    ['pkg:npm/%40scope/right@1.4.0', 'npm', '@scope/right', '1.4.0'],
    ['pkg:npm/gone@*', 'npm', 'gone', '*'],
    ['pkg:composer/wpackagist-plugin/gallery@1.1', 'plugin', 'gallery', '1.1'],
  ]) {
    const asked = await runCommand(addLookup, 'lookup', snapshots, url);
    assert.equal(asked.error, undefined);
    assert.equal(asked.out, (await lookup(...words)).out, url);
  }
});

test('lookup refuses a name that lacks the form of its type, with the sentence of the server', async () => {
  for (const [words, message] of [
    [
      ['maven', 'bctls-jdk14', '1.61'],
      'the name must be group:artifact or group/artifact, got "bctls-jdk14": give the whole name',
    ],
    [['pkg:composer/adodb@5.2'], 'the name must be vendor/package, got "adodb": give the whole name'],
  ] as const) {
    assert.equal((await lookup(...words)).error?.message, message);
  }
});

test('lookup says when nothing applies', async () => {
  assert.equal((await lookup('plugin', 'gallery', '9')).out, 'not vulnerable: plugin gallery 9\n');
  assert.equal((await lookup('npm', 'gone', '*')).out, 'no advisories: npm gone\n');
});

test('lookup distinguishes an unknown product from one that is not vulnerable', async () => {
  for (const version of ['1', '*']) {
    const { out, err, error } = await lookup('plugin', 'galery', version);
    assert.equal(out, 'unknown product: no advisory for plugin galery; check the type and the name\n');
    assert.equal(err, '');
    assert.equal(error, undefined);
  }
  const json = await lookup('plugin', 'galery', '1', '--json');
  assert.equal(json.out, '{"vulnerabilities":[],"update_to":null}\n');
  assert.equal(json.err, 'unknown product: no advisory for plugin galery; check the type and the name\n');
});

test('lookup --explain --json prints the same body as the server', async (t) => {
  const server = await startServer(t, { records: sampleRecords() });
  const file = join(server.folder, readdirSync(server.folder).find((name) => name.endsWith('.vdx')) ?? '');
  for (const [type, name, version] of [
    ['plugin', 'gallery', '1.1'],
    ['plugin', 'unknown', '1.0'],
    ['npm', '@scope/right', '1.0.0'],
  ]) {
    const { text } = await server.request(`/explain/${type}/${encodeURIComponent(name)}/${version}`);
    const words = [file, type, name, version, '--explain', '--json'];
    assert.equal((await runCommand(addLookup, 'lookup', ...words)).out, `${text}\n`);
  }
});

test('lookup --explain reports an unknown product as without it, and refuses any version', async () => {
  const { out } = await lookup('plugin', 'galery', '1', '--explain');
  assert.equal(out, 'unknown product: no advisory for plugin galery; check the type and the name\n');
  const { error } = await lookup('plugin', 'gallery', '*', '--explain');
  assert.equal(error?.message, "--explain needs a version: give one in place of '*'");
});

test('the exit status with --explain is that of the lookup', async () => {
  const ask = (version: string) =>
    runProgram(['lookup', path, 'plugin', 'gallery', version, '--explain', '--fail-on-match']);
  const [hit, miss] = await Promise.all([ask('1.1'), ask('9')]);
  assert.deepEqual([hit.status, miss.status], [3, 0]);
});

test('with --fail-on-match a match exits with 3, as a process and with the same output', async () => {
  const words = ['lookup', path, 'plugin', 'gallery', '1.1'];
  const [plain, failing] = await Promise.all([
    runProgram(words),
    runProgram([...words, '--fail-on-match', '--json']),
  ]);
  assert.equal(plain.status, 0);
  assert.equal(failing.status, 3);
  assert.equal(failing.stderr, '');
  assert.equal(JSON.parse(failing.stdout.toString()).vulnerabilities.length, 3);
});

test('with --fail-on-match no match exits with 0, and wrong arguments with 2', async () => {
  const ask = (...words: readonly string[]) => runProgram(['lookup', path, ...words, '--fail-on-match']);
  const [clean, unknown, any, wrong] = await Promise.all([
    ask('plugin', 'gallery', '9'),
    ask('npm', 'nobody', '1.0.0'),
    ask('theme', 'paper', '*'),
    ask('npm', 'left', 'latest'),
  ]);
  assert.deepEqual([clean.status, unknown.status, any.status, wrong.status], [0, 0, 3, 2]);
});

test('with --fail-on-unknown a product that no advisory names exits with 8, and a known one as before', async () => {
  const ask = (...words: readonly string[]) =>
    runProgram(['lookup', path, ...words, '--fail-on-match', '--fail-on-unknown']);
  const [clean, hit, unknown, any] = await Promise.all([
    ask('plugin', 'gallery', '9'),
    ask('plugin', 'gallery', '1.1'),
    ask('plugin', 'galery', '1.1'),
    ask('npm', 'nobody', '*', '--json'),
  ]);
  assert.deepEqual([clean.status, hit.status, unknown.status, any.status], [0, 3, 8, 8]);
  assert.match(unknown.stdout.toString(), /^unknown product: no advisory for plugin galery; check /);
});

test('with --fail-on-match a snapshot can come from standard input', async () => {
  const { status, stdout } = await runProgram(['lookup', '-', 'plugin', 'gallery', '9'], {
    input: readBytes(path),
  });
  assert.equal(stdout.toString(), 'not vulnerable: plugin gallery 9\n');
  assert.equal(status, 0);
});

test('wrong arguments are refused with the expected ones', async () => {
  const cases: readonly (readonly [words: readonly string[], message: RegExp])[] = [
    [['plug-in', 'gallery', '1'], /^unknown type "plug-in": use one of plugin, theme, wordpress, npm, /],
    [['plugin', '', '1'], /^the name is empty: give /],
    [['plugin', 'gallery', ''], /^the version is empty: give /],
    [['plugin', 'gallery', 'é'.repeat(129)], /longer than 256 bytes: give a shorter one$/],
    [['npm', 'left', 'latest'], /^"latest" is not a version of an npm product: give .*1\.2\.3/],
    // also for an unknown product: the same question always gets the same answer
    [['npm', 'left-pad', 'notaversion'], /^"notaversion" is not a version of an npm product/],
    [['npm', 'gone', 'no version'], /^"no version" is not a version of an npm product/],
    [['plugin', 'gallery', '-'], /^"-" is not a version of a plugin product/],
    [[], /^give a type, a name and a version, or a package URL such as .*, or a file with --from$/],
    [['plugin', 'gallery'], /^give a type, a name and a version, or /],
    [['pkg:npm/left@1.5.0', 'left'], /^give a type, a name and a version, or /],
    [['pkg:npm/left'], /^pkg:npm\/left has no version: add one, such as pkg:npm\/left@1\.2\.3, or @\* for/],
    [['pkg:npm/left@latest'], /^"latest" is not a version of an npm product/],
    [
      ['pkg:acme/a@1'],
      /^pkg:acme\/a@1: cannot be looked up \(ecosystem acme\); ask about one of these types: plugin, /,
    ],
    [['pkg:npm'], /^pkg:npm: cannot be looked up \(a package URL that is not valid\); /],
    [['npm', '--from', 'package-lock.json'], /^--from takes the place of a type, a name and a version/],
  ];
  for (const [words, message] of cases) {
    const { out, error } = await lookup(...words);
    assert.equal(out, '');
    assert.equal(error?.name, 'UsageError');
    assert.match(error?.message ?? '', message);
  }
});

test('a file that is not a snapshot is refused like wrong arguments', async () => {
  const file = writeBytes(folder, 'bad.vdx', withFlippedBit(readBytes(path), 300));
  const { error } = await runCommand(
    (program) => addLookupCommand(program, ANSWERS),
    'lookup',
    file,
    'npm',
    'left',
    '1.0.0',
  );
  assert.equal(error?.name, 'CommandError');
  assert.match(error?.message ?? '', /bad\.vdx: snapshot rejected: checksum-mismatch/);
});
