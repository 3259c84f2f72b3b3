// The OSV dialect over whole sets of data: a copy made from the bucket's archives, imported again, has the
// same verdicts; batches equal single queries; and a reader that evaluates records by the schema agrees with
// the server.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { addCompileCommand } from '../../src/cli/compile.ts';
import { prepareBucket } from '../../src/dialects/osv/files.ts';
import { encodePageToken } from '../../src/dialects/osv/read-query.ts';
import { Dice } from '../../src/generator/dice.ts';
import type { Generation } from '../../src/index/generation.ts';
import type { ProductType } from '../../src/index/product-type.ts';
import { VERSION_SCHEMES, type VersionScheme } from '../../src/index/versions/version-key.ts';
import { loadSnapshot } from '../../src/loader/snapshot/load.ts';
import { OsvCalls, type OsvRecordJson } from '../support/answers/osv-calls.ts';
import { osvSchemaProblems } from '../support/answers/osv-schema.ts';
import { assertStrictBatch, assertStrictList } from '../support/answers/osv-strict.ts';
import { isVulnerable } from '../support/answers/verdicts.ts';
import { runCommand } from '../support/command.ts';
import {
  isVulnerableByText,
  OSV_POOLS,
  type OsvJson,
  OTHER_ECOSYSTEM,
  osvRecord,
  randomAffected,
} from '../support/feeds/osv.ts';
import { readKnownLookups, realDataOptions } from '../support/feeds/real-data.ts';
import { writeZip } from '../support/feeds/zip-archive.ts';
import { temporaryFolder } from '../support/folder.ts';
import { compare, isOrdered } from '../support/oracles/linear-scan.ts';
import { printedSeed } from '../support/seed.ts';
import { realGeneration } from '../support/snapshots/generation.ts';
import { isFull, volume } from '../support/volume.ts';

const QUERIES = volume(5_000);
const RECORDS = 120;
const BATCH = 1000;

const PRODUCTS = Array.from({ length: 120 }, (_, i) => {
  const pool = OSV_POOLS[i % OSV_POOLS.length];
  const isNpm = pool.ecosystem === 'npm';
  const type: ProductType = isNpm ? 'npm' : i % 4 === 1 ? 'plugin' : 'theme';
  const slug = isNpm ? `@p/${i}` : `p-${i}`;
  return { pool, type, slug, name: isNpm ? slug : `${type}/${slug}` };
});

/** Each about one to three products; several about each product. */
function randomRecords(dice: Dice): OsvJson[] {
  return Array.from({ length: RECORDS }, (_, number) => {
    const affected = Array.from({ length: dice.whole(1, 3) }, () => dice.pick(PRODUCTS)).flatMap(
      ({ pool, name }) => randomAffected(dice, { ecosystem: pool.ecosystem, name }, pool.pool),
    );
    const modified = `2026-0${dice.whole(1, 9)}-01T00:00:00Z`;
    const withdrawn = dice.chance(0.1) ? { withdrawn: '2026-01-01T00:00:00Z' } : {};
    return osvRecord({ id: `MAL-2026-${1000 + number}`, modified, aliases: [], affected, ...withdrawn });
  });
}

async function compile(t: TestContext, ...archives: readonly string[]): Promise<Generation> {
  const out = join(temporaryFolder(t), 'osv.vdx');
  const sources = archives.flatMap((archive) => ['--osv', archive]);
  // Many random records affect nothing, which is a reject.
  const words = ['compile', ...sources, '--out', out, '--json', '--max-reject', '100'];
  const ran = await runCommand(addCompileCommand, ...words);
  if (ran.error !== undefined) throw ran.error;
  return loadSnapshot(out).generation;
}

async function randomGeneration(t: TestContext, dice: Dice): Promise<Generation> {
  const archive = join(temporaryFolder(t), 'all.zip');
  writeZip(
    archive,
    randomRecords(dice).map((record) => [`${record.id}.json`, JSON.stringify(record)] as const),
  );
  return compile(t, archive);
}

/** The generation compiled from those archives of another that have records. */
async function copyOf(t: TestContext, generation: Generation): Promise<Generation> {
  const folder = temporaryFolder(t);
  const archives: string[] = [];
  for (const [name, { plain }] of prepareBucket(generation)) {
    const isHeld = OSV_POOLS.some(({ ecosystem }) => name.endsWith(`/${ecosystem}/all.zip`));
    if (!isHeld) continue;
    const path = join(folder, `${archives.length}.zip`);
    writeFileSync(path, plain);
    archives.push(path);
  }
  return compile(t, ...archives);
}

function randomQuery(dice: Dice): object {
  const { pool, name } = dice.pick(PRODUCTS);
  const { ecosystem } = pool;
  const version = dice.chance(0.2) ? {} : { version: dice.pick([...pool.pool, ...pool.probes, 'banana']) };
  const token = dice.chance(0.1) ? { page_token: encodePageToken(dice.whole(1, RECORDS)) } : {};
  switch (dice.whole(0, 9)) {
    case 0:
      return { package: { ecosystem, name: `${name}-unknown` }, ...version };
    case 1:
      return { package: { ecosystem: dice.pick(['PyPI', OTHER_ECOSYSTEM]), name }, ...version };
    case 2:
      return { package: { ecosystem, name: name.split('/')[1] }, ...version };
    case 3:
    case 4:
      if (ecosystem === 'npm')
        return { package: { purl: `pkg:npm/${name.replace('@', '%40')}` }, ...version, ...token };
      return { package: { purl: `pkg:wordpress/${name}` }, ...version, ...token };
    default:
      return { package: { ecosystem, name }, ...version, ...token };
  }
}

test(`a batch equals its queries one by one: ${QUERIES} queries`, async (t) => {
  const dice = new Dice(printedSeed(t));
  const calls = new OsvCalls(await randomGeneration(t, dice));
  let listed = 0;
  for (let done = 0; done < QUERIES; done += BATCH) {
    const queries = Array.from({ length: Math.min(BATCH, QUERIES - done) }, () => randomQuery(dice)).filter(
      (query) => calls.answers(query),
    );
    const results = calls.batch(queries);
    assertStrictBatch({ results });
    queries.forEach((query, i) => {
      const { vulns, ...rest } = calls.query(query);
      const short = vulns?.map(({ id, modified }) => ({ id, modified }));
      const wanted = short === undefined ? rest : { vulns: short, ...rest };
      assert.deepEqual(results[i], wanted, JSON.stringify(query));
      listed += vulns?.length ?? 0;
    });
  }
  assert.ok(listed > QUERIES / 10, `${listed} records were listed`);
  const some = Array.from({ length: 50 }, () => randomQuery(dice)).filter((query) => calls.answers(query));
  assert.deepEqual(
    calls.fullBatch(some),
    some.map((query) => calls.query(query)),
  );
});

test('a copy made from the archives has the same verdicts, and so have its records by the schema', async (t) => {
  const dice = new Dice(printedSeed(t));
  const generation = await randomGeneration(t, dice);
  const copy = await copyOf(t, generation);
  assert.equal(copy.advisoryCount, generation.advisoryCount);
  assert.equal(copy.publishedCount, generation.publishedCount);
  const calls = new OsvCalls(generation);
  const copied = new OsvCalls(copy);
  let vulnerable = 0;
  let asked = 0;
  for (const { pool, type, slug, name } of PRODUCTS) {
    const everything = { package: { ecosystem: pool.ecosystem, name } };
    const answer = calls.query(everything);
    assertStrictList(answer);
    const records = answer.vulns ?? [];
    for (const version of [...pool.pool, ...pool.probes]) {
      const wanted = isVulnerable(generation, type, slug, version);
      assert.equal(isVulnerable(copy, type, slug, version), wanted, `${name} ${version}`);
      assert.equal(isVulnerableByRecords(records, name, pool.scheme, version), wanted, `${name} ${version}`);
      if (wanted) vulnerable++;
      asked++;
    }
    const ids = (list: readonly OsvRecordJson[] = []): string[] => list.map(({ id }) => id).sort();
    assert.deepEqual(ids(copied.query(everything).vulns), ids(records));
  }
  assert.ok(vulnerable > asked / 10 && vulnerable < asked * 0.95, `${vulnerable} of ${asked} are vulnerable`);
});

test('the JSON schema of OSV accepts every record of the archives', async (t) => {
  const calls = new OsvCalls(await randomGeneration(t, new Dice(printedSeed(t))));
  for (const { pool, name } of PRODUCTS) {
    for (const record of calls.query({ package: { ecosystem: pool.ecosystem, name } }).vulns ?? []) {
      assert.deepEqual(osvSchemaProblems(record), [], JSON.stringify(record));
    }
  }
});

/** As a client does that has the records only. */
function isVulnerableByRecords(
  records: readonly OsvRecordJson[],
  name: string,
  scheme: VersionScheme,
  version: string,
): boolean {
  return records.some(({ affected }) =>
    affected.some((entry) => {
      if (entry.package.name !== name) return false;
      const specific = entry.database_specific as { version_scheme?: VersionScheme } | undefined;
      const own = VERSION_SCHEMES.find((each) => each === specific?.version_scheme) ?? scheme;
      return isOrdered(own, version) && isVulnerableByText(version, [entry], (a, b) => compare(own, a, b));
    }),
  );
}

test(
  'the known answers to lookups of real feeds, by batches and by the records alone',
  realDataOptions,
  async () => {
    const generation = await realGeneration('wordpress', 'npm');
    const calls = new OsvCalls(generation);
    const packages = new Map<
      string,
      { records: readonly OsvRecordJson[]; ids: ReadonlyMap<string, number> }
    >();
    for (const feed of ['wordpress', 'npm'] as const) {
      const lookups = readKnownLookups(feed)
        .filter((_, i) => isFull || i % 10 === 0)
        .filter(({ q, invalid = false }) => q.version !== '' && q.version !== '*' && !invalid);
      for (let first = 0; first < lookups.length; first += BATCH) {
        const part = lookups.slice(first, first + BATCH);
        const queries = part.map(({ q }) => {
          const isNpm = q.type === 'npm';
          const name = isNpm ? q.name : q.type === 'wordpress' ? 'wordpress' : `${q.type}/${q.name}`;
          return { package: { ecosystem: isNpm ? 'npm' : 'WordPress', name }, version: q.version };
        });
        const results = calls.wholeBatch(queries);
        part.forEach(({ expect = [] }, i) => {
          const { package: named, version } = queries[i];
          const key = JSON.stringify(named);
          if (!packages.has(key)) {
            const { vulns: records = [] } = calls.query({ package: named });
            packages.set(key, {
              records,
              ids: new Map(records.map((each) => [each.id, each.database_specific.ids[0]])),
            });
          }
          const { records, ids } = packages.get(key) ?? { records: [], ids: new Map() };
          const wanted = expect.map(({ id }) => id);
          const found = results[i].map(({ id }) => ids.get(id));
          assert.deepEqual(found, wanted, `${key} ${version}`);
          const scheme = feed === 'npm' ? 'semver' : 'wordpress';
          const name = records[0]?.affected[0]?.package.name ?? '';
          const byRecords = isVulnerableByRecords(records, name, scheme, version);
          assert.equal(byRecords, wanted.length > 0, `${key} ${version} by its records`);
        });
      }
    }
  },
);
