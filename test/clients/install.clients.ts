// Installs through the server, which sends the clients on to the registry behind it: the same project, locked
// in the same way, is installed by every client.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { printedSeed } from '../support/seed.ts';
import { until } from '../support/until.ts';
import { CLIENTS } from './support/clients.ts';
import { Scene, whyNoClients } from './support/scene.ts';
import { inventTree, type Tree } from './support/trees.ts';

test('every client installs a locked project through the server', {
  skip: whyNoClients(),
  concurrency: 2,
}, async (t) => {
  const seed = printedSeed(t);
  const scene = await Scene.start(t, seed);
  const tree = inventTree(scene.packages, seed);
  const installs = CLIENTS.map((client) =>
    t.test(client.name, async () => {
      const project = scene.project(client, tree);
      const locked = readFileSync(join(project, client.lockfile), 'utf8');
      const { status, stdout, stderr } = await scene.run(client, project, client.install);
      assert.equal(status, 0, stdout + stderr);
      assertInstalled(project, tree);
      // So it is what the client itself would have written.
      assert.equal(withoutChecksums(readFileSync(join(project, client.lockfile), 'utf8')), locked);
    }),
  );
  await Promise.all(installs);
  await assertRedirected(scene, tree);
  assert.deepEqual(
    new Set(scene.registry.asked.map(({ authorization }) => authorization)),
    new Set([undefined]),
  );
});

/** Every direct dependency is there in its version and can be loaded. */
function assertInstalled(project: string, { roots }: Tree): void {
  for (const { name, version, dependencies } of Object.values(roots).flat()) {
    const folder = realpathSync(join(project, 'node_modules', name));
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    assert.equal(`${manifest.name}@${manifest.version}`, `${name}@${version}`);
    assert.ok(existsSync(join(folder, 'index.js')), name);
    assert.deepEqual(
      manifest.dependencies,
      Object.fromEntries(dependencies.map((child) => [child.name, child.version])),
    );
  }
}

/** yarn adds them, of archives that it makes itself. */
const withoutChecksums = (lockfile: string): string => lockfile.replaceAll(/^ {2}checksum: .*\n/gm, '');

/** Redirects need no key, so the log does not say whose they were. */
async function assertRedirected({ server }: Scene, { packages }: Tree): Promise<void> {
  const redirected = () => server.logged('request').filter(({ route }) => route === 'npm-upstream');
  await until('each redirect to be logged', () => redirected().length >= CLIENTS.length * packages.length);
  const redirects = redirected();
  assert.deepEqual(new Set(redirects.map(({ status }) => status)), new Set([307]));
}
