// The data that the console is tried with: advisories as an attacker would write them, ordinary ones, and an
// invented feed.

import { join } from 'node:path';
import { compileFeeds } from '../../../src/cli/sources/compile-feeds.ts';
import type { FeedRecord } from '../../../src/generator/feed-record.ts';
import { type FeedJson, feedRecord, npmProduct, span, writeFeed } from '../../support/feeds/advisories.ts';
import { inventedRecords } from '../../support/feeds/invented-feed.ts';
import { MARKER_IDS, MARKER_SLUG } from '../../support/load/builds.ts';

/** Would call `alert`, and ask for a file that does not exist, if a page took it for markup. */
export const MARKUP_SLUG = '<img src=x onerror=alert(1)>';
export const PLUGIN_MARKUP_SLUG = '"><svg onload=alert(7)>';
export const HOSTILE_URL = 'javascript:alert(2)';
/** A product with every kind of span; its versions are asked for in the tests of the ruler. */
export const RULED = 'ruled-gallery';
/** 30 KB. */
const LONG_TEXT = 'A sentence of the long report. '.repeat(1_000);
const LONG_DETAILS = `# Long\n\n<script>alert(3)</script> <b onmouseover="alert(4)">bold</b>\n\n${LONG_TEXT}`;

const INVENTED = 2_000;
const SEED = 1;
const BUILT_AT_MS = Date.UTC(2026, 5, 1);

const RULED_PRODUCT = { id: 9_000_100, type: 'plugin', slug: RULED, name: 'Ruled Gallery' };

/** Four advisories; 2.0 is affected by the critical and the unrated one, and 3.0.1 clears everything. */
export const RULED_RECORDS: readonly FeedJson[] = [
  feedRecord(9_000_101, {
    title: 'Ruled Gallery: SQL injection in the album search',
    product: RULED_PRODUCT,
    cvss: { score: 9.8, vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' },
    is_exploited: true,
    affected: [span('1.5', '2.4', 'exclusive', '2.4')],
    sources: [{ name: 'Somebody', notice: 'Copyright Somebody', license: 'CC-BY-4.0' }],
  }),
  feedRecord(9_000_102, {
    title: 'Ruled Gallery: not rated',
    product: RULED_PRODUCT,
    cvss: { score: null, vector: null },
    affected: [span('2.0', '3.0', 'inclusive', '3.0.1')],
  }),
  feedRecord(9_000_103, {
    title: 'Ruled Gallery: open redirect',
    product: RULED_PRODUCT,
    cvss: { score: 4.3, vector: 'CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:U/C:L/I:N/A:N' },
    affected: [span(null, '1.2', 'exclusive', '1.2')],
  }),
  feedRecord(9_000_104, {
    title: 'Ruled Gallery: weak nonce',
    product: RULED_PRODUCT,
    cvss: { score: 2.1, vector: 'CVSS:3.1/AV:L/AC:H/PR:L/UI:R/S:U/C:L/I:N/A:N' },
    affected: [span('1.0', '1.8', 'exclusive', '1.8')],
  }),
];

/** An npm package that has a fix. */
export const NPM_RULED = 'ruled-left';
const NPM_RECORD = feedRecord(9_000_301, {
  title: 'ruled-left: prototype pollution',
  product: npmProduct(NPM_RULED, 9_000_300),
  cvss: { score: 9.1, vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:N' },
  affected: [span(null, '2.0.0', 'exclusive', '2.0.0')],
});

/** What an advisory may contain that must stay text. */
export const HOSTILE_RECORDS: readonly FeedJson[] = [
  feedRecord(9_000_201, {
    title: `Title ${MARKUP_SLUG}`,
    description: `Description ${MARKUP_SLUG} <script>alert(5)</script> ${LONG_TEXT}`,
    details: LONG_DETAILS,
    product: npmProduct(MARKUP_SLUG, 9_000_200),
    references: [
      { url: HOSTILE_URL, title: 'hostile reference' },
      { url: 'data:text/html,<script>alert(6)</script>', title: 'data reference' },
      { url: 'https://advisories.example/sound', title: 'sound reference' },
    ],
    credit: { name: MARKUP_SLUG, url: HOSTILE_URL },
    submitter: { name: MARKUP_SLUG, url: HOSTILE_URL },
    sources: [{ name: MARKUP_SLUG, notice: MARKUP_SLUG, license: 'MIT', license_url: HOSTILE_URL }],
    affected: [span(null, '2.0.0', 'exclusive', '2.0.0')],
  }),
  feedRecord(9_000_202, {
    title: 'A plugin with markup in its slug',
    product: {
      id: 9_000_201,
      type: 'plugin',
      slug: PLUGIN_MARKUP_SLUG,
      name: PLUGIN_MARKUP_SLUG,
    },
    affected: [span(null, null)],
  }),
];

const MARKERS = MARKER_IDS.map((id) =>
  feedRecord(id, {
    created_at: '2026-03-01T12:00:00Z',
    cves: [],
    product: { id: 9_000_000, type: 'plugin', slug: MARKER_SLUG, name: 'Marker' },
    affected: [span(null, '2.0.0', 'exclusive', '2.0.0')],
  }),
);

export interface Data {
  /** The invented part. */
  readonly invented: readonly FeedRecord[];
  /** Compiles a snapshot with further records to `path`. A higher number is a newer one. */
  compile(path: string, number: number, further?: readonly FeedJson[]): Promise<string>;
}

/** Keeps its feeds in the folder. */
export function inventData(folder: string): Data {
  const invented = inventedRecords(INVENTED, SEED);
  const feed = join(folder, 'invented.ndjson');
  writeFeed(
    feed,
    invented.map((record) => JSON.parse(JSON.stringify(record)) as FeedJson),
  ); // without undefined members
  return {
    invented,
    compile: async (path, number, further = []) => {
      const own = join(folder, `own-${number}.ndjson`);
      writeFeed(own, [...MARKERS, ...RULED_RECORDS, NPM_RECORD, ...HOSTILE_RECORDS, ...further]);
      const problems: string[] = [];
      const plan = {
        feeds: [feed, own],
        out: path,
        skipInvalid: false,
        builtAtMs: BUILT_AT_MS + number * 60_000,
      };
      const { id } = await compileFeeds(plan, (line) => problems.push(line)).catch((error: unknown) => {
        throw new Error(problems.join('\n'), { cause: error });
      });
      return id;
    },
  };
}
