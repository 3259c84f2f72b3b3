// Every dialect says the same about a version: random versions of the products of a snapshot, asked in each
// of them and compared with a scan of the spans. Over the real data if it is beside this repository, else
// over invented data.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { recordsOf } from '../../src/dialects/osv/records.ts';
import { recordId } from '../../src/dialects/wordfence/record.ts';
import { wordfence } from '../../src/dialects/wordfence/wordfence.ts';
import { Dice } from '../../src/generator/dice.ts';
import type { Generation } from '../../src/index/generation.ts';
import { formatPsid } from '../../src/index/lookup/alias-table.ts';
import { VERSION_SCHEMES } from '../../src/index/versions/version-key.ts';
import { type AskedPair, drawPair, ScanOracle } from '../support/answers/asked-pairs.ts';
import { writeFeed } from '../support/feeds/advisories.ts';
import { feedJson, inventedRecords } from '../support/feeds/invented-feed.ts';
import { realDataOptions } from '../support/feeds/real-data.ts';
import { temporaryFolder } from '../support/folder.ts';
import { printedSeed } from '../support/seed.ts';
import { inProcess } from '../support/serving/in-process.ts';
import { generationOfFeeds, realGeneration } from '../support/snapshots/generation.ts';
import { volume } from '../support/volume.ts';
import { AskedDialects, pathOf } from './asked-dialects.ts';
import { isShown, WordfenceReader, type WpscanEntry } from './asked-feeds.ts';

const PAIRS = volume(3_000);
const CHUNK = 1_000; // as many as an OSV batch takes
const INVENTED = 4_000;
const OSV_SINGLE_EVERY = 5;

async function sampleGeneration(t: TestContext): Promise<Generation> {
  if (realDataOptions.skip === false) return realGeneration('wordpress', 'npm');
  const path = join(temporaryFolder(t), 'invented.ndjson');
  writeFeed(path, inventedRecords(INVENTED, 12).map(feedJson));
  return generationOfFeeds(t, [path]);
}

test('all dialects say the same about random versions, which is what a scan of the spans says', async (t) => {
  const generation = await sampleGeneration(t);
  const files = new Map(wordfence.prepare?.(generation));
  const asked = new AskedDialects(inProcess(generation, () => ({ snapshot: generation.id, files })));
  const feed = new WordfenceReader(asked.answer('/wordfence/v3/vulnerabilities/scanner'));
  const dice = new Dice(printedSeed(t));
  const oracle = new ScanOracle(generation);
  const counts = {
    pairs: 0,
    hits: 0,
    several: 0,
    invalid: 0,
    npm: 0,
    wordfence: 0,
    wpscan: 0,
    wpscanMore: 0,
    core: 0,
  };
  for (let left = PAIRS; left > 0; left -= CHUNK) {
    const pairs = Array.from({ length: Math.min(left, CHUNK) }, () => drawPair(dice, generation, oracle));
    const npm = pairs.filter(({ type }) => type === 'npm');
    counts.pairs += pairs.length;
    counts.npm += npm.length;
    counts.invalid += pairs.filter(({ expected }) => expected === undefined).length;
    counts.hits += pairs.filter(({ expected = [] }) => expected.length > 0).length;
    counts.several += pairs.filter(({ expected = [] }) => expected.length > 1).length;

    const verdicts = {
      product: asked.product(pairs),
      explain: asked.explain(pairs),
      batch: asked.batch(pairs),
      flatProduct: asked.flatProduct(pairs),
    };
    for (const [name, said] of Object.entries(verdicts))
      assertEqual(name, pairs, said, ({ expected }) => expected);
    const flags = {
      exists: asked.exists(pairs),
      batchExists: asked.batchExists(pairs),
      flatExists: asked.flatExists(pairs),
    };
    for (const [name, said] of Object.entries(flags)) {
      assertEqual(name, pairs, said, ({ expected }) =>
        expected === undefined ? undefined : expected.length > 0,
      );
    }
    assertEqual('flatBatch', pairs, asked.flatBatch(pairs), (pair) => pair.expected ?? oracle.allOf(pair));
    for (const [name, said] of Object.entries({ bulk: asked.npmBulk(npm), quick: asked.npmQuick(npm) })) {
      assertEqual(name, npm, said, ({ expected }) => expected ?? []);
    }
    asked.assertBulkOfSeveral(npm);
    assertOsvAgrees(generation, asked, pairs);
    for (const pair of pairs.filter((each) => hasUsualScheme(generation, each))) {
      counts.wordfence++;
      assertFeedAgrees(generation, feed, pair);
      if (pair.type === 'wordpress') counts.core += assertWpscanCoreAgrees(generation, asked, pair) ? 1 : 0;
      else {
        counts.wpscan++;
        counts.wpscanMore += wpscanBeyond(generation, asked, pair);
      }
    }
  }
  t.diagnostic(`${JSON.stringify(counts)} of ${generation.publishedCount} advisories`);
  assert.ok(counts.hits > counts.pairs * 0.3 && counts.hits < counts.pairs * 0.95, `${counts.hits} hits`);
  assert.ok(counts.several > counts.pairs * 0.05 && counts.invalid > 0 && counts.npm > 0);
  assert.ok(counts.wordfence > 0 && counts.wpscan > 0);
});

function assertEqual<Said>(
  name: string,
  pairs: readonly AskedPair[],
  said: readonly Said[],
  expectedOf: (pair: AskedPair) => Said,
): void {
  assert.equal(said.length, pairs.length, name);
  said.forEach((each, i) => {
    const expected = expectedOf(pairs[i]);
    // As text first: assert's own comparison takes longer than the lookup and the scan.
    if (JSON.stringify(each) !== JSON.stringify(expected))
      assert.deepEqual(each, expected, `${name}: ${pathOf(pairs[i])}`);
  });
}

function ordinalsOf(generation: Generation, { expected = [] }: AskedPair): number[] {
  return expected.map((id) => generation.findId(id) as number); // ids of this generation
}

/** OSV answers with records, which are one for all products of a source record. */
function assertOsvAgrees(generation: Generation, asked: AskedDialects, pairs: readonly AskedPair[]): void {
  const records = recordsOf(generation);
  const expectedOf = (pair: AskedPair): string[] => [
    ...new Set(ordinalsOf(generation, pair).map((ordinal) => records.idOf(records.headOf(ordinal)))),
  ];
  const read = pairs.filter(({ expected }) => expected !== undefined);
  assertEqual('osv batch', read, asked.osvBatch(read), expectedOf);
  const some = read.filter((_, i) => i % OSV_SINGLE_EVERY === 0);
  assertEqual(
    'osv query',
    some,
    some.map((pair) => asked.osvQuery(pair)),
    expectedOf,
  );
  for (const pair of pairs) if (pair.expected === undefined) asked.assertOsvRefuses(pair);
}

/**
 * Known WordPress products of which clients can know how versions compare: WordPress's readers have no other
 * scheme.
 */
function hasUsualScheme(generation: Generation, { type, name, expected }: AskedPair): boolean {
  const product = generation.findProduct(type, name);
  if (type === 'npm' || product === undefined || expected === undefined) return false;
  const { advisoryScheme } = generation.parts.columns;
  const usual = VERSION_SCHEMES.indexOf('wordpress');
  return generation.advisoriesOf(product).every((ordinal) => advisoryScheme[ordinal] === usual);
}

function assertFeedAgrees(generation: Generation, feed: WordfenceReader, pair: AskedPair): void {
  const uuids = ordinalsOf(generation, pair).map((ordinal) => {
    const published = generation.siblingsOf(ordinal).filter((each) => each < generation.publishedCount);
    return recordId(generation, published[published.length - 1]);
  });
  const found = feed.find(pair.type, pair.name, pair.version);
  assertEqual('wordfence', [pair], [found], () => [...new Set(uuids)].sort());
}

/**
 * Clients of WPScan compare by PHP's order, so they may show more, but miss nothing: except versions with a
 * word, where the two orders differ. Returns how many advisories they show beyond those that apply.
 */
function wpscanBeyond(generation: Generation, asked: AskedDialects, pair: AskedPair): number {
  const { type, name, version } = pair;
  const answer = asked.answer(`/wpscan/api/v3/${type}s/${encodeURIComponent(name)}`);
  const entries = answer[name].vulnerabilities as readonly WpscanEntry[];
  const shown = new Set(entries.filter((entry) => isShown(entry, version)).map(({ id }) => id));
  const applying = ordinalsOf(generation, pair).map((ordinal) => psidOf(generation, ordinal));
  const missed = applying.filter((psid) => !shown.has(psid));
  // Whatever is not a digit or a separator is a word to PHP, as in ^1.0.0.
  const hasWord = /[^\d.+_-]/.test(version);
  if (!hasWord) assert.deepEqual(missed, [], `wpscan: ${pathOf(pair)}`);
  return shown.size + missed.length - applying.length;
}

/** Clients ask about a version of WordPress without its dots. Returns whether this one can be asked about. */
function assertWpscanCoreAgrees(generation: Generation, asked: AskedDialects, pair: AskedPair): boolean {
  const { version } = pair;
  if (!/^[1-9]\d?\.\d(\.[1-9]\d?)?$/.test(version)) return false;
  const answer = asked.answer(`/wpscan/api/v3/wordpresses/${version.replaceAll('.', '')}`);
  const entries = answer[version].vulnerabilities as readonly WpscanEntry[];
  const expected = ordinalsOf(generation, pair).map((ordinal) => psidOf(generation, ordinal));
  assertEqual('wpscan core', [pair], [entries.map(({ id }) => id)], () => expected);
  return true;
}

function psidOf({ parts }: Generation, ordinal: number): string {
  return formatPsid(parts.columns.advisoryPsid[ordinal]);
}
