// Records as clients read them: members, ids, packages, and that strict readers accept every one.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { recordJson } from '../../../src/dialects/osv/record.ts';
import { recordsOf } from '../../../src/dialects/osv/records.ts';
import { ThreadMemory } from '../../../src/index/memory/thread-memory.ts';
import { osvSchemaProblems } from '../../support/answers/osv-schema.ts';
import { assertStrictRecord } from '../../support/answers/osv-strict.ts';
import { type FeedJson, feedRecord, npmProduct, span, writeFeed } from '../../support/feeds/advisories.ts';
import { feedJson, inventedRecords } from '../../support/feeds/invented-feed.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { printedSeed } from '../../support/seed.ts';
import { complaintsOf } from '../../support/serving/openapi.ts';
import { startServer } from '../../support/serving/server.ts';
import { generationOfFeeds } from '../../support/snapshots/generation.ts';

const RECORD_SCHEMA = { $ref: '#/components/schemas/OsvRecord' };

const MULTI: FeedJson = {
  source_id: 'GHSA-aaaa-bbbb-cccc',
  ghsa: 'GHSA-aaaa-bbbb-cccc',
  cves: ['CVE-2026-1'],
  aliases: ['SNYK-JS-1'],
};

const SPECIFIC = { z: 1.5, imports: [{ symbols: ['B.C', 'a'], path: 'example.com/m/é' }], a: null };

const RECORDS: readonly FeedJson[] = [
  feedRecord(1, {
    ...MULTI,
    psid: '000000000001',
    product: npmProduct('@scope/one'),
    disclosed_at: '2026-01-02T03:04:05Z',
    modified_at: '2026-02-03T04:05:06Z',
    description: 'Short.',
    details: '# Long\n\nText with "quotes" and grüße.',
    severity: 'HIGH',
    url: 'https://advisories.example/1',
    references: [
      { url: 'https://advisories.example/1/fix', title: 'Fix' },
      { url: 'https://advisories.example/a b', title: 'anything' },
      { url: 'not a uri', title: 'Report' },
    ],
    affected: [span(null, '1.5.0', 'exclusive', '1.5.0'), span('2.0.0', '2.3.0', 'inclusive', '2.4.0')],
    credit: { name: 'Ann', url: 'https://ann.example' },
    submitter: { name: 'Ben', url: '' },
    sources: [
      { name: 'Source', notice: 'Copyright', license: 'CC-BY-4.0', license_url: 'https://license.example' },
    ],
    epss: { score: 0.5, percentile: 0.75 },
    kev_date: '2026-01-05',
    is_exploited: true,
    patch_priority: 3,
  }),
  feedRecord(2, {
    ...MULTI,
    psid: '000000000002',
    product: npmProduct('two', 12),
    modified_at: '2026-02-03T04:05:07Z',
    cvss: { score: 5, vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:N/A:N' },
  }),
  feedRecord(3, { ...MULTI, product: npmProduct('gone', 13), withdrawn_at: '2026-01-05T00:00:00Z' }),
  feedRecord(4, {
    psid: '000000000004',
    cvss: { score: 4.4, vector: 'made up' },
    cves: [],
    description: '',
    version_scheme: 'php',
    affected: [span('1.0', '2.0')],
  }),
  feedRecord(6, {
    source_id: 'GO-2026-0006',
    product: { id: 16, type: 'golang', slug: 'example.com/m', name: 'example.com/m' },
    ecosystem_specific: SPECIFIC,
  }),
  feedRecord(5, {
    source_id: 'GHSA-gone-gone-gone',
    withdrawn_at: '2026-01-05T00:00:00Z',
    product: npmProduct('x', 15),
  }),
];

const server = await startServer({ after }, { records: RECORDS });

// biome-ignore lint/suspicious/noExplicitAny: the tests say what they expect by asserting on it
async function record(id: string): Promise<any> {
  const response = await server.request(`/osv/v1/vulns/${id}`);
  assert.equal(response.status, 200, id);
  const value = response.json();
  assertStrictRecord(value);
  return value;
}

test('a record has what its advisories say, in the schema of OSV', async () => {
  assert.deepEqual(await record('GHSA-aaaa-bbbb-cccc'), {
    schema_version: '1.7.5',
    id: 'GHSA-aaaa-bbbb-cccc',
    modified: '2026-02-03T04:05:07Z',
    published: '2026-01-02T03:04:05Z',
    aliases: ['CVE-2026-1', 'SNYK-JS-1'],
    summary: 'Advisory 2',
    details: 'What 2 is about.',
    affected: [
      {
        package: { ecosystem: 'npm', name: 'two', purl: 'pkg:npm/two' },
        severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:N/A:N' }],
        ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed: '1.5.0' }] }],
        versions: [],
      },
      {
        package: { ecosystem: 'npm', name: '@scope/one', purl: 'pkg:npm/%40scope/one' },
        severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N' }],
        ranges: [
          { type: 'SEMVER', events: [{ introduced: '0' }, { fixed: '1.5.0' }] },
          { type: 'SEMVER', events: [{ introduced: '2.0.0' }, { last_affected: '2.3.0' }] },
        ],
        versions: [],
        database_specific: { fixed_in: ['2.4.0'] },
      },
    ],
    references: [
      { type: 'ADVISORY', url: 'https://advisories.example/2' },
      { type: 'WEB', url: 'https://advisories.example/2/fix' },
      { type: 'ADVISORY', url: 'https://advisories.example/1' },
      { type: 'FIX', url: 'https://advisories.example/1/fix' },
      { type: 'WEB', url: 'https://advisories.example/a%20b' },
    ],
    database_specific: {
      ids: [2, 1],
      psids: ['000000000002', '000000000001'],
      kind: 'vulnerability',
      vuln_type: 'SQL Injection',
      cwe_ids: ['CWE-89'],
      cvss_score: 5,
      is_exploited: false,
      patch_priority: 1,
      other_references: ['not a uri'],
    },
  });
});

test('what the schema has no place for is in database_specific', async () => {
  const { details, severity, aliases, affected, database_specific } = await record('PSID-000000000004');
  assert.equal(details, undefined);
  assert.equal(severity, undefined);
  assert.equal(aliases, undefined);
  assert.deepEqual(affected, [
    {
      package: { ecosystem: 'WordPress', name: 'plugin/gallery' },
      ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '1.0' }, { last_affected: '2.0' }] }],
      versions: [],
      database_specific: { version_scheme: 'php' },
    },
  ]);
  assert.equal(database_specific.cvss_score, 4.4);
  assert.equal(database_specific.cvss_vector, 'made up');
});

test('without a word from the source, a record was modified when the snapshot was built', async () => {
  assert.equal((await record('PSID-000000000004')).modified, '2026-01-10T00:00:00Z');
});

test('a withdrawn record says so; a withdrawn package of a published one is left out', async () => {
  assert.equal((await record('GHSA-gone-gone-gone')).withdrawn, '2026-01-05T00:00:00Z');
  const published = await record('GHSA-aaaa-bbbb-cccc');
  assert.equal(published.withdrawn, undefined);
  assert.ok(
    published.affected.every((entry: { package: { name: string } }) => entry.package.name !== 'gone'),
  );
});

test('people, licences and ratings are told', async (t) => {
  const alone = await startServer(t, { records: [RECORDS[0]] });
  const value = (await alone.request('/osv/v1/vulns/CVE-2026-1')).json();
  assert.equal(value.summary, 'Advisory 1');
  assert.equal(value.details, '# Long\n\nText with "quotes" and grüße.');
  assert.deepEqual(value.severity, [
    { type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N' },
  ]);
  assert.deepEqual(value.credits, [
    { name: 'Ann', contact: ['https://ann.example'], type: 'FINDER' },
    { name: 'Ben', type: 'REPORTER' },
  ]);
  const { severity, epss, kev_date, sources, is_exploited, patch_priority } = value.database_specific;
  assert.deepEqual(
    { severity, epss, kev_date, is_exploited, patch_priority },
    {
      severity: 'HIGH',
      epss: { score: 0.5, percentile: 0.75 },
      kev_date: '2026-01-05',
      is_exploited: true,
      patch_priority: 3,
    },
  );
  assert.deepEqual(sources, [
    { name: 'Source', notice: 'Copyright', license: 'CC-BY-4.0', license_url: 'https://license.example' },
  ]);
});

/** The records of an invented feed, each as its text. */
async function inventedTexts(t: TestContext): Promise<string[]> {
  const feed = join(temporaryFolder(t), 'feed.ndjson');
  writeFeed(feed, inventedRecords(500, printedSeed(t)).map(feedJson));
  const generation = await generationOfFeeds(t, [feed]);
  const memory = new ThreadMemory(generation);
  const records = recordsOf(generation);
  return Array.from({ length: generation.advisoryCount }, (_, ordinal) => ordinal)
    .filter((ordinal) => records.headOf(ordinal) === ordinal)
    .map((head) => recordJson(generation, memory, head));
}

test('strict readers accept every record of a feed', async (t) => {
  for (const text of await inventedTexts(t)) {
    assertStrictRecord(JSON.parse(text));
    assert.deepEqual(complaintsOf(RECORD_SCHEMA, JSON.parse(text)), [], text);
  }
});

test('the JSON schema of OSV accepts every record of a feed', async (t) => {
  for (const text of await inventedTexts(t)) assert.deepEqual(osvSchemaProblems(JSON.parse(text)), [], text);
});

test('what the source says of an ecosystem is in the record byte for byte', async () => {
  const { text } = await server.request('/osv/v1/vulns/GO-2026-0006');
  assert.ok(text.includes(`"ecosystem_specific":${JSON.stringify(SPECIFIC)}`), text);
  assertStrictRecord(JSON.parse(text));
  const { affected } = await record('GHSA-aaaa-bbbb-cccc');
  assert.ok(affected.every((entry: object) => !('ecosystem_specific' in entry)));
});
