// What is pinned: a snapshot in the repository, its contents and the answers from it, so that a change of
// bytes on disk or on the wire cannot go unnoticed. scripts/pin.ts writes it, test/e2e/pinned.test.ts checks
// the code against it.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { REVISIONS } from '../../../src/dialects/etags.ts';
import { BLOCK_SECTION_NAMES, BLOCK_SECTIONS, COLUMN_NAMES } from '../../../src/index/columns.ts';
import { SCHEME_REVISIONS } from '../../../src/index/versions/version-key.ts';
import { FORMAT } from '../../../src/loader/format.ts';
import { type FeedJson, feedRecord, npmProduct, span } from '../feeds/advisories.ts';
import type { FolderOwner } from '../folder.ts';
import { startServer } from '../serving/server.ts';
import { inflatedBlocks } from '../snapshots/mutations.ts';
import { copyColumns } from '../snapshots/snapshots.ts';
import { words } from '../words.ts';

const FOLDER = fileURLToPath(new URL('../../fixtures/pinned', import.meta.url));
export const PINNED_SNAPSHOT = join(FOLDER, 'snapshot.vdx');
export const WORKED_EXAMPLE = join(FOLDER, 'worked-example.vdx');
export const MANIFEST = join(FOLDER, 'manifest.json');

/** The numbers that identify a layout: a change of bytes must raise one of them. */
export interface Numbers {
  readonly format: number;
  readonly schemeRevisions: Readonly<Record<string, number>>;
  readonly responseRevision: number;
}

export interface Manifest extends Numbers {
  /** Hash of the feed from which the snapshot is made. */
  readonly records: string;
  /** By section, inflated, or column. */
  readonly contents: Readonly<Record<string, string>>;
  /** By request. */
  readonly answers: Readonly<Record<string, string>>;
}

export function readManifest(): Manifest {
  return JSON.parse(readFileSync(MANIFEST, 'utf8')) as Manifest; // scripts/pin.ts wrote it
}

export function currentNumbers(): Numbers {
  return { format: FORMAT, schemeRevisions: { ...SCHEME_REVISIONS }, responseRevision: REVISIONS.patchstack };
}

export function digestOf(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}

// Around every boundary in a key: one byte or more, exact or rounded, one rank and the next.
const WORDPRESS_VERSIONS = [
  ...['1.0', '1.0.0', '1', '1.10', '1.239', '1.240', '1.255', '1.256', '1.65536', '20260110', '1.05', '1.5'],
  ...['1.0-dev', '1.0alpha', '1.0-BETA2', '1.0RC1', '1.0pl1', '1.0foo', 'V2.0', '2.0-1', '2_0+1'],
  ...['99999999999', '9223372036854775807', '99999999999999999999'],
  ...[`1${'.0'.repeat(101)}.5`, `1${'.0'.repeat(101)}rc1`], // a run of zeros of two bytes
];
const NPM_VERSIONS = [
  ...words('1.0.0 1.0.0-0 1.0.0-30 1.0.0-31 1.0.0-255 1.0.0-256 1.0.0-rc 1.0.0-RC 1.0.0-rc.1'),
  ...['239.240.255', '256.65535.65536', '1.0.9007199254740991', '1.0.0-9007199254740991'],
  ...['1.0.0-9007199254740992', '1.0.0-9007199254740994', '1.0.0-99999999999999999999', 'v2.0.0+build', '3'],
];
const SCHEMES = [undefined, 'php', 'decimal'];
/** More than two blocks of texts and of details, and enough for a dictionary of the details. */
const FILLERS = 240;

const slugOf = (scheme: string | undefined): string => `of-${scheme ?? 'default'}`;

/** Together these use every member that a record may have. */
export function pinnedRecords(): FeedJson[] {
  let id = 1_000;
  const exact = SCHEMES.flatMap((scheme, i) =>
    WORDPRESS_VERSIONS.map((version) =>
      feedRecord(id++, {
        product: { id: 30 + i, type: 'plugin', slug: slugOf(scheme), name: 'Exact' },
        affected: [],
        affected_versions: [version],
        ...(scheme === undefined ? {} : { version_scheme: scheme }),
      }),
    ),
  );
  const npm = NPM_VERSIONS.map((version) =>
    feedRecord(id++, { product: npmProduct('exact', 40), affected: [], affected_versions: [version] }),
  );
  const ranges = [
    span(null, '1.5.0', 'exclusive', '1.5.0'),
    span('1.0', '1.2', 'inclusive', '1.2.1'),
    span('2.0', '2.4', 'last-affected', null),
    span('3.0', null),
    span(null, null),
  ];
  const fillers = Array.from({ length: FILLERS }, (_, i) =>
    feedRecord(i + 1, {
      created_at: new Date(Date.UTC(2026, 0, 1) + i * 600_000).toISOString(),
      product: {
        id: 50 + (i % 7),
        type: i % 5 === 0 ? 'theme' : 'plugin',
        slug: `filler-${i % 7}`,
        name: `Filler ${i % 7}`,
      },
      affected: i % 11 === 0 ? ranges.slice(1, 3) : [ranges[i % ranges.length]],
      patch_priority: 1 + (i % 3),
      is_exploited: i % 13 === 0,
      ...(i % 17 === 0 ? { withdrawn_at: '2026-01-05T00:00:00Z' } : {}),
    }),
  );
  const rich = feedRecord(2_000, {
    psid: '0123456789ab',
    title: 'Ünïcode “title” \u2028 with 😀 and a \\ backslash',
    description: 'Short.',
    details: '# Long\n\n'.repeat(20),
    url_slug: 'rich',
    cves: ['CVE-2026-1', '2026-20'],
    ghsa: 'GHSA-aaaa-bbbb-cccc',
    modified_at: '2026-01-09T08:00:00Z',
    kind: 'informational',
    source_id: 'source-1',
    aliases: ['OTHER-2026-1'],
    sources: [{ name: 'A', notice: 'Copyright A', license: 'L', license_url: 'https://license.example/' }],
    severity: 'moderate',
    epss: { score: 0.00043, percentile: 0.12345 },
    kev_date: '2026-01-08',
    product: { id: 60, type: 'wordpress', slug: 'wordpress', name: 'WordPress', premium_name: 'Press' },
    capec: { id: 63, name: 'XSS' },
    owasp: 'A3: Injection',
    references: [{ url: 'https://advisories.example/a', title: 'A' }, { url: 'https://elsewhere.example/b' }],
    affected: [span('4.0', '4.0.9', 'inclusive', '4.0.10'), span('4.1', '4.1.8', 'exclusive', '4.1.8')],
    credit: { name: 'Someone', url: 'https://someone.example/' },
    submitter: { name: 'Another', url: 'https://another.example/' },
    ecosystem_specific: { imports: [{ path: 'example.com/a', symbols: ['B.C'] }], note: 1.5 },
  });
  return [...exact, ...npm, ...fillers, rich];
}

/** The lines of the feed in section 14 of docs/snapshot-format.md. */
export function workedRecords(page: string): FeedJson[] {
  return [...page.matchAll(/^\{"id":.*\}$/gm)].map(([line]) => JSON.parse(line) as FeedJson);
}

/** They depend on the zlib that wrote the file. */
const DEFLATED_STARTS: readonly string[] = BLOCK_SECTION_NAMES.map((name) => BLOCK_SECTIONS[name].starts);

/** Hashes of a snapshot's contents, decoded from its bytes. */
export function contentsOf(bytes: Uint8Array): Record<string, string> {
  const columns = copyColumns(bytes);
  const hashes = COLUMN_NAMES.filter((name) => !DEFLATED_STARTS.includes(name)).map((name) => {
    const { buffer, byteOffset, byteLength } = columns[name];
    return [name, digestOf(new Uint8Array(buffer, byteOffset, byteLength))] as const;
  });
  return { texts: digestOf(Buffer.concat(inflatedBlocks(bytes, 'texts'))), ...Object.fromEntries(hashes) };
}

function lookupPath(type: string, name: string, version: string): string {
  return `/product/${type}/${encodeURIComponent(name)}/${encodeURIComponent(version)}`;
}

/** GET requests as a path, POST requests as path, space, body. */
function pinnedRequests(): string[] {
  const exact = [
    ...SCHEMES.flatMap((scheme) =>
      WORDPRESS_VERSIONS.map((version) => lookupPath('plugin', slugOf(scheme), version)),
    ),
    ...NPM_VERSIONS.map((version) => lookupPath('npm', 'exact', version)),
  ];
  const items = JSON.stringify([
    { type: 'plugin', name: 'filler-1', version: '1.1' },
    { type: 'theme', name: 'filler-5', version: '2.4', exists: true },
    { type: 'npm', name: 'exact', version: 'latest' },
    { type: 'npm', name: 'exact', version: '*' },
  ]);
  return [
    '/all?per_page=500',
    '/all?per_page=7&page=3&include=details',
    '/all?platform=npm&cursor=',
    '/latest',
    '/latest?platform=npm&per_page=3',
    ...exact,
    '/product/plugin/filler-3/*',
    '/product/plugin/filler-1/1.1?include=details',
    '/product/plugin/filler-1/1.1/exists',
    '/product/wordpress/wordpress/4.1.2',
    '/product/plugin/unknown/1.0',
    ...words(`
      /vulnerability/2000 /vulnerability/0123456789AB /vulnerability/cve-2026-20 /vulnerability/18
    `),
    `/batch ${items}`,
    `/batch?include=details ${items}`,
  ];
}

/** A hash of status and body for each request. */
export async function answersOf(owner: FolderOwner, snapshot: string): Promise<Record<string, string>> {
  const server = await startServer(owner, { snapshot });
  const answers: Record<string, string> = {};
  for (const request of pinnedRequests()) {
    const [path, ...rest] = request.split(' ');
    const init = rest.length === 0 ? {} : { method: 'POST', body: rest.join(' ') };
    const { status, text } = await server.request(path, init);
    answers[request] = `${status} ${digestOf(text)}`;
  }
  return answers;
}
