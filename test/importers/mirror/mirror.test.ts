import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openMirror } from '../../../src/importers/mirror/mirror.ts';
import type { SourceEntry } from '../../../src/importers/source.ts';
import type { SourceReader } from '../../../src/importers/source-kind.ts';
import { assertSamePages } from '../../support/answers/listing-pages.ts';
import { type FeedJson, feedRecord, npmProduct, span, writeFeed } from '../../support/feeds/advisories.ts';
import { entriesOf } from '../../support/feeds/drafts.ts';
import { feedJson, inventedRecords } from '../../support/feeds/invented-feed.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { printedSeed } from '../../support/seed.ts';
import { PARTNER_KEY, startServer, type TestServer } from '../../support/serving/server.ts';

function mirrorOf({ address }: TestServer): SourceReader {
  return openMirror({ url: address, key: PARTNER_KEY, environment: {} });
}

/** The drafts as feed records, which they are once all of them have their numbers. */
function recordsOf(entries: readonly SourceEntry[]): FeedJson[] {
  return entries.map((entry) => {
    assert.ok(entry.kind === 'draft', JSON.stringify(entry));
    return JSON.parse(JSON.stringify(entry.draft.record)) as FeedJson; // what JSON gives back is JSON
  });
}

async function copyOf(t: TestContext, server: TestServer): Promise<TestServer> {
  const feed = join(temporaryFolder(t), 'copy.ndjson');
  writeFeed(feed, recordsOf(await entriesOf(mirrorOf(server))));
  return startServer(t, { feeds: [feed] });
}

/** What the generator does not make: every form of a span, of a title, and names that several types share. */
const HAND_MADE: readonly FeedJson[] = [
  feedRecord(900_001, { affected: [span(null, null)] }),
  feedRecord(900_002, { affected: [span('1.0', null)] }),
  feedRecord(900_003, { affected: [span('1.0', '1.0')], details: '# Details\n\n"quoted"' }),
  feedRecord(900_004, { affected: [span('1.0', '2.0', 'last-affected', '2.1')] }),
  feedRecord(900_005, { affected: [span('1.0', '2.0', null)] }),
  feedRecord(900_006, {
    affected: [span(null, '1.2', 'inclusive'), span('2.0', '2.5', 'exclusive', '2.5'), span('3.0', '3.1')],
  }),
  feedRecord(900_007, {
    affected: [
      span(null, '1.2', 'inclusive', '1.3'),
      span('2.0', '2.5', 'exclusive', '2.5'),
      span('3.0', null),
    ],
  }),
  feedRecord(900_008, { affected_versions: ['1.0-beta', '1.6.5-6497609', '2020-01-02'], affected: [] }),
  feedRecord(900_009, { affected: [span('1.0 beta 2', '1.5 (final)', 'inclusive', '1.6 stable')] }),
  feedRecord(900_010, { version_scheme: 'decimal', affected: [span('3.41', '3.5', 'exclusive', '3.5')] }),
  feedRecord(900_011, { version_scheme: 'php', affected: [span('1.0', '1.0.0', 'exclusive', '1.0.0')] }),
  feedRecord(900_012, {
    cves: [],
    ghsa: 'GHSA-aaaa-bbbb-cccc',
    cvss: null,
    cwe: null,
    capec: { id: 63, name: null },
    references: [],
    is_exploited: true,
    patch_priority: 3,
  }),
  feedRecord(900_013, { product: { id: 7, type: 'theme', slug: 'gallery', name: 'A theme' } }),
  feedRecord(900_014, { product: { id: 7, type: 'wordpress', slug: 'gallery', name: 'A core' } }),
  feedRecord(900_015, { product: { id: 5, type: 'wordpress', slug: 'wordpress', name: 'WordPress' } }),
  feedRecord(900_016, { product: { id: 6, type: 'plugin', slug: 'a b/c?ü', name: 'Odd "name"' } }),
  feedRecord(900_017, { withdrawn_at: '2026-02-01T00:00:00Z' }),
  feedRecord(900_018, { cves: ['CVE-CVE-2026-1'], title: 'CVE-ception \u2028 😀' }),
  feedRecord(900_019, { product: { id: 8, type: 'theme', slug: 'lonely', name: 'Lonely' } }),
  feedRecord(9_007_199_254_740_991, { created_at: '1999-12-31T23:59:60-01:00' }),
  feedRecord(900_101, {
    product: npmProduct('@scope/Pkg'),
    affected: [span('0', '1.2', 'exclusive', '1.2')],
  }),
  feedRecord(900_102, {
    product: npmProduct('pkg'),
    title: 'NPM: NPM: twice',
    affected: [span('1', '1.5', 'inclusive', '1.6'), span('v2.0.0', '2.1.0beta', 'exclusive', '2.1.0')],
  }),
  feedRecord(900_103, { product: npmProduct('pkg'), title: 'NPM: once', affected_versions: ['1.0.0-2.0.0'] }),
  feedRecord(900_104, { product: npmProduct('pkg'), affected: [span(null, '2025.08.14', 'inclusive')] }),
];

test('a mirror of this server, compiled again, has every page of /all byte for byte', async (t) => {
  const seed = printedSeed(t);
  const invented = inventedRecords(3000, seed).map(feedJson);
  const original = await startServer(t, { records: [...invented, ...HAND_MADE] });
  const copy = await copyOf(t, original);
  const pages = await assertSamePages(original, copy);
  assert.ok(pages > 100, `${pages} pages`);
});

test('a mirror of this server yields each published advisory once, with its numbers', async (t) => {
  const server = await startServer(t, { records: HAND_MADE });
  const source = mirrorOf(server);
  assert.deepEqual([source.label, source.unit], [server.address, 'records']);
  let counted = 0;
  const entries = await entriesOf(source, (records) => (counted += records));
  const listed = HAND_MADE.filter((record) => record.withdrawn_at === undefined);
  assert.equal(entries.length, listed.length);
  assert.equal(counted, listed.length);
  const records = recordsOf(entries);
  assert.deepEqual(records.map(({ id }) => id).sort(), listed.map(({ id }) => id).sort());
  for (const record of records) {
    const of = listed.find(({ id }) => id === record.id);
    const { type, id, slug } = record.product as FeedJson;
    const product = of?.product as FeedJson;
    assert.deepEqual([type, id, slug], [product.type, product.id, product.slug]);
  }
});

test('a mirror with a bad URL, key or file of certificates is refused before anything is asked', async () => {
  const refused = (url: string, key: string, message: RegExp): void => {
    assert.throws(
      () => openMirror({ url, key }),
      (error: Error) => {
        assert.match(error.message, message);
        assert.ok(!error.message.includes('pass-word'));
        return error.name === 'SourceError';
      },
    );
  };
  refused('host.example', 'k', /^--mirror: this is not a URL; give the base URL of a server/);
  refused('ftp://host.example', 'k', /this is not an http or https URL/);
  refused('https://ada:pass-word@host.example', 'k', /the URL contains a user or a password/);
  refused('https://host.example/?key=pass-word', 'k', /the URL has a query or a fragment/);
  refused('https://host.example', '', /the key is empty or has characters that a header cannot carry/);
  refused('https://host.example', 'pass-word\n', /the key is empty or has characters/);
  const source = openMirror({ url: 'https://host.example', key: 'k', caFile: '/nowhere/ca.pem' });
  await assert.rejects(entriesOf(source), {
    name: 'SourceError',
    message: /ca.pem: the certificates cannot be read/,
  });
});

test('a mirror that does not know the key is refused with a message that does not show it', async (t) => {
  const server = await startServer(t, { records: HAND_MADE });
  const source = openMirror({ url: server.address, key: 'wrong-pass-word', environment: {} });
  await assert.rejects(entriesOf(source), (error: Error) => {
    assert.match(error.message, /status 401 \(application\/problem\+json.*\): .*; check the key$/);
    return !error.message.includes('wrong-pass-word');
  });
});

test('a mirror without advisories is refused', async (t) => {
  const server = await startServer(t, { records: [feedRecord(1, { withdrawn_at: '2026-02-01T00:00:00Z' })] });
  await assert.rejects(entriesOf(mirrorOf(server)), {
    message: /the server lists no advisories; check the URL and the key/,
  });
});
