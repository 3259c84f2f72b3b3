// Refreshes that are killed at any moment, from a server that often cuts what it sends: whatever was left
// behind, the next one publishes all records, each under the id that it always had.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { snapshotsIn } from '../../src/cli/snapshots-in.ts';
import { Dice } from '../../src/generator/dice.ts';
import { readSnapshot } from '../../src/loader/snapshot/reader.ts';
import { verifySnapshot } from '../../src/loader/snapshot/verify-deep.ts';
import { feedRecord } from '../support/feeds/advisories.ts';
import { npmEntry, osvRecord } from '../support/feeds/osv.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type Ended, runProgram } from '../support/process/program.ts';
import { printedSeed } from '../support/seed.ts';
import { startWebServer } from '../support/serving/web-server.ts';
import { scaled, sleep } from './support/scale.ts';

const ROUNDS = scaled(30, 4);
const KILLS_A_ROUND = 3;
/** Longer than a refresh of these few records takes, so that some end by themselves. */
const LONGEST_MS = 700;
const RECORDS = 300;
const FEED_FIRST_ID = 5_000_000;
const LOCKS = ['.refresh.lock', 'vulndex-ids.tsv.lock'];
/** Published, or nothing was new. */
const DONE: readonly (number | null)[] = [0, 4];

function writeOsv(tree: string, number: number, round: number): void {
  const id = `GHSA-0000-0000-${String(number).padStart(4, '0')}`;
  const modified = new Date(Date.UTC(2026, 0, 1) + round * 60_000).toISOString();
  const affected = [npmEntry(`package-${number}`, [{ introduced: '0' }, { fixed: `1.${round}.0` }])];
  writeFileSync(join(tree, `${id}.json`), JSON.stringify(osvRecord({ id, modified, affected })));
}

/** The id of each advisory, by its product: no two are of the same. */
function idsBySlug(path: string): ReadonlyMap<string, number> {
  const { advisoryId, advisoryProduct, productSlug, productSlugStart } = readSnapshot(path).columns;
  const slugs = Buffer.from(productSlug);
  return new Map(
    Array.from(advisoryId, (id, i) => {
      const product = advisoryProduct[i];
      return [slugs.toString('utf8', productSlugStart[product], productSlugStart[product + 1]), id];
    }),
  );
}

test('a refresh that is killed anywhere costs no record and no id', async (t) => {
  const dice = new Dice(printedSeed(t));
  const folder = temporaryFolder(t);
  const tree = join(folder, 'osv');
  const snapshots = join(folder, 'snapshots');
  mkdirSync(tree);
  mkdirSync(snapshots);
  let feed = '';
  let isCutting = true;
  const server = await startWebServer(t, (_, response) => {
    const length = isCutting && dice.chance(0.5) ? dice.whole(0, feed.length) : feed.length;
    // The end of the connection is its end.
    response.writeHead(200, { etag: `"${feed.length}"`, connection: 'close' });
    response.end(feed.slice(0, length));
  });
  const config = join(folder, 'refresh.json');
  const sources = [{ osv: 'osv' }, { feed: `${server.url}feed.ndjson` }];
  writeFileSync(config, JSON.stringify({ sources, snapshots: 'snapshots', guards: { max_reject: 0 } }));
  const refresh = (killAfterMs?: number): Promise<Ended> =>
    runProgram(['refresh', '--config', config], {
      started: (child) => {
        if (killAfterMs !== undefined) void sleep(killAfterMs).then(() => child.kill('SIGKILL'));
      },
    });
  /** As a minute later would. */
  const abandonLocks = (): void => {
    for (const lock of LOCKS.map((name) => join(snapshots, name)).filter((each) => existsSync(each)))
      utimesSync(lock, 1, 1);
  };
  const published = (): string[] =>
    readdirSync(snapshots)
      .filter((name) => name.endsWith('.vdx'))
      .map((name) => join(snapshots, name));

  for (let number = 1; number <= RECORDS; number++) writeOsv(tree, number, 0);
  let known: ReadonlyMap<string, number> = new Map();
  let killed = 0;
  for (let round = 1; round <= ROUNDS; round++) {
    writeOsv(tree, RECORDS + round, round);
    for (let i = 0; i < 5; i++) writeOsv(tree, dice.whole(1, RECORDS), round);
    feed += `${JSON.stringify(feedRecord(FEED_FIRST_ID + round, { product: { id: round, type: 'plugin', slug: `plugin-${round}`, name: 'P' } }))}\n`;
    isCutting = true;
    for (let i = 0; i < KILLS_A_ROUND; i++) {
      const { signal, stderr, status } = await refresh(dice.whole(1, LONGEST_MS));
      if (signal === 'SIGKILL') killed++;
      else assert.ok([...DONE, 6].includes(status), stderr);
      abandonLocks();
      for (const path of published()) verifySnapshot(path);
    }
    isCutting = false;
    const { status, stderr } = await refresh();
    assert.ok(DONE.includes(status), stderr);
    const [newest] = snapshotsIn(snapshots, Date.now()).usable;
    const ids = idsBySlug(newest.path);
    assert.equal(ids.size, RECORDS + 2 * round, `round ${round}`);
    for (const [slug, id] of known) assert.equal(ids.get(slug), id, slug);
    known = ids;
  }
  t.diagnostic(`${killed} of ${ROUNDS * KILLS_A_ROUND} refreshes were killed`);
  assert.ok(killed > ROUNDS / 2, 'too few were killed to show anything');
});
