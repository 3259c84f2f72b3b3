import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Advisory } from '../../../src/compiler/advisory.ts';
import { packAdvisory, unpackFacts } from '../../../src/compiler/packed-advisory.ts';
import { type FeedEntry, FeedImporter, type PackedEntry } from '../../../src/importers/feed/feed.ts';
import { formatProblem, formatReject } from '../../../src/importers/source.ts';
import { PRODUCT_TYPES } from '../../../src/index/product-type.ts';
import { VERSION_SCHEMES } from '../../../src/index/versions/version-key.ts';
import { osvRecord } from '../../support/feeds/osv.ts';
import { pluck } from '../../support/pluck.ts';
import { phrases } from '../../support/words.ts';

const folder = mkdtempSync(join(tmpdir(), 'vulndex-feed-'));
after(() => rmSync(folder, { recursive: true }));

const PLUGIN = { id: 7, type: 'plugin', slug: 'tide-table', name: 'Tide Table' };
const PACKAGE = { id: 8, type: 'npm', slug: '@Moor/Rope', name: '@Moor/Rope' };
const SPAN = { from_version: null, to_version: '1.2', to_bound: 'inclusive', fixed_in: '1.3' };
const RECORD = {
  id: 41,
  title: 'Tide Table <= 1.2 - Stored XSS',
  disclosed_at: '2026-04-21T08:38:34Z',
  created_at: '2026-04-22T00:00:00+00:00',
  url: 'https://advisories.example/db/tide-table-xss',
  vuln_type: 'Cross Site Scripting (XSS)',
  product: PLUGIN,
  affected: [SPAN],
};

let files = 0;
function fileOf(content: string | Uint8Array): string {
  const path = join(folder, `${++files}.ndjson`);
  writeFileSync(path, content);
  return path;
}

async function entriesOf(importer: FeedImporter, path: string): Promise<FeedEntry[]> {
  const entries: FeedEntry[] = [];
  for await (const batch of importer.read(path)) entries.push(...batch);
  return entries;
}

/** Every entry that may be packed, and the rejects. */
async function packedEntriesOf(importer: FeedImporter, path: string): Promise<PackedEntry[]> {
  const entries: PackedEntry[] = [];
  for await (const batch of importer.readPacked(path)) entries.push(...batch);
  return entries;
}

/** Fails unless `readPacked` yields what `read` yields, packed or not. */
async function assertPackedAlike(path: string, entries: readonly FeedEntry[]): Promise<void> {
  const packed = await packedEntriesOf(new FeedImporter(), path);
  assert.deepEqual(packed.map(comparable), entries.map(comparable));
}

function comparable(entry: PackedEntry): unknown {
  if (entry.kind === 'reject' || entry.kind === 'kept') return entry;
  const packed = entry.kind === 'packed' ? entry.packed : packAdvisory(entry.advisory);
  const { id, run, facts, text, detail, body } = packed;
  const rows = [text, detail, body].map((bytes) => Buffer.from(bytes).toString('latin1'));
  return [id, run, rows, unpackFacts(facts).with(2, [])]; // the third says from which line
}

/** The entries of a file with these lines, as ids or as `line: field: message`. */
async function outcomeOf(...lines: (string | object)[]): Promise<(number | string)[]> {
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  const path = fileOf(text);
  const entries = await entriesOf(new FeedImporter(), path);
  await assertPackedAlike(path, entries);
  return entries.flatMap((entry): (number | string)[] =>
    entry.kind === 'advisory'
      ? [entry.advisory.id]
      : formatProblem(entry.reject).map((problem) => problem.slice(path.length + 1)),
  );
}

/** RECORD with these changes; undefined removes a field. */
const having = (changes: object): object => ({ ...RECORD, ...changes });

async function advisoryOf(changes: object): Promise<Advisory> {
  const [entry] = await entriesOf(new FeedImporter(), fileOf(JSON.stringify(having(changes))));
  assert.equal(entry.kind, 'advisory', entry.kind === 'reject' ? formatProblem(entry.reject).join('\n') : '');
  return entry.advisory;
}

async function problemsOf(changes: object): Promise<string[]> {
  return (await outcomeOf(having(changes))).map((problem) => String(problem).replace(/^1: /, ''));
}

test('a feed record with only the required fields gets every default', async () => {
  assert.deepEqual(await advisoryOf({}), {
    id: 41,
    psid: createHash('sha256').update('psid:41').digest('hex').slice(0, 12),
    title: RECORD.title,
    description: '',
    details: '',
    disclosedAt: Date.UTC(2026, 3, 21, 8, 38, 34) / 1000,
    createdAt: Date.UTC(2026, 3, 22) / 1000,
    modifiedAt: null,
    withdrawnAt: null,
    kind: 'vulnerability',
    url: RECORD.url,
    urlSlug: 'tide-table-xss',
    vulnType: RECORD.vuln_type,
    cves: [],
    ghsa: '',
    sourceId: '',
    aliases: [],
    sources: [],
    severity: '',
    epss: null,
    kevDate: null,
    isExploited: false,
    patchPriority: 1,
    product: { id: 7, type: 'plugin', slug: 'tide-table', name: 'Tide Table', premiumName: null },
    cvss: { score: null, vector: null },
    cwe: { id: null, name: null },
    capec: { id: null, name: null },
    owasp: '',
    references: [],
    spans: [{ from: null, to: '1.2', toBound: 'inclusive', fixedIn: '1.3' }],
    affectedVersions: [],
    versionScheme: 'wordpress',
    credit: null,
    submitter: null,
    ecosystemSpecific: '',
  });
});

test('a feed record keeps all its values', async () => {
  const said = {
    psid: '0123456789ab',
    description: 'Short.',
    details: '## Long',
    withdrawn_at: '2026-05-01T00:00:00Z',
    url_slug: 'other',
    ghsa: 'GHSA-xxxx-yyyy-zzzz',
    is_exploited: true,
    patch_priority: 3,
    product: { ...PLUGIN, premium_name: 'Tide Table Pro' },
    cvss: { score: 6.4, vector: 'CVSS:3.1/AV:N' },
    cwe: { id: 79, name: 'XSS' },
    capec: { id: 63, name: null },
    owasp: 'A3: Injection',
    version_scheme: 'decimal',
    credit: { name: 'Ada', url: 'https://ada.example' },
    submitter: null,
    unknown: [1],
  };
  const advisory = await advisoryOf(said);
  const { psid, description, details, withdrawnAt, urlSlug, ghsa, isExploited, patchPriority } = advisory;
  assert.deepEqual(
    [psid, description, details, withdrawnAt, urlSlug, ghsa, isExploited, patchPriority],
    [said.psid, 'Short.', '## Long', Date.UTC(2026, 4, 1) / 1000, 'other', said.ghsa, true, 3],
  );
  const { product, cvss, cwe, capec, owasp, versionScheme, credit, submitter } = advisory;
  assert.deepEqual(
    [product.premiumName, cvss, cwe, capec, owasp, versionScheme, credit, submitter],
    ['Tide Table Pro', said.cvss, said.cwe, said.capec, said.owasp, 'decimal', said.credit, null],
  );
});

test('a feed record keeps what only some sources say', async () => {
  const advisory = await advisoryOf({
    modified_at: '2026-05-02T00:00:00.9+00:00',
    kind: 'malware',
    source_id: 'MAL-2026-1',
    aliases: ['SNYK-1', 'SNYK-1', 'x'],
    sources: [{ name: 'A', notice: '© A', license: 'MIT', license_url: 'https://a.example' }, { name: 'B' }],
    severity: 'Important',
    epss: { score: 0.944310001, percentile: 1 },
    kev_date: '1970-01-02',
  });
  assert.equal(advisory.modifiedAt, Date.UTC(2026, 4, 2) / 1000);
  assert.deepEqual(
    [advisory.kind, advisory.sourceId, advisory.aliases, advisory.severity, advisory.kevDate],
    ['malware', 'MAL-2026-1', ['SNYK-1', 'x'], 'Important', 1],
  );
  assert.deepEqual(advisory.epss, { score: 944_310_001, percentile: 1_000_000_000 });
  assert.deepEqual(advisory.sources, [
    { name: 'A', notice: '© A', license: 'MIT', licenseUrl: 'https://a.example' },
    { name: 'B', notice: '', license: '', licenseUrl: '' },
  ]);
});

test('a feed record may have null for cvss, cwe, capec and their members', async () => {
  const { cvss, cwe, capec } = await advisoryOf({ cvss: null, cwe: { id: null }, capec: {} });
  assert.deepEqual(
    [cvss, cwe, capec],
    [
      { score: null, vector: null },
      { id: null, name: null },
      { id: null, name: null },
    ],
  );
});

test('a feed record can have dates with any offset, rounded down to seconds', async () => {
  const { disclosedAt, createdAt } = await advisoryOf({
    disclosed_at: '2026-01-01T01:30:00.999+02:00',
    created_at: '1969-12-31t23:59:59.5z',
  });
  assert.deepEqual([disclosedAt, createdAt], [Date.UTC(2025, 11, 31, 23, 30) / 1000, -1]);
  assert.equal((await advisoryOf({ created_at: '0050-03-01T00:00:00Z' })).createdAt, -60_584_198_400);
  assert.equal((await advisoryOf({ created_at: '2024-02-29T23:59:59-00:00' })).createdAt, 1_709_251_199);
  const leap = await advisoryOf({ created_at: '2016-12-31T23:59:60.5Z' });
  assert.equal(leap.createdAt, Date.UTC(2017, 0, 1) / 1000);
});

test('a feed record is rejected for a date that does not exist', async () => {
  for (const date of phrases(`
    2026-02-29T00:00:00Z | 2026-13-01T00:00:00Z | 2026-00-01T00:00:00Z | 2026-01-01T24:00:00Z |
    2016-12-31T23:59:61Z | 2026-01-01T00:00:00 | 2026-01-01 00:00:00Z | 2026-01-01T00:00:00+24:00 |
    0000-01-01T00:00:00+00:01 | 9999-12-31T23:59:59-00:01 | 9999-12-31T23:59:60Z | 2026-01-01
  `)) {
    assert.deepEqual(await problemsOf({ created_at: date }), [
      `created_at: must be an RFC 3339 date-time such as 2026-04-21T08:38:34+00:00 (got "${date}")`,
    ]);
  }
});

test('a feed record gets its URL slug from the last part of the path, escapes included, or from the host', async () => {
  const slugs = {
    'https://a.example/x/y%20z/?q=/no#/no': 'y%20z',
    'https://a.example:8443//?q': 'a.example:8443',
    'HTTP://a.example': 'a.example',
    'https://a.example?x=/y': 'a.example',
  };
  for (const [url, slug] of Object.entries(slugs)) assert.equal((await advisoryOf({ url })).urlSlug, slug);
});

test('a feed record is rejected for a URL that is not absolute or not http or https', async () => {
  for (const url of phrases(`
    /x | a.example/x | ftp://a.example/ | https:///x | https://a b/ | http://a:99999/
  `)) {
    assert.deepEqual(await problemsOf({ url }), [
      `url: must be an absolute http or https URL (got ${JSON.stringify(url)})`,
    ]);
  }
});

test('a feed record lists its CVEs without the prefix, in order, once each', async () => {
  const { cves } = await advisoryOf({ cves: ['CVE-2026-2', 'cve-2026-1', '2026-2', '2025-3'] });
  assert.deepEqual(cves, ['2026-2', '2026-1', '2025-3']);
  assert.deepEqual(await problemsOf({ cves: ['2026-1', 'CVE-'] }), ['cves[1]: is not a CVE id (got "CVE-")']);
});

test('the title of a reference defaults to the host, or to the URL if it has none', async () => {
  const { references } = await advisoryOf({
    references: [
      { url: 'https://a.example:81/x' },
      { url: 'b', title: 'B' },
      { url: 'not a url' },
      { url: 'mailto:x@a.example' },
    ],
  });
  assert.deepEqual(pluck(references, 'title'), ['a.example:81', 'B', 'not a url', 'mailto:x@a.example']);
});

const WITH_UNKNOWN = having({ cve: 'CVE-2026-1', affected: [{ ...SPAN, fixedIn: '2' }] });

test('a member that the format does not have is ignored and noted', async () => {
  const importer = new FeedImporter();
  const path = fileOf(`${JSON.stringify(WITH_UNKNOWN)}\n${JSON.stringify({ ...WITH_UNKNOWN, id: 42 })}\n`);
  const entries = await entriesOf(importer, path);
  assert.deepEqual(pluck(entries, 'kind'), ['advisory', 'advisory']);
  assert.deepEqual(importer.warnings(), [
    `${path}:1: warning: affected[].fixedIn: is not a member of the feed format and was ignored in 2 records; did you mean fixed_in?`,
    `${path}:1: warning: cve: is not a member of the feed format and was ignored in 2 records; did you mean cves?`,
  ]);
});

test('a member that the format does not have is one more problem of the line when the import is strict', async () => {
  const importer = new FeedImporter({ strict: true });
  const path = fileOf(
    `${JSON.stringify({ ...WITH_UNKNOWN, title: 1, odd: 2 })}\n${JSON.stringify(having({ id: 42 }))}`,
  );
  const [first, second] = await entriesOf(importer, path);
  assert.ok(first.kind === 'reject');
  assert.deepEqual(formatProblem(first.reject), [
    `${path}:1: title: must be a string (got 1)`,
    `${path}:1: affected[0].fixedIn: is not a member of the feed format; did you mean fixed_in?`,
    `${path}:1: cve: is not a member of the feed format; did you mean cves?`,
    `${path}:1: odd: is not a member of the feed format`,
  ]);
  assert.equal(second.kind, 'advisory');
  assert.deepEqual(importer.warnings(), []);
});

test('a product slug is lower-cased for WordPress and kept for npm', async () => {
  assert.equal((await advisoryOf({ product: { ...PLUGIN, slug: 'Tide-ÄB' } })).product.slug, 'tide-äb');
  assert.equal((await advisoryOf({ product: PACKAGE })).product.slug, '@Moor/Rope');
});

test('a product slug has 1 to 256 bytes and no control character', async () => {
  const slug = 'ä'.repeat(128);
  assert.equal((await advisoryOf({ product: { ...PLUGIN, slug } })).product.slug, slug);
  const problems = {
    '': 'is empty',
    [`${slug}x`]: 'is longer than 256 bytes',
    'a\nb': 'contains a control character (got "a\\nb")',
    'a\u007f': 'contains a control character (got "a\u007f")',
    'a\u0085': 'contains a control character (got "a\u0085")',
  };
  for (const [slug, problem] of Object.entries(problems)) {
    assert.deepEqual(await problemsOf({ product: { ...PLUGIN, slug } }), [`product.slug: ${problem}`]);
  }
});

test('an id has no control character', async () => {
  for (const changes of [
    { source_id: 'X\0' },
    { ghsa: 'X\u0001' },
    { cves: ['CVE-2026-1\u0085'] },
    { aliases: ['a', 'b\n'] },
  ]) {
    const [problem] = await problemsOf(changes);
    assert.match(problem, /^(?:source_id|ghsa|cves|aliases): contains a control character/);
  }
});

test('the spans of a record are those of affected, then one for each exact version', async () => {
  const { spans, affectedVersions } = await advisoryOf({ affected_versions: ['2.0', '2.0b'] });
  assert.deepEqual(affectedVersions, ['2.0', '2.0b']);
  assert.deepEqual(spans, [
    { from: null, to: '1.2', toBound: 'inclusive', fixedIn: '1.3' },
    { from: '2.0', to: '2.0', toBound: 'inclusive', fixedIn: null },
    { from: '2.0b', to: '2.0b', toBound: 'inclusive', fixedIn: null },
  ]);
  assert.equal((await advisoryOf({ affected: undefined, affected_versions: ['2.0'] })).spans.length, 1);
});

test('a record must have at least one span', async () => {
  const problem = 'affected: must have at least one span if affected_versions is empty';
  assert.deepEqual(await problemsOf({ affected: undefined }), [problem]);
  assert.deepEqual(await problemsOf({ affected: [], affected_versions: [] }), [problem]);
});

test('the spans of a record are read as semver for npm, wordpress for WordPress, or the given scheme', async () => {
  assert.equal((await advisoryOf({ product: PACKAGE })).versionScheme, 'semver');
  assert.equal((await advisoryOf({ version_scheme: 'semver' })).versionScheme, 'semver');
  const odd = [{ ...SPAN, to_version: 'odd one' }];
  assert.equal((await advisoryOf({ affected: odd })).spans[0].to, 'odd one');
  assert.deepEqual(await problemsOf({ affected: [SPAN, ...odd], product: PACKAGE }), [
    'affected[1].to_version: "odd one" is not a semver version',
  ]);
});

test('spans are rejected for every bound that is not a version', async () => {
  const span = { ...SPAN, from_version: 'a', to_version: 'b' };
  assert.deepEqual(
    await problemsOf({
      affected: [span, { ...SPAN, to_version: '' }],
      affected_versions: ['1.0', 'c'],
      product: PACKAGE,
    }),
    [
      'affected[0].from_version: "a" is not a semver version',
      'affected[0].to_version: "b" is not a semver version',
      'affected[1].to_version: "" is not a semver version',
      'affected_versions[1]: "c" is not a semver version',
    ],
  );
});

test('spans are rejected for a bound without a letter or a digit, under every scheme', async () => {
  for (const version_scheme of [undefined, 'wordpress', 'php', 'decimal']) {
    const scheme = version_scheme ?? 'wordpress';
    assert.deepEqual(
      await problemsOf({
        version_scheme,
        affected: [{ ...SPAN, from_version: '-' }],
        affected_versions: [' '],
      }),
      [
        `affected[0].from_version: "-" is not a ${scheme} version`,
        `affected_versions[0]: " " is not a ${scheme} version`,
      ],
    );
  }
});

test('spans are rejected for an expression in place of a bound, with what was probably meant', async () => {
  const meanings = {
    '*': /"\*" is an expression, not a version; write null for no bound$/,
    '<= 1.5': /write the version alone \("1\.5"\); as to_version with to_bound "inclusive"$/,
    '<1.5': /write the version alone \("1\.5"\); as to_version with to_bound "exclusive"$/,
    '>= 1': /write the version alone \("1"\); as from_version, which is inclusive$/,
    '>1': /from_version is inclusive, so set it to the first affected version$/,
    '^1': /write the version alone \("1"\); use from_version, to_version and to_bound for the rest$/,
    '~1.2': /write the version alone \("1\.2"\)/,
    '1.0 - 2.0': /write its two ends as from_version and to_version$/,
    '1.0 || 2.0': /write one span for each alternative$/,
    '1.0, 1.1': /write one span for each alternative$/,
    '1.x': /write the first and the last version it covers as two bounds$/,
    '1.*': /as two bounds$/,
  };
  for (const product of [PLUGIN, PACKAGE]) {
    for (const [bound, meaning] of Object.entries(meanings)) {
      for (const affected of [
        { ...SPAN, from_version: null, to_version: bound },
        { ...SPAN, from_version: bound, to_version: null },
      ]) {
        const [problem, ...rest] = await problemsOf({ product, affected: [affected] });
        assert.match(problem, meaning, bound);
        assert.deepEqual(rest, [], bound);
      }
    }
    const [exact] = await problemsOf({ product, affected_versions: ['^1'] });
    assert.match(exact, /^affected_versions\[0\]: "\^1" is an expression/);
  }
  assert.equal(
    (await advisoryOf({ product: PACKAGE, affected: [{ ...SPAN, to_version: '=1.2.0' }] })).spans[0].to,
    '=1.2.0',
  );
});

test('spans are rejected for npm with any scheme but semver', async () => {
  for (const version_scheme of ['wordpress', 'php', 'decimal']) {
    assert.deepEqual(await problemsOf({ product: PACKAGE, version_scheme }), [
      `version_scheme: must be semver for an npm product, or absent (got "${version_scheme}")`,
    ]);
  }
  assert.equal((await advisoryOf({ product: PACKAGE, version_scheme: 'semver' })).versionScheme, 'semver');
});

test('empty spans are rejected', async () => {
  const above = { ...SPAN, from_version: '2.0', to_version: '1.0' };
  assert.deepEqual(await problemsOf({ affected: [above] }), [
    'affected[0]: the span is empty (from_version 2.0 is above to_version 1.0)',
  ]);
  const same = { ...SPAN, from_version: '1.0', to_version: '1.0', to_bound: 'exclusive' };
  assert.deepEqual(await problemsOf({ affected: [SPAN, same] }), [
    'affected[1]: the span is empty (from_version 1.0 is not below the exclusive to_version 1.0)',
  ]);
  assert.equal((await advisoryOf({ affected: [{ ...same, to_bound: null }] })).spans[0].toBound, null);
});

test('spans are rejected for a version of more than 256 bytes, in a bound or a fix', async () => {
  const long = '1'.repeat(257);
  assert.deepEqual(
    await problemsOf({
      affected: [{ from_version: long, to_version: long, to_bound: null, fixed_in: long }],
      affected_versions: [long],
    }),
    [
      'affected[0].from_version: is longer than 256 bytes',
      'affected[0].to_version: is longer than 256 bytes',
      'affected[0].fixed_in: is longer than 256 bytes',
      'affected_versions[0]: is longer than 256 bytes',
    ],
  );
});

test('a record has at most 10,000 spans, exact versions included', async () => {
  const exact = (count: number): string[] => Array.from({ length: count }, (_, i) => `1.${i}`);
  assert.equal(
    (await advisoryOf({ affected: [SPAN], affected_versions: exact(9_999) })).spans.length,
    10_000,
  );
  assert.deepEqual(await problemsOf({ affected: [SPAN], affected_versions: exact(10_000) }), [
    'affected: has 10001 spans together with affected_versions; the limit is 10000',
  ]);
});

test('a span may have any text as the fix; an empty one means none', async () => {
  const affected = [
    { ...SPAN, fixed_in: '' },
    { ...SPAN, fixed_in: 'the next one' },
  ];
  const { spans } = await advisoryOf({ affected, product: PACKAGE });
  assert.deepEqual(pluck(spans, 'fixedIn'), [null, 'the next one']);
});

test('a span must have all four keys, as a misspelt one would mean unbounded', async () => {
  const { to_version: _, ...rest } = SPAN;
  assert.deepEqual(await problemsOf({ affected: [rest] }), ['affected[0].to_version: is required']);
});

test('a bad line is rejected with one problem per bad field, for its shape and its meaning alike', async () => {
  const problems = await problemsOf({
    id: '12',
    title: undefined,
    url: 'nowhere',
    patch_priority: 4,
    is_exploited: 'yes',
    cves: ['CVE-'],
    cvss: { score: '9' },
    product: { ...PLUGIN, slug: '' },
    references: [{ title: 'x' }, 'y'],
    affected: [{ ...SPAN, to_bound: 'foo' }],
    version_scheme: 'roman',
    credit: 'Ada',
  });
  assert.deepEqual(problems.sort(), [
    'affected[0].to_bound: must be one of exclusive, inclusive, last-affected (got "foo")',
    'credit: must be an object or null (got "Ada")',
    'cves[0]: is not a CVE id (got "CVE-")',
    'cvss.score: must be a number or null (got "9")',
    'id: must be a whole number from 1 to 9007199254740991 (got "12")',
    'is_exploited: must be true or false (got "yes")',
    'patch_priority: must be one of 1, 2, 3 (got 4)',
    'product.slug: is empty',
    'references[0].url: is required',
    'references[1]: must be an object (got "y")',
    'title: is required',
    'url: must be an absolute http or https URL (got "nowhere")',
    `version_scheme: must be one of ${VERSION_SCHEMES.join(', ')} (got "roman")`,
  ]);
});

test('a bad line says which part of the product is wrong', async () => {
  assert.deepEqual((await problemsOf({ product: { id: -1, type: 'gadget', slug: 5 } })).sort(), [
    'product.id: must be a whole number from 0 to 9007199254740991 (got -1)',
    'product.name: is required',
    'product.slug: must be a string (got 5)',
    `product.type: must be one of ${PRODUCT_TYPES.join(', ')} (got "gadget")`,
  ]);
  assert.deepEqual(await problemsOf({ product: null }), ['product: must be an object (got null)']);
});

test('a bad line in the middle does not affect its neighbours', async () => {
  assert.deepEqual(await outcomeOf(having({ id: 1 }), '', having({ id: 2, url: 5 }), having({ id: 3 })), [
    1,
    '3: url: must be an absolute http or https URL (got 5)',
    3,
  ]);
});

test('a bad line is rejected as a line when it is not a JSON object', async () => {
  const [cut, list, nothing, ok] = await outcomeOf('{"id": 1', '[1]', 'null', RECORD);
  assert.match(String(cut), /^1: line: is not valid JSON \(.+\)$/);
  assert.equal(list, '2: line: must be a JSON object (got [1])');
  assert.equal(nothing, '3: line: must be a JSON object (got null)');
  assert.equal(ok, 41);
});

test('a bad line is rejected as a line when it is too long for a snapshot', async () => {
  const room = 2 ** 21 - JSON.stringify(having({ details: '' })).length;
  assert.deepEqual(await outcomeOf(having({ details: 'x'.repeat(room) })), [41]);
  assert.deepEqual(await outcomeOf(having({ details: 'x'.repeat(room + 1) })), [
    '1: line: has 2097153 bytes; the limit is 2097152',
  ]);
});

test('a bad line is rejected as a line when it is not UTF-8, and its bytes are kept', async () => {
  const bad = Buffer.from('{"id": "\xff"}', 'latin1');
  const path = fileOf(Buffer.concat([bad, Buffer.from(`\r\n${JSON.stringify(RECORD)}\r\n`)]));
  const [first, second] = await entriesOf(new FeedImporter(), path);
  assert.equal(second.kind, 'advisory');
  assert.ok(first.kind === 'reject');
  assert.deepEqual(formatProblem(first.reject), [`${path}:1: line: is not valid UTF-8`]);
  assert.deepEqual(JSON.parse(formatReject(first.reject)), {
    file: path,
    line: 1,
    problems: [{ field: 'line', message: 'is not valid UTF-8' }],
    raw_base64: bad.toString('base64'),
  });
});

test('a bad line is copied unchanged into the rejects file', async () => {
  const line = '{ "id":  1, "title": "ü\\n\\ud83d\\ude00" }';
  const path = fileOf(line);
  const [entry] = await entriesOf(new FeedImporter(), path);
  assert.ok(entry.kind === 'reject');
  const text = formatReject(entry.reject);
  assert.ok(!text.includes('\n'));
  const { file, line: number, problems, raw } = JSON.parse(text);
  assert.deepEqual([file, number, raw], [path, 1, line]);
  assert.deepEqual(problems, entry.reject.problems);
});

test('a line is rejected for half a surrogate pair in a field that is read', async () => {
  const line = JSON.stringify(having({ title: 'LOW', cves: ['2026-1', 'HIGH'], ghsa: 'PAIR', other: 'LOW' }))
    .replaceAll('LOW', 'x\\udc00')
    .replaceAll('HIGH', '\\ud800')
    .replaceAll('PAIR', '\\ud83d\\ude00');
  assert.deepEqual(await outcomeOf(line), [
    '1: title: contains half of a surrogate pair, which UTF-8 cannot encode',
    '1: cves[1]: contains half of a surrogate pair, which UTF-8 cannot encode',
  ]);
  assert.equal((await advisoryOf({ ghsa: '\u{1f600}' })).ghsa, '\u{1f600}');
});

test('a __proto__ key does not make a line bad, and adds no fields', async () => {
  const good = JSON.stringify(RECORD).replace('{', '{"__proto__":{"id":9,"ghsa":"x"},"__proto__":5,');
  const bad = JSON.stringify(having({ id: undefined })).replace('{', '{"__proto__":{"id":9},');
  assert.deepEqual(await outcomeOf(good, bad), [41, '2: id: is required']);
});

test('an id may be used once across all files, and a second use names the first', async () => {
  const importer = new FeedImporter();
  const first = fileOf(`\n${JSON.stringify(having({ id: 1 }))}\n${JSON.stringify(having({ id: 2 }))}`);
  const second = fileOf([3, 2, 3].map((id) => JSON.stringify(having({ id }))).join('\n'));
  assert.equal((await entriesOf(importer, first)).length, 2);
  const problems = (await entriesOf(importer, second)).flatMap((entry) =>
    entry.kind === 'reject' ? formatProblem(entry.reject) : [],
  );
  assert.deepEqual(problems, [
    `${second}:2: id: 2 was already used at ${first}:3`,
    `${second}:3: id: 3 was already used at ${second}:1`,
  ]);
});

test('an id counts as used in a record that is rejected for another reason', async () => {
  assert.match(
    String((await outcomeOf(having({ title: 1 }), RECORD))[1]),
    /^2: id: 41 was already used at .*:1$/,
  );
});

test('an id comes with a unique PSID, given or derived', async () => {
  const made = (await advisoryOf({ id: 1 })).psid;
  const [first, second] = await outcomeOf(having({ id: 1 }), having({ id: 2, psid: made }));
  assert.equal(first, 1);
  assert.match(String(second), new RegExp(`^2: psid: ${made} is also the PSID of the advisory at .*:1$`));
  assert.deepEqual(await problemsOf({ psid: '0123456789AB' }), [
    'psid: must be 12 lower-case hex digits (got "0123456789AB")',
  ]);
});

test('a feed file without a record is an error', async () => {
  for (const content of ['', '\n\r\n', gzipSync('\n')]) {
    await assert.rejects(entriesOf(new FeedImporter(), fileOf(content)), {
      name: 'FeedFileError',
      code: 'no-advisory',
      message: /contains no advisories/,
    });
  }
});

test('a feed file that is cut off is an error after the readable part', async () => {
  const whole = gzipSync(JSON.stringify(RECORD));
  await assert.rejects(entriesOf(new FeedImporter(), fileOf(whole.subarray(0, -4))), { code: 'truncated' });
});

for (const [name, count] of [
  ['wordpress', 21_842],
  ['npm', 3_879],
] as const) {
  const path = join('..', 'shared', 'data', `${name}.ndjson.gz`);
  const skip = existsSync(path) ? false : `${path} is not there`;
  test(`a real feed of ${name} advisories is imported whole`, { skip }, async () => {
    const entries = await entriesOf(new FeedImporter(), path);
    const rejects = entries.flatMap((entry) => (entry.kind === 'reject' ? formatProblem(entry.reject) : []));
    assert.deepEqual(rejects, []);
    assert.equal(entries.length, count);
  });
}

test('a record of OSV ends the reading of a feed, with the option that it belongs to', async () => {
  const path = fileOf(JSON.stringify(osvRecord()));
  const message = `${path}: line 1 is a record of OSV, not of a feed: give the file with --osv`;
  await assert.rejects(entriesOf(new FeedImporter(), path), { name: 'FeedFileError', message });
});
