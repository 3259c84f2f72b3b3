// Walks through the listings as sync clients do, page by page over the socket: everything once, in order,
// even when a new snapshot arrives in between.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Dice } from '../../src/generator/dice.ts';
import type { FeedRecord } from '../../src/generator/feed-record.ts';
import { PLATFORMS } from '../../src/index/product-type.ts';
import {
  feedJson,
  inventedRecords,
  isListed,
  listedIds,
  overAllPlatforms,
} from '../support/feeds/invented-feed.ts';
import { printedSeed } from '../support/seed.ts';
import { startServer, type TestServer } from '../support/serving/server.ts';
import { isFull } from '../support/volume.ts';

/** Most tests spread them over all platforms. */
const RECORDS = isFull ? 3_000 : 300;
const PAGE_SIZES = [7, 100, 500];
const LATEST_EVERY = isFull ? 10 : 3;
const DAY_SECONDS = 86_400;
const SECOND_BUILD_MS = Date.UTC(2026, 3, 1); // later than the build of the server's first snapshot

/** The start of a walk: endpoint, platform and page size. */
interface Walk {
  readonly path: '/all' | '/latest';
  readonly platform: string;
  readonly perPage: number;
}

function address({ path, platform, perPage }: Walk, position: string): string {
  return `${path}?platform=${platform}&per_page=${perPage}&${position}`;
}

interface Listed {
  readonly id: number;
}

function idsOf(body: { readonly vulnerabilities: readonly Listed[] }): number[] {
  return body.vulnerabilities.map(({ id }) => id);
}

/**
 * All ids of a walk by cursor, starting with an empty one; `betweenPages` runs before each request but the
 * first.
 */
async function walkByCursor(
  server: TestServer,
  walk: Walk,
  betweenPages: (seen: readonly number[]) => Promise<void> = async () => {},
): Promise<number[]> {
  const seen: number[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    if (seen.length > 0) await betweenPages(seen);
    const response = await server.request(address(walk, `cursor=${cursor}`));
    assert.equal(response.status, 200, response.text);
    const body = response.json();
    const ids = idsOf(body);
    // A walk that goes back would never end.
    if (seen.length > 0 && ids.length > 0) assert.ok(ids[0] < seen[seen.length - 1], 'the walk went back');
    seen.push(...ids);
    const block = body.cursor;
    assert.equal(block.per_page, walk.perPage);
    assert.equal(block.has_more, block.next_cursor !== null);
    assert.equal(body.pagination, undefined);
    // Only the last page may be short: a short one in between looks like the end to a client.
    if (block.has_more) assert.equal(ids.length, walk.perPage);
    cursor = block.next_cursor;
  }
  return seen;
}

/** All ids of a walk by page number; checks each page's paging block against the whole list. */
async function walkByPage(server: TestServer, walk: Walk, expected: readonly number[]): Promise<number[]> {
  const seen: number[] = [];
  const { perPage } = walk;
  const totalPages = Math.ceil(expected.length / perPage);
  let page: number | null = 1;
  while (page !== null) {
    const response = await server.request(address(walk, `page=${page}`));
    const body = response.json();
    const from = seen.length + 1;
    seen.push(...idsOf(body));
    assert.deepEqual(body.pagination, {
      current_page: page,
      per_page: perPage,
      total: expected.length,
      total_pages: totalPages,
      has_next_page: page < totalPages,
      has_previous_page: page > 1,
      next_page: page < totalPages ? page + 1 : null,
      previous_page: page > 1 ? page - 1 : null,
      from: expected.length === 0 ? 0 : from,
      to: seen.length,
    });
    page = body.pagination.next_page;
  }
  return seen;
}

async function assertWalks(
  server: TestServer,
  path: Walk['path'],
  pageSizes: readonly number[],
  idsFor: (platform: (typeof PLATFORMS)[number]) => readonly number[],
): Promise<void> {
  for (const platform of PLATFORMS) {
    const expected = idsFor(platform);
    assert.ok(expected.length > 1, `${platform} has too little to walk through`);
    for (const perPage of pageSizes) {
      const walk: Walk = { path, platform, perPage };
      assert.deepEqual(await walkByCursor(server, walk), expected, JSON.stringify(walk));
      assert.deepEqual(await walkByPage(server, walk, expected), expected, JSON.stringify(walk));
    }
  }
}

test('a walk of /all by cursor and by page gives every published advisory once, newest id first', async (t) => {
  const records = overAllPlatforms(inventedRecords(RECORDS, printedSeed(t)));
  const server = await startServer(t, { records: records.map(feedJson) });
  await assertWalks(server, '/all', PAGE_SIZES, (platform) => listedIds(records, platform));
});

test('a walk of /all works item by item and omits withdrawn advisories', async (t) => {
  const records = overAllPlatforms(inventedRecords(120, printedSeed(t))).map((record, i) =>
    i % 5 === 0 ? { ...record, withdrawn_at: '2026-03-01T00:00:00Z' } : record,
  );
  const server = await startServer(t, { records: records.map(feedJson) });
  await assertWalks(server, '/all', [1, 7], (platform) => listedIds(records, platform));
});

test('a list whose length is a multiple of the page size ends without an empty page', async (t) => {
  const plugins = inventedRecords(60, printedSeed(t)).filter((record) => isListed(record, 'wordpress'));
  const records = plugins.slice(0, 42);
  assert.equal(records.length, 42);
  const server = await startServer(t, { records: records.map(feedJson) });
  const expected = listedIds(records, 'wordpress');
  for (const perPage of [42, 21, 14, 7]) {
    let requests = 1;
    const walk: Walk = { path: '/all', platform: 'wordpress', perPage };
    const seen = await walkByCursor(server, walk, async () => {
      requests++;
    });
    assert.deepEqual(seen, expected);
    assert.equal(requests, expected.length / perPage);
  }
});

test('a swap during a walk by cursor loses or repeats nothing that is in both snapshots', async (t) => {
  const seed = printedSeed(t);
  const dice = new Dice(seed);
  const all = overAllPlatforms(inventedRecords(RECORDS, seed));
  const known = Math.floor((RECORDS * 2) / 3);
  // The newest third is only in the second snapshot; the rest may be in either or both, so that below the
  // cursor some advisories disappear and some appear.
  const first = all.slice(0, known).filter(() => dice.chance(0.75));
  const later = all.filter((_, i) => i >= known || dice.chance(0.85));
  assert.ok(later.length > first.length);
  for (const platform of PLATFORMS) {
    for (const perPage of isFull ? [7, 100] : [3, 7]) {
      const server = await startServer(t, { records: first.map(feedJson) });
      const before = listedIds(first, platform);
      const swapAt = Math.max(1, Math.floor(before.length / perPage / 2)) * perPage;
      const cut = before[swapAt - 1];
      // Even the advisory that the cursor points at is gone.
      const second = later.filter(({ id }) => id !== cut);
      const after = listedIds(second, platform);
      let firstId: string | undefined;
      const seen = await walkByCursor(server, { path: '/all', platform, perPage }, async (ids) => {
        if (ids.length !== swapAt) return;
        firstId = server.swap.current()?.id;
        await server.publish(second.map(feedJson), SECOND_BUILD_MS);
      });
      assert.ok(firstId !== undefined && server.swap.current()?.id !== firstId, 'nothing was swapped');
      const label = `${platform}, ${perPage} a page, swapped below ${cut}`;
      assert.equal(new Set(seen).size, seen.length, `repeated: ${label}`);
      const held = new Set(after);
      const met = new Set(seen);
      const lost = before.filter((id) => held.has(id) && !met.has(id));
      assert.deepEqual(lost, [], `lost: ${label}`);
      // Exactly the first snapshot's advisories above the cursor and the second one's below.
      const expected = [...before.filter((id) => id >= cut), ...after.filter((id) => id < cut)];
      assert.deepEqual(seen, expected, label);
    }
  }
});

/** The records that /latest shows when its 24 hours end at the newest one. */
function latestIds(records: readonly FeedRecord[], platform: (typeof PLATFORMS)[number]): number[] {
  // The snapshot has whole seconds.
  const secondsOf = (record: FeedRecord): number => Math.floor(Date.parse(record.created_at) / 1000);
  const published = records.filter(({ withdrawn_at }) => withdrawn_at === undefined);
  const newest = Math.max(...published.map(secondsOf));
  return listedIds(
    records.filter((record) => secondsOf(record) >= newest - DAY_SECONDS),
    platform,
  );
}

test('a walk of /latest by cursor and by page gives every advisory of the last day once', async (t) => {
  const records = overAllPlatforms(inventedRecords(RECORDS, printedSeed(t))).map((record, i) =>
    // Moves a part of the feed into the last day, so that its ids are spread over the feed.
    i % LATEST_EVERY === 0 ? { ...record, created_at: '2026-03-01T05:00:00+02:00' } : record,
  );
  const server = await startServer(t, { records: records.map(feedJson), latestAnchor: 'snapshot' });
  for (const platform of PLATFORMS) {
    const count = latestIds(records, platform).length;
    assert.ok(count > 5 && count < records.length / 2, `${count} in the window of ${platform}`);
  }
  await assertWalks(server, '/latest', [1, ...PAGE_SIZES], (platform) => latestIds(records, platform));
});
