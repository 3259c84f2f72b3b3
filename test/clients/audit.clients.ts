// The clients' own audits against the server: each reports exactly the vulnerable versions that a scan of the
// feed finds, with the severities and pages of the feed, and ends with the status that scripts rely on.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printedSeed } from '../support/seed.ts';
import { until } from '../support/until.ts';
import { CLIENTS, type Client } from './support/clients.ts';
import { applying, type InventedAdvisory, SEVERITIES, type Severity } from './support/feed.ts';
import type { Finding } from './support/reports.ts';
import { Scene, whyNoClients } from './support/scene.ts';
import { inventTree, type Tree } from './support/trees.ts';

/** Each takes every client about half a second. */
const TREES = Number(process.env.VULNDEX_CLIENT_TREES ?? 6);
const PROCESSES = 2;

const why = whyNoClients();

/**
 * One line for each version and advisory, sorted. The page stands for the advisory where the client prints no
 * id.
 */
function expectedOf(
  client: Client,
  advisories: readonly InventedAdvisory[],
  tree: Tree,
  from: Severity = client.showsFrom,
): string[] {
  return tree.packages
    .flatMap(({ name, version }) =>
      applying(advisories, { name, version })
        .filter(({ severity }) => SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(from))
        .map(({ id, severity, url }) =>
          lineOf({ name, version, severity, url, id: client.name === 'deno' ? undefined : id }),
        ),
    )
    .sort();
}

function lineOf({ name, version, id, severity, url }: Finding): string {
  return `${name}@${version} ${id === undefined ? '' : `#${id} `}${severity} ${url}`;
}

test('every client reports what a scan of the feed finds', {
  skip: why,
  concurrency: PROCESSES,
}, async (t) => {
  assert.ok(Number.isInteger(TREES) && TREES > 0, 'VULNDEX_CLIENT_TREES is the number of trees');
  const seed = printedSeed(t);
  const scene = await Scene.start(t, seed);
  const trees = Array.from({ length: TREES }, (_, i) => inventTree(scene.packages, seed + i));
  const audits = CLIENTS.map((client) =>
    t.test(`${client.name}, ${TREES} trees`, async () => {
      let findings = 0;
      for (const tree of trees) findings += await assertAudit(scene, client, tree);
      assert.ok(findings > 0);
      const logged = () => scene.requestsOf(client).filter(({ route }) => route !== 'npm-upstream');
      await until('the access log', () => logged().length >= trees.length);
      const asked = logged();
      assert.deepEqual(
        asked.map(({ route, status }) => `${route} ${status}`),
        trees.map(() => `${client.asks} 200`),
        'one question for each audit, and no second way after a failure',
      );
    }),
  );
  await Promise.all(audits);
});

/** Returns how much there was to find. */
async function assertAudit(scene: Scene, client: Client, tree: Tree): Promise<number> {
  const { status, stdout, stderr } = await scene.run(client, scene.project(client, tree), client.audit);
  const expected = expectedOf(client, scene.advisories, tree);
  const shown = `${client.name}, ${tree.name}: ended with ${status}\n${stdout.slice(0, 2_000)}\n${stderr}`;
  let found: readonly Finding[];
  try {
    found = client.read(stdout, tree);
  } catch (error) {
    throw new Error(`no report: ${shown}`, { cause: error });
  }
  assert.deepEqual([...new Set(found.map(lineOf))].sort(), expected, shown);
  assert.equal(status, expected.length > 0 ? 1 : 0, shown);
  return expected.length;
}
