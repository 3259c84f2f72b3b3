// Faults of the snapshot folder and the disk: the server keeps serving the data it has.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type FaultScene, prepareFaults, undisturbed } from './support/fault-scene.ts';
import { assertNoLeak } from './support/leaks.ts';
import { sleep, within } from './support/scale.ts';

const ADVISORIES = 3_000; // some megabytes compiled: more than the small disk below has
const DISK_BYTES = 1 << 20;

test('with a broken folder or disk the server keeps serving its data', async (t) => {
  const scene = await prepareFaults(t, ADVISORIES);
  let number = 1;
  const breakOnce = (t: TestContext, breakFolder: (folder: string) => void): Promise<void> =>
    undisturbed(t, scene, async () => {
      number++;
      await breakAndMend(scene, number, breakFolder);
    });
  for (const [what, breakFolder] of Object.entries(BREAKS))
    await t.test(what, (t) => breakOnce(t, breakFolder));
  await t.test('a full disk makes compile fail, which leaves nothing behind', (t) =>
    undisturbed(t, scene, () => fillDisk(t, scene)),
  );
  const [breakFolder] = Object.values(BREAKS);
  await assertNoLeak(t, scene.server, 'faults-disk', () => breakOnce(t, breakFolder));
  assert.equal(await scene.server.stop(), 0);
});

const BREAKS: Readonly<Record<string, (folder: string) => void>> = {
  'the folder is removed': (folder) => rmSync(folder, { recursive: true }),
  // Permissions do not stop a server that runs as root; a file in place of the folder stops any server.
  'the folder becomes a file': (folder) => {
    rmSync(folder, { recursive: true });
    writeFileSync(folder, 'not a folder');
  },
  'the folder is moved away and its file was cut short': (folder) => {
    for (const name of readdirSync(folder)) writeFileSync(join(folder, name), 'cut');
    renameSync(folder, `${folder}-away`);
  },
};

/** Then repairs the folder with a newer snapshot in it, which must go live. */
async function breakAndMend(
  { server, snapshots, builds, witness }: FaultScene,
  number: number,
  breakFolder: (folder: string) => void,
): Promise<void> {
  const told = server.logged('snapshot folder cannot be read').length;
  breakFolder(snapshots);
  await within('the log says that the folder cannot be read', 5_000, () => {
    return server.logged('snapshot folder cannot be read').length > told;
  });
  await sleep(2_000);
  const ready = await server.ops('readyz');
  assert.equal(ready.status, 200, 'it stays ready with the data it has');
  rmSync(snapshots, { recursive: true, force: true });
  mkdirSync(snapshots);
  const build = await builds.compile(number);
  witness.publish(build);
  copyFileSync(build.path, join(snapshots, `${number}.vdx`));
  await within('the newer snapshot answers', 10_000, () => witness.newest === number);
  const lines = server.logged('snapshot folder cannot be read').length - told;
  assert.equal(lines, 1, 'one line, not one per scan');
}

/** On a one-megabyte file system in memory; requires the right to mount. */
async function fillDisk(t: TestContext, { folder, builds }: FaultScene): Promise<void> {
  const disk = join(folder, 'disk');
  mkdirSync(disk);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', disk]);
  if (mounted.status !== 0) {
    t.skip('no small file system can be mounted here');
    return;
  }
  try {
    const compiled = await runCompile(builds.feed, disk);
    t.diagnostic(compiled.errors.trim());
    assert.equal(compiled.status, 1);
    assert.match(compiled.errors, /the disk is full; nothing was written/);
    assert.deepEqual(readdirSync(disk), [], 'nothing is left behind');
  } finally {
    spawnSync('umount', [disk]);
  }
}

function runCompile(feed: string, out: string): Promise<{ status: number | null; errors: string }> {
  const words = ['dist/cli.js', 'compile', '--feed', feed, '--out', out];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  return new Promise((resolve) => child.once('exit', (status) => resolve({ status, errors })));
}
