// GET product/{type}/{name}/{version} and …/exists of the flat shape, as a client that reads one object per
// advisory sees them. Which version is in which range is tested with the index.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { feedRecord, npmProduct, span } from '../../support/feeds/advisories.ts';
import { startServer } from '../../support/serving/server.ts';

const BASE = '/database/api/v2';
const TWO_LINES = [span('2.0', '2.4.1', 'inclusive', '2.4.2'), span('1.0', '1.9.3', 'exclusive', '1.9.3')];

const server = await startServer(
  { after },
  {
    records: [
      feedRecord(1, {
        product: { id: 7, type: 'plugin', slug: 'gallery', name: 'Gallery', premium_name: 'Gallery Pro' },
        cves: ['CVE-2026-1', 'CVE-2026-2'],
        is_exploited: true,
        patch_priority: 3,
        url_slug: 'gallery-sql-injection',
        affected: TWO_LINES,
      }),
      feedRecord(2, { affected: [span(null, '2.2')], cves: [], cvss: { score: null, vector: null } }),
      feedRecord(3, { product: npmProduct('@scope/pkg'), affected: [span(null, '2.0.0', 'exclusive')] }),
    ],
  },
);

test('an item has the members of the flat shape in their order, with the matched range last', async () => {
  const { text } = await server.request(`${BASE}/product/plugin/gallery/1.5`);
  const { vulnerabilities } = JSON.parse(text);
  assert.deepEqual(
    vulnerabilities.map((item: { id: number }) => item.id),
    [2, 1],
  );
  const expected = {
    id: 1,
    product_id: 7,
    title: 'Advisory 1',
    description: 'What 1 is about.',
    disclosure_date: '2026-01-02 03:04:05',
    disclosed_at: '2026-01-02T03:04:05+00:00',
    created_at: '2026-01-03T03:04:05+00:00',
    url: 'gallery-sql-injection',
    product_slug: 'gallery',
    product_name: 'Gallery',
    product_name_premium: 'Gallery Pro',
    product_type: 'Plugin',
    vuln_type: 'SQL Injection',
    cvss_score: 7.5,
    cve: ['2026-1', '2026-2'],
    is_exploited: true,
    patch_priority: 3,
    affected_in: '>= 1.0 < 1.9.3 || >= 2.0 <= 2.4.1',
    fixed_in: '1.9.3',
    patched_in_ranges: [
      { from_version: '1.0', to_version: '1.9.3', fixed_in: '1.9.3' },
      { from_version: '2.0', to_version: '2.4.1', fixed_in: '2.4.2' },
    ],
    direct_url: 'https://advisories.example/1',
    matched_range: { from_version: '1.0', to_version: '1.9.3', to_bound: 'exclusive', fixed_in: '1.9.3' },
  };
  assert.equal(JSON.stringify(vulnerabilities[1]), JSON.stringify(expected));
});

test('fixed_in is the fix of the range that holds the version: a client hides what is fixed below it', async () => {
  const fixOf = async (version: string): Promise<string> => {
    const { vulnerabilities } = (await server.request(`${BASE}/product/plugin/gallery/${version}`)).json();
    return vulnerabilities.find((item: { id: number }) => item.id === 1).fixed_in;
  };
  assert.equal(await fixOf('1.2'), '1.9.3');
  assert.equal(await fixOf('2.1'), '2.4.2');
  assert.equal(await fixOf('*'), '2.4.2');
});

test('what has no fix, score or CVE says so, and the version * has no matched range', async () => {
  const { vulnerabilities } = (await server.request(`${BASE}/product/plugin/gallery/*`)).json();
  const [unfixed] = vulnerabilities;
  assert.deepEqual([unfixed.fixed_in, unfixed.cvss_score, unfixed.cve], ['', null, []]);
  assert.ok(vulnerabilities.every((item: object) => !('matched_range' in item)));
});

test('npm packages have items too, with or without an escaped scope', async () => {
  for (const name of ['@scope/pkg', '%40scope%2Fpkg', '@scope%2Fpkg']) {
    const { vulnerabilities } = (await server.request(`${BASE}/product/npm/${name}/1.0.0`)).json();
    const [item] = vulnerabilities;
    assert.deepEqual([item.title, item.product_type], ['NPM: Advisory 3', 'npm']);
  }
});

test('exists says whether anything applies', async () => {
  for (const [version, expected] of [
    ['1.5', true],
    ['2.4.2', false],
  ] as const) {
    const { text } = await server.request(`${BASE}/product/plugin/gallery/${version}/exists`);
    assert.equal(text, `{"vulnerable":${expected}}`);
  }
  const unknown = await server.request(`${BASE}/product/theme/nobody-knows/1.0/exists`);
  assert.equal(unknown.text, '{"vulnerable":false}');
});

test('a bad path is refused in the shape of this dialect, naming each bad part', async () => {
  const cases: Record<string, string[]> = {
    'product/npm/x/not.a.version': ['version'],
    'product/npm/x/not.a.version/exists': ['version'],
    'product/plugin/gallery/*/exists': ['version'],
    'product/plugin/gallery/%zz': ['version'],
    'product/plugin/%ff/1.0': ['name'],
    'product/widget/%zz/-': ['type', 'name'],
    [`product/plugin/${'x'.repeat(257)}/1.0`]: ['name'],
  };
  for (const [path, parameters] of Object.entries(cases)) {
    const response = await server.request(`${BASE}/${path}`);
    const { error, code, errors } = response.json();
    assert.deepEqual([response.status, code], [422, 'invalid_parameter'], path);
    assert.equal(typeof error, 'string');
    assert.deepEqual(
      errors.map(({ parameter }: { parameter: string }) => parameter),
      parameters,
      path,
    );
  }
});

test('an answer is reused by its ETag, also with HEAD', async () => {
  for (const path of ['product/plugin/gallery/1.0', 'product/plugin/gallery/1.0/exists']) {
    const first = await server.request(`${BASE}/${path}`);
    const etag = first.headers.get('etag') ?? '';
    const again = await server.request(`${BASE}/${path}`, { headers: { 'If-None-Match': etag } });
    assert.deepEqual([again.status, again.text], [304, '']);
    const head = await server.request(`${BASE}/${path}`, { method: 'HEAD' });
    assert.deepEqual([head.status, head.text, head.headers.get('etag')], [200, '', etag]);
  }
});
