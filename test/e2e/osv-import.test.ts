// From an export to answers: a tree of OSV records that the test writes itself, through `compile --osv`, to
// the HTTP answers of a server. Verdicts are compared with the OSV schema's evaluation of the raw events.

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { addCompileCommand } from '../../src/cli/compile.ts';
import { Dice } from '../../src/generator/dice.ts';
import { runCommand } from '../support/command.ts';
import {
  isVulnerableByText,
  npmEntry,
  OSV_POOLS,
  type OsvAffectedJson,
  type OsvJson,
  osvRecord,
  randomAffected,
} from '../support/feeds/osv.ts';
import { writeZip } from '../support/feeds/zip-archive.ts';
import { temporaryFolder } from '../support/folder.ts';
import { compare } from '../support/oracles/linear-scan.ts';
import { printedSeed } from '../support/seed.ts';
import { startServer } from '../support/serving/server.ts';
import { volume } from '../support/volume.ts';

const RECORDS = volume(50_000);
const BATCH_ITEMS = 50;
const BUILT_AT = '2026-04-01T00:00:00Z';

interface SourceSummary {
  readonly read: number;
  readonly accepted: number;
  readonly merged: number;
  readonly skipped: number;
  readonly rejected: number;
  readonly warnings: number;
  readonly skipped_by: Readonly<Record<string, number>>;
}

interface Compiled {
  readonly path: string;
  readonly id: string;
  readonly source: SourceSummary;
  readonly warnings: string;
}

/** With a registry of ids of its own. Requires: everything read is accounted for. */
async function compileOsv(t: TestContext, export_: string, ...options: string[]): Promise<Compiled> {
  const out = join(temporaryFolder(t), 'osv.vdx');
  const words = ['compile', '--osv', export_, '--out', out, '--built-at', BUILT_AT, '--json', ...options];
  const ran = await runCommand(addCompileCommand, ...words);
  if (ran.error !== undefined) throw ran.error;
  const { id, file, sources } = JSON.parse(ran.out) as { id: string; file: string; sources: SourceSummary[] };
  const [source] = sources;
  const { accepted, merged, skipped, rejected } = source;
  assert.equal(accepted + merged + skipped + rejected, source.read);
  return { path: file, id, source, warnings: ran.err };
}

/** As in a checkout of GitHub's database. */
function pathOf({ id }: OsvJson, number: number): string {
  const month = String(1 + (number % 12)).padStart(2, '0');
  return `advisories/github-reviewed/2025/${month}/${id}/${id}.json`;
}

/** A hundred files to a folder: a folder for each would take most of the test. */
const shortPathOf = ({ id }: OsvJson, number: number): string => `${Math.floor(number / 100)}/${id}.json`;

function writeTree(folder: string, records: readonly OsvJson[], nameOf = pathOf): string {
  const made = new Set<string>();
  records.forEach((record, number) => {
    const path = join(folder, nameOf(record, number));
    if (!made.has(dirname(path))) mkdirSync(dirname(path), { recursive: true });
    made.add(dirname(path));
    writeFileSync(path, JSON.stringify(record));
  });
  return folder;
}

interface RandomRecord {
  readonly record: OsvJson;
  readonly pool: (typeof OSV_POOLS)[number];
  readonly affected: readonly OsvAffectedJson[];
  /** As the server is asked for it. */
  readonly type: string;
  readonly name: string;
}

/**
 * Each about a package of its own, npm and WordPress in turn; some name a package that is not served as well.
 */
function randomRecords(dice: Dice, count: number): RandomRecord[] {
  return Array.from({ length: count }, (_, number) => {
    const pool = OSV_POOLS[number % OSV_POOLS.length];
    const isNpm = pool.ecosystem === 'npm';
    const name = isNpm ? `@p/${number}` : `p-${number}`;
    const affected = randomAffected(
      dice,
      { ecosystem: pool.ecosystem, name: isNpm ? name : `plugin/${name}` },
      pool.pool,
    );
    const foreign = dice.chance(0.1) ? [{ package: { ecosystem: 'Acme', name }, versions: ['1.0'] }] : [];
    const record = osvRecord({ id: `X-2026-${number}`, aliases: [], affected: [...foreign, ...affected] });
    return { record, pool, affected, type: isNpm ? 'npm' : 'plugin', name };
  });
}

test(`an OSV export gives the verdicts of the schema's evaluation: ${RECORDS} records, from a tree to HTTP`, async (t) => {
  const dice = new Dice(printedSeed(t));
  const records = randomRecords(dice, RECORDS);
  const tree = writeTree(
    temporaryFolder(t),
    records.map(({ record }) => record),
    shortPathOf,
  );
  // Many random records affect nothing, which is a reject.
  const { path, source } = await compileOsv(t, tree, '--max-reject', '100');
  assert.ok(source.accepted > RECORDS / 2, `${source.accepted} accepted`);
  const foreign = records.filter(({ record, affected }) => record.affected.length > affected.length).length;
  assert.equal(source.skipped_by['ecosystem Acme'], foreign);
  assert.equal(source.read, RECORDS + foreign);

  const server = await startServer(t, { snapshot: path });
  let vulnerable = 0;
  for (let first = 0; first < RECORDS; first += BATCH_ITEMS) {
    const asked = records.slice(first, first + BATCH_ITEMS).map((each) => {
      const version = dice.pick([...each.pool.pool, ...each.pool.probes]);
      return { each, query: { type: each.type, name: each.name, version, exists: true } };
    });
    const body = JSON.stringify(asked.map(({ query }) => query));
    const response = await server.request('/batch', { method: 'POST', body });
    assert.equal(response.status, 200, response.text);
    const answers: { readonly vulnerable: boolean }[] = response.json();
    asked.forEach(({ each: { affected, pool }, query: { version } }, at) => {
      const expected = isVulnerableByText(version, affected, (a, b) => compare(pool.scheme, a, b));
      const found = answers[at].vulnerable;
      if (found !== expected) {
        assert.fail(`${version} is answered with ${found}: ${JSON.stringify(affected)}`);
      }
      if (expected) vulnerable++;
    });
  }
  const share = vulnerable / RECORDS;
  assert.ok(share > 0.2 && share < 0.8, `${share} of the verdicts are "vulnerable"`);
});

test('an OSV export is the same snapshot, byte for byte, as a tree and as a zip archive', async (t) => {
  const records = randomRecords(new Dice(printedSeed(t)), 2000).map(({ record }) => record);
  const tree = writeTree(temporaryFolder(t), records);
  const zip = join(temporaryFolder(t), 'all.zip');
  // In the order in which the tree is read: new ids are given in the order of the records.
  const entries = records
    .map((record, number) => [pathOf(record, number), JSON.stringify(record)] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  writeZip(zip, entries);
  const [fromTree, fromZip] = [
    await compileOsv(t, tree, '--max-reject', '100'),
    await compileOsv(t, zip, '--max-reject', '100'),
  ];
  assert.equal(fromZip.id, fromTree.id);
  assert.deepEqual({ ...fromZip.source, label: '' }, { ...fromTree.source, label: '' });
});

test('an OSV export is answered with the facts of its records', async (t) => {
  const tree = writeTree(temporaryFolder(t), [
    osvRecord({
      details: '### Impact\n\nObjects can be **polluted**.',
      severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H' }],
      references: [{ type: 'FIX', url: 'https://a.example/fix' }],
      credits: [{ name: 'Ada', type: 'FINDER', contact: ['https://ada.example'] }],
      database_specific: { severity: 'HIGH', cwe_ids: ['CWE-1321'] },
      affected: [
        npmEntry('tidy-tree', [{ introduced: '2.0.0' }, { fixed: '2.1.0' }]),
        npmEntry('tidy-tree', [{ introduced: '3.0.0' }, { fixed: 'banana' }]),
        npmEntry('tidy-tree', [{ introduced: '0' }, { last_affected: '1.2.3' }]),
      ],
    }),
    osvRecord({
      id: 'MAL-2025-1',
      aliases: [],
      affected: [{ package: { ecosystem: 'npm', name: 'evil-tree' }, versions: ['1.0.0', '1.0.1'] }],
    }),
    osvRecord({ id: 'GHSA-5555-6666-7777', aliases: [], withdrawn: '2026-03-01T00:00:00.5Z' }),
  ]);
  const { path, source, warnings } = await compileOsv(t, tree);
  assert.deepEqual([source.read, source.accepted, source.warnings], [3, 3, 1]);
  assert.match(
    warnings,
    /GHSA-2222-3333-4444\.json: warning: affected\[1\]\.ranges\[0\]\.events\[1\]\.fixed: "banana" is not a semver version; the span has no end\n/,
  );
  const server = await startServer(t, { snapshot: path });
  const spansAt = async (name: string, version: string): Promise<unknown[]> => {
    const { vulnerabilities } = (await server.request(`/product/npm/${name}/${version}`)).json();
    return vulnerabilities.map((each: { matched_range: unknown }) => each.matched_range);
  };
  assert.deepEqual(await spansAt('tidy-tree', '1.2.3'), [
    { from_version: null, to_version: '1.2.3', to_bound: 'last-affected', fixed_in: null },
  ]);
  assert.deepEqual(await spansAt('tidy-tree', '2.0.5'), [
    { from_version: '2.0.0', to_version: '2.1.0', to_bound: 'exclusive', fixed_in: '2.1.0' },
  ]);
  assert.deepEqual(await spansAt('tidy-tree', '3.0.0'), [
    { from_version: '3.0.0', to_version: null, to_bound: null, fixed_in: null },
  ]);
  assert.equal((await spansAt('evil-tree', '1.0.1')).length, 1);
  assert.deepEqual(await spansAt('evil-tree', '1.0.2'), []);

  const { vulnerability, type, cvss, cve, credit, references_url } = (
    await server.request('/vulnerability/GHSA-2222-3333-4444')
  ).json();
  assert.deepEqual(
    { title: vulnerability.title, link: vulnerability.direct_url, type, cvss, cve, credit, references_url },
    {
      title: 'NPM: Prototype pollution in tidy-tree',
      link: 'https://github.com/advisories/GHSA-2222-3333-4444',
      type: "Improperly Controlled Modification of Object Prototype Attributes ('Prototype Pollution')",
      cvss: { score: 7.5, vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H' },
      cve: ['2026-1234'],
      credit: { name: 'Ada', url: 'https://ada.example' },
      references_url: [{ url: 'https://a.example/fix', title: 'Fix' }],
    },
  );
  const malware = (await server.request('/vulnerability/MAL-2025-1')).json();
  assert.equal(malware.type, 'Malicious Package');
  const withdrawn = (await server.request('/vulnerability/GHSA-5555-6666-7777')).json();
  assert.equal(withdrawn.vulnerability.withdrawn_at, '2026-03-01T00:00:00+00:00');
});

test('an OSV export that cannot be read to its end leaves nothing behind', async (t) => {
  const zip = join(temporaryFolder(t), 'all.zip');
  writeZip(zip, [
    ['a.json', JSON.stringify(osvRecord())],
    ['../b.json', '{}'],
  ]);
  await assert.rejects(compileOsv(t, zip), {
    message: /all\.zip: invalid relative path: \.\.\/b\.json; no OSV export has names that lead out/,
  });
});
