// From a file in the form of Wordfence's feed to HTTP answers, which are held against the inclusivity flags
// of the file.

import assert from 'node:assert/strict';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { addCompileCommand } from '../../src/cli/compile.ts';
import { Dice } from '../../src/generator/dice.ts';
import { runCommand } from '../support/command.ts';
import type { FeedJson } from '../support/feeds/advisories.ts';
import {
  CVE_NOTICE,
  type Interval,
  inventedWordfence,
  NOTICE,
  software,
  wordfenceId,
  wordfencePage,
  wordfenceRecord,
} from '../support/feeds/wordfence-feed.ts';
import { temporaryFolder } from '../support/folder.ts';
import { compareWordpress } from '../support/oracles/php-order.ts';
import { printedSeed } from '../support/seed.ts';
import { startServer } from '../support/serving/server.ts';
import { volume } from '../support/volume.ts';

const RECORDS = volume(50_000);
const LOOKUPS = 2000;
const BATCH = 50;

const TYPES: Readonly<Record<string, string>> = { core: 'wordpress', plugin: 'plugin', theme: 'theme' };

interface Claim {
  readonly title: string;
  readonly intervals: readonly Interval[];
}

/** Writes a feed and notes by product what it claims; returns how many products its records name. */
async function writeFeed(
  path: string,
  records: Iterable<FeedJson>,
  claims: Map<string, Claim[]>,
): Promise<number> {
  const file = createWriteStream(path);
  let before = '{';
  let products = 0;
  for (const record of records) {
    const text = `${before}${JSON.stringify(record.id)}:${JSON.stringify(record)}`;
    if (!file.write(text)) await new Promise<void>((resolve) => file.once('drain', () => resolve()));
    before = ',';
    for (const entry of record.software as readonly FeedJson[]) {
      products++;
      const product = `${TYPES[entry.type as string]} ${entry.slug}`;
      const intervals = Object.values(entry.affected_versions as Readonly<Record<string, Interval>>);
      const claim = { title: record.title as string, intervals };
      claims.set(product, [...(claims.get(product) ?? []), claim]);
    }
  }
  await new Promise<void>((resolve) => {
    file.end('}', () => resolve());
  });
  return products;
}

/**
 * Whether the flags of the feed say that the version is affected; an excluded first version is reported too.
 */
function isReported({ intervals }: Claim, version: string): boolean {
  return intervals.some(({ from_version, to_version, to_inclusive }) => {
    if (from_version !== '*' && compareWordpress(version, from_version) < 0) return false;
    const order = to_version === '*' ? -1 : compareWordpress(version, to_version);
    return to_inclusive ? order <= 0 : order < 0;
  });
}

test('a Wordfence feed becomes answers that say what its flags say', async (t) => {
  const seed = printedSeed(t);
  const dice = new Dice(seed + 1);
  const folder = temporaryFolder(t);
  const feed = join(folder, 'feed.json');
  const snapshot = join(folder, 'x.vdx');
  const claims = new Map<string, Claim[]>();
  const products = await writeFeed(feed, inventedWordfence(RECORDS, seed), claims);

  const ran = await runCommand(
    addCompileCommand,
    'compile',
    '--wordfence',
    feed,
    '--out',
    snapshot,
    '--json',
  );
  assert.equal(ran.error, undefined, ran.err);
  const summary = JSON.parse(ran.out) as { readonly advisories: number; readonly rejects: number };
  assert.deepEqual([summary.advisories, summary.rejects], [products, 0]);

  const server = await startServer(t, { snapshot });
  const names = [...claims.keys()];
  const asked = Array.from({ length: LOOKUPS }, () => {
    const product = dice.pick(names);
    const ends = (claims.get(product) ?? [])
      .flatMap(({ intervals }) => intervals)
      .flatMap(({ from_version, to_version }) => [from_version, to_version])
      .filter((end) => end !== '*');
    const near = dice.pick([...ends, '1.0']);
    return { product, version: dice.pick([near, `${near}.1`, `${near}-beta`, `${dice.whole(0, 9)}.5`]) };
  });
  let found = 0;
  let clean = 0;
  for (let at = 0; at < asked.length; at += BATCH) {
    const batch = asked.slice(at, at + BATCH);
    const items = batch.map(({ product, version }) => {
      const [type, name] = product.split(' ');
      return { type, name, version };
    });
    const response = await server.request('/batch', { method: 'POST', body: JSON.stringify(items) });
    const results = response.json() as readonly {
      readonly vulnerabilities: readonly { readonly title: string }[];
    }[];
    batch.forEach(({ product, version }, i) => {
      const titles = (claims.get(product) ?? [])
        .filter((claim) => isReported(claim, version))
        .map(({ title }) => title);
      assert.deepEqual(
        results[i].vulnerabilities.map(({ title }) => title).sort(),
        titles.sort(),
        `${product} ${version}`,
      );
      if (titles.length > 0) found++;
      else clean++;
    });
  }
  assert.ok(found > LOOKUPS / 10 && clean > LOOKUPS / 10, `${found} found, ${clean} clean`);
});

test('a record is answered with its notices, its link and its fix, and a bad span does not hide the good one', async (t) => {
  const folder = temporaryFolder(t);
  const feed = join(folder, 'feed.json');
  const snapshot = join(folder, 'x.vdx');
  const entry = software('gallery', ['[*, 1.5]', '[3.0, 2.0]'], {
    patched: true,
    patched_versions: ['1.5.1'],
  });
  await writeFeed(
    feed,
    [
      wordfenceRecord(1, { software: [entry] }),
      wordfenceRecord(2, { software: [software('bad', ['[3.0, 2.0]'])] }),
      wordfenceRecord(3, { software: [software('a', ['[*, 1]'], { type: 'library' })] }),
    ],
    new Map(),
  );
  const ran = await runCommand(
    addCompileCommand,
    ...['compile', '--wordfence', feed, '--out', snapshot, '--max-reject', '50'],
  );
  assert.equal(ran.error, undefined, ran.err);
  assert.match(
    ran.err,
    /feed\.json: 00000001-\S+: warning: software\[0\]\.affected_versions\["\[3\.0, 2\.0\]"\]: the span is empty/,
  );
  assert.match(
    ran.err,
    /feed\.json: 00000002-\S+: software\[0\]\.affected_versions\["\[3\.0, 2\.0\]"\]: the span is empty/,
  );
  assert.match(ran.out, /software type "library"/);

  const server = await startServer(t, { snapshot });
  const lookup = (await server.request('/product/plugin/gallery/1.5')).json();
  assert.deepEqual(lookup.vulnerabilities[0].matched_range, {
    from_version: null,
    to_version: '1.5',
    to_bound: 'inclusive',
    fixed_in: '1.5.1',
  });
  assert.deepEqual((await server.request('/product/plugin/gallery/2.5')).json().vulnerabilities, []);

  const { vulnerability, copyrights, credit } = (
    await server.request(`/vulnerability/${wordfenceId(1)}`)
  ).json();
  assert.equal(vulnerability.direct_url, wordfencePage(wordfenceId(1)));
  assert.deepEqual(credit, { name: 'Ada, Grace', url: '' });
  assert.deepEqual(
    (copyrights as readonly { readonly name: string; readonly notice: string }[]).map(({ name, notice }) => [
      name,
      notice,
    ]),
    [
      ['Wordfence Intelligence', 'This record contains material that is subject to copyright.'],
      ['Defiant', NOTICE],
      ['MITRE', CVE_NOTICE],
    ],
  );
});
