import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { removeOldSnapshots } from '../../../src/cli/refresh/old-snapshots.ts';
import { compileFeeds } from '../../../src/cli/sources/compile-feeds.ts';
import { ACCEPT_SUFFIX, formatRollBack, ROLL_BACK_FILE } from '../../../src/loader/live/markers.ts';
import { feedRecord, writeFeed } from '../../support/feeds/advisories.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { BUILT_AT_MS, compileRecords } from '../../support/snapshots/snapshots.ts';

test('the newest stay, what an order names stays, and only files that compile named are removed', async (t) => {
  const folder = temporaryFolder(t);
  const snapshots = join(folder, 'snapshots');
  const feed = join(folder, 'feed.ndjson');
  writeFeed(feed, [feedRecord(1)]);
  const made: string[] = [];
  for (let day = 0; day < 6; day++) {
    const builtAtMs = BUILT_AT_MS + day * 86_400_000;
    const { path } = await compileFeeds(
      { feeds: [feed], out: `${snapshots}/`, skipInvalid: false, builtAtMs },
      () => {},
    );
    made.push(path);
  }
  const own = await compileRecords(folder, [feedRecord(2)], { name: 'snapshots/own.vdx', builtAtMs: 1000 });
  const damaged = join(snapshots, 'vulndex-20250101T000000Z-0123456789abcdef.vdx');
  writeFileSync(damaged, 'damaged');
  for (const suffix of [ACCEPT_SUFFIX, '.rejects.ndjson']) {
    writeFileSync(made[0] + suffix, '');
    writeFileSync(made[5] + suffix, '');
  }
  const order = {
    file: basename(made[1]),
    id: '0123456789abcdef',
    newerThan: { id: '0123456789abcdef', builtAtMs: 0 },
    orderedAtMs: 0,
  };
  writeFileSync(join(snapshots, ROLL_BACK_FILE), formatRollBack(order));
  const now = BUILT_AT_MS + 10 * 86_400_000;
  assert.deepEqual(removeOldSnapshots(snapshots, 3, now), [made[2], made[0]]);
  assert.deepEqual(
    readdirSync(snapshots).toSorted(),
    [
      ...[made[1], made[3], made[4], made[5], damaged, own].map((path) => basename(path)),
      ...[`${basename(made[5])}${ACCEPT_SUFFIX}`, `${basename(made[5])}.rejects.ndjson`],
      ...['own.vdx.ndjson', ROLL_BACK_FILE],
    ].toSorted(),
  );
  assert.deepEqual(removeOldSnapshots(snapshots, 3, now), []);
});
