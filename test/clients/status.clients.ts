// The status that each client ends with: what scripts and CI rely on. Nothing found, only flaws below the
// asked severity, a key that is not valid.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printedSeed } from '../support/seed.ts';
import { CLIENTS, type Client } from './support/clients.ts';
import { applying, SEVERITIES, type Severity } from './support/feed.ts';
import { closureOf, type InventedPackage } from './support/packages.ts';
import { writeProject } from './support/runs.ts';
import { Scene, whyNoClients } from './support/scene.ts';
import type { Tree } from './support/trees.ts';

const why = whyNoClients();

/** -1 for a tree without any. */
function worstOf(scene: Scene, packages: Iterable<InventedPackage>): number {
  const found = [...packages].flatMap((item) => applying(scene.advisories, item));
  return Math.max(-1, ...found.map(({ severity }) => SEVERITIES.indexOf(severity)));
}

/** A project with one dependency whose worst flaw, or that of its own dependencies, is just that severe. */
function treeWith(scene: Scene, worst: Severity | 'none'): Tree {
  const wanted = worst === 'none' ? -1 : SEVERITIES.indexOf(worst);
  for (const root of [...scene.packages.values()].flat()) {
    const packages = closureOf([root]);
    if (worstOf(scene, packages) !== wanted) continue;
    const roots = { dependencies: [root], devDependencies: [], optionalDependencies: [] };
    return { name: `only-${worst}`, roots, packages: [...packages] };
  }
  throw new Error(`the feed has no package whose worst flaw is ${worst}`);
}

test('every client ends with 1 if it finds something severe enough, else with 0', {
  skip: why,
  concurrency: 2,
}, async (t) => {
  const scene = await Scene.start(t, printedSeed(t));
  const audits = CLIENTS.map((client) =>
    t.test(client.name, async () => {
      const nothing = await report(scene, client, treeWith(scene, 'none'), client.audit);
      assert.deepEqual(nothing, { status: 0, count: 0 });
      const moderate = treeWith(scene, 'moderate');
      const some = await report(scene, client, moderate, client.audit);
      assert.equal(some.status, 1);
      assert.ok(some.count > 0);
      assert.equal((await report(scene, client, moderate, client.auditFrom('high'))).status, 0);
      const high = treeWith(scene, 'high');
      assert.equal((await report(scene, client, high, client.auditFrom('high'))).status, 1);
    }),
  );
  await Promise.all(audits);
});

async function report(scene: Scene, client: Client, tree: Tree, words: readonly string[]) {
  const { status, stdout, stderr } = await scene.run(client, scene.project(client, tree), words);
  try {
    return { status, count: client.read(stdout, tree).length };
  } catch (error) {
    throw new Error(`no report: ${stdout}${stderr}`, { cause: error });
  }
}

test('a key that is not valid fails the audit and is named in what the client prints', {
  skip: why,
  concurrency: 2,
}, async (t) => {
  const scene = await Scene.start(t, printedSeed(t));
  const tree = treeWith(scene, 'none');
  const audits = CLIENTS.filter(({ sendsKey }) => sendsKey).map((client) =>
    t.test(client.name, async () => {
      const project = scene.project(client, tree);
      writeProject(project, client.settings({ ...scene.target(client), key: 'not-a-key' }));
      const { status, stdout, stderr } = await scene.run(client, project, client.audit);
      assert.equal(status, 1, stdout + stderr);
      assert.match(stdout + stderr, /key|401|unauthori[sz]ed|authentication/i);
    }),
  );
  await Promise.all(audits);
});
