import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { addLookupCommand } from '../../../src/cli/lookup.ts';
import { renderExplanation } from '../../../src/dialects/patchstack/explain.ts';
import { renderProduct } from '../../../src/dialects/patchstack/product.ts';
import { PRODUCT_TYPES, type ProductType } from '../../../src/index/product-type.ts';
import { type Ran, runCommand } from '../../support/command.ts';
import { feedRecord } from '../../support/feeds/advisories.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { packageUrl } from '../../support/package-url.ts';
import { runProgram } from '../../support/process/program.ts';
import { compileRecords, readBytes, sampleRecords } from '../../support/snapshots/snapshots.ts';

const folder = temporaryFolder({ after });
let snapshot: string;

before(async () => {
  snapshot = await compileRecords(folder, sampleRecords());
});

function written(name: string, content: string | object): string {
  const file = join(folder, name);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

const LOCK = {
  name: 'site',
  lockfileVersion: 3,
  packages: {
    '': { name: 'site', dependencies: { left: '^1.0.0', free: '1' } },
    'node_modules/left': { version: '1.5.0' },
    'node_modules/@scope/right': { version: '1.5.0' },
    'node_modules/free': { version: '1.0.0' },
    'node_modules/odd': { version: 'next' },
    'node_modules/patched': { version: '1.0.0', resolved: 'git+ssh://git@example.com/patched.git#abc' },
  },
};

function lookup(...words: readonly string[]): Promise<Ran> {
  const answers = { product: renderProduct, explanation: renderExplanation };
  return runCommand((program) => addLookupCommand(program, answers), 'lookup', snapshot, ...words);
}

test('--from shows the advisories of every package of a lockfile, and what became of the others', async () => {
  const { out, error } = await lookup('--from', written('package-lock.json', LOCK));
  assert.equal(error, undefined);
  assert.equal(
    out,
    'npm left 1.5.0: no known version is free of advisories\n' +
      '  203  CVE-2026-203  >= 1.5.0          no fix          NPM: Advisory 203\n' +
      '  201  CVE-2026-201  >= 1.0.0 < 2.0.0  fixed in never  NPM: Advisory 201\n\n' +
      'package-lock.json, version 3: 5 entries: 3 looked up, 2 not; 1 with advisories, 1 named by no advisory\n' +
      'not looked up: 1 (a git repository): patched\n' +
      'not looked up: 1 (not a version): npm odd next\n',
  );
});

test('--from --json prints one object, with the answer that the server gives for each package', async () => {
  const { out } = await lookup('--from', written('package-lock.json', LOCK), '--json');
  const { snapshot: data, affected, ...rest } = JSON.parse(out);
  assert.equal(data.file, snapshot);
  assert.deepEqual(rest, {
    format: 'package-lock.json, version 3',
    packages: 3,
    not_looked_up: 2,
    unknown: [{ type: 'npm', name: 'free', version: '1.0.0' }],
    left_out: [
      { reason: 'a git repository', count: 1, open: true, examples: ['patched'] },
      { reason: 'not a version', count: 1, open: true, examples: ['npm odd next'] },
    ],
  });
  const body = JSON.parse((await lookup('npm', 'left', '1.5.0', '--json')).out);
  const identity = { type: 'npm', name: 'left', version: '1.5.0' };
  assert.deepEqual(affected, [{ ...identity, direct: true, places: ['node_modules/left'], ...body }]);
});

test('--from reads an SBOM and a list of plugins, by their content', async () => {
  const components = [{ name: 'x', purl: 'pkg:npm/%40scope/right@1.4.0' }];
  const sbom = written('a.txt', { bomFormat: 'CycloneDX', specVersion: '1.5', components });
  assert.match((await lookup('--from', sbom)).out, /^npm @scope\/right 1\.4\.0: .*\n {2}202 /);
  const list = written('plugins.csv', 'name,status,update,version\ngallery,active,none,1.1\n');
  const { out } = await lookup('--from', list);
  assert.match(out, /^plugin gallery 1\.1: update to 3\.5, .*\n {2}103 .*\n {2}102 .*\n {2}101 /);
  assert.match(out, /\nread as plugins: a list of themes needs "theme" in the name of its file\n$/);
  const paper = written('themes.csv', 'name,status,update,version\npaper,active,none,1.1\n');
  assert.match((await lookup('--from', paper)).out, /^theme paper 1\.1: .*\n {2}104 /);
});

test('--fail-on-match and --fail-on-unknown hold for every package; a match comes first', async () => {
  const statusOf = async (lock: object, ...words: string[]): Promise<number | null> => {
    const input = JSON.stringify(lock);
    return (await runProgram(['lookup', snapshot, '--from', '-', ...words], { input })).status;
  };
  const { '': root, 'node_modules/left': left, 'node_modules/free': free } = LOCK.packages;
  const clear = { ...LOCK, packages: { '': root, 'node_modules/left': { version: '0.9.0' } } };
  const unknown = { ...LOCK, packages: { '': root, 'node_modules/free': free } };
  const both = { ...LOCK, packages: { '': root, 'node_modules/left': left, 'node_modules/free': free } };
  const statuses = [clear, unknown, both].map(async (lock) => [
    await statusOf(lock),
    await statusOf(lock, '--fail-on-match'),
    await statusOf(lock, '--fail-on-unknown', '--fail-on-match'),
  ]);
  assert.deepEqual(await Promise.all(statuses), [
    [0, 0, 0],
    [0, 0, 8],
    [0, 3, 3],
  ]);
});

test('an SBOM may have every type of the server; what nobody knows is counted, named and has a status', async (t) => {
  const nameOf = (type: ProductType): string => (type === 'maven' || type === 'composer' ? 'a/b' : 'a');
  const count = PRODUCT_TYPES.length;
  const purls = [
    ...PRODUCT_TYPES.map((type) => packageUrl(type, nameOf(type), '1.0.0')),
    ...['pkg:acme/plug@1.0.0', 'pkg:deb/debian/curl@7.88.1', 'no purl'],
  ];
  const components = purls.map((purl) => ({ type: 'library', name: purl, version: '1.0.0', purl }));
  const input = JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', components });
  const run = (file: string, ...words: string[]) =>
    runProgram(['lookup', file, '--from', '-', ...words], { input });
  const records = PRODUCT_TYPES.map((type, i) =>
    feedRecord(i + 1, { product: { id: i + 1, type, slug: `not-${nameOf(type)}`, name: type } }),
  );
  const complete = await compileRecords(temporaryFolder(t), records);
  const { stdout, stderr, status } = await run(complete, '--fail-on-match');
  assert.equal(status, 0);
  assert.match(
    stdout.toString(),
    new RegExp(`^CycloneDX 1\\.6: ${count + 3} entries: ${count} looked up, 3 not; 0 with advisories, `),
  );
  assert.match(stdout.toString(), /^not looked up: 1 \(ecosystem acme\): pkg:acme\/plug@1\.0\.0$/m);
  assert.equal(stderr, 'warning: 3 entries of - could not be looked up\n');
  assert.equal((await run(complete, '--fail-on-match', '--fail-on-unknown')).status, 9);
  // The other snapshot has advisories of four of the types.
  const less = await run(snapshot);
  assert.match(
    less.stdout.toString(),
    new RegExp(`^CycloneDX 1\\.6: ${count + 3} entries: 4 looked up, ${count - 1} not; `),
  );
  assert.match(
    less.stdout.toString(),
    new RegExp(
      `^not looked up: ${count - 4} \\(the snapshot has no advisory of the type composer, pypi, .+\\): composer a/b 1\\.0\\.0, `,
      'm',
    ),
  );
  const one = await runProgram(['lookup', snapshot, 'gem', 'rails', '7.0.0', '--fail-on-unknown']);
  assert.equal(one.status, 8);
  assert.match(
    one.stderr,
    /^warning: the snapshot has no advisory of the type gem: it knows nothing about its products/,
  );
});

test('--fail-on-unknown names the packages that no advisory names', async () => {
  const packages = Object.fromEntries(
    Array.from({ length: 22 }, (_, i) => [`node_modules/free${i}`, { version: '1.0.0' }]),
  );
  const file = written('many.json', { ...LOCK, packages: { '': {}, ...packages } });
  const own = process.exitCode;
  const { out } = await lookup('--from', file, '--fail-on-unknown');
  process.exitCode = own; // the test runner's
  assert.match(out, /^named by no advisory: npm free0 1\.0\.0, .*, npm free19 1\.0\.0 and 2 more$/m);
});

test('a file that is not an inventory is refused with what it looks like and what was looked for', async () => {
  const looked = /Looked for: package-lock\.json, .*, poetry\.lock, .*, SPDX \(JSON, YAML, tag-value\)\.$/;
  for (const [content, message] of [
    ['hello there', /This is not one of the accepted formats; it begins "hello there"\. Looked for: /],
    ['{"a":1}', looked],
    ['[1]', looked],
    ['{"a":', /This JSON ends too early, at line 1, column 6: it was probably not copied completely\.$/],
    [
      '{"dependencies":{"left":"^1.0.0"}}',
      /looks like a package\.json: .* Use the package-lock\.json beside it/,
    ],
    ['', /There is no text\.$/],
  ] as const) {
    const { out, error } = await lookup('--from', written('bad', content));
    assert.equal(out, '');
    assert.equal(error?.name, 'CommandError');
    assert.match(error?.message ?? '', message);
  }
  const missing = await lookup('--from', join(folder, 'missing'));
  assert.match(missing.error?.message ?? '', /missing: cannot be read \(ENOENT\); check the path$/);
});

test('standard input is the snapshot or the inventory, not both', async () => {
  const file = written('package-lock.json', LOCK);
  const { status } = await runProgram(['lookup', '-', '--from', file], { input: readBytes(snapshot) });
  assert.equal(status, 0);
  const both = await runProgram(['lookup', '-', '--from', '-']);
  assert.equal(both.status, 2);
  assert.match(both.stderr, /^vulndex: standard input can be read only once/);
});
