// What the repository's own files promise to anyone who installs or clones it.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from './support/folder.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Node's major versions and their ABI numbers, which are in the names of the addon's files. */
const ABI: Readonly<Record<number, number>> = { 20: 115, 22: 127, 24: 137 };

function readJson(file: string): { readonly engines: { readonly node: string } } {
  return JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
}

test('the package names exactly the Node releases for which the addon has binaries', () => {
  const range = readJson('package.json').engines.node;
  const majors = range.split(' || ').map((part) => Number(/^\^(\d+)/.exec(part)?.[1]));
  assert.deepEqual(majors, [20, 22], range);
  for (const [major, abi] of Object.entries(ABI)) {
    for (const platform of ['linux_x64', 'linux_arm64', 'darwin_x64', 'darwin_arm64']) {
      const file = join(ROOT, 'node_modules', 'uWebSockets.js', 'dist', 'bin', `uws_${platform}_${abi}.node`);
      assert.equal(existsSync(file), majors.includes(Number(major)), file);
    }
  }
});

test('the README explains the warning of npm ci about the addon and Node 20, as long as there is one', () => {
  const { node } = readJson('node_modules/uWebSockets.js/package.json').engines;
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
