// The three endpoints, as WP-CLI scanners ask them.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type FeedJson, feedRecord, span } from '../../support/feeds/advisories.ts';
import { comparePhp } from '../../support/oracles/php-order.ts';
import { PARTNER_KEY, startServer } from '../../support/serving/server.ts';
import { words } from '../../support/words.ts';

const BASE = '/wpscan/api/v3';

const product = (type: string, slug: string): FeedJson => ({ id: 5, type, slug, name: `Name of ${slug}` });

const server = await startServer(
  { after },
  {
    records: [
      feedRecord(1, {
        psid: '0123456789ab',
        modified_at: '2026-02-03T04:05:06Z',
        affected: [span('2.0', '2.4.1', 'inclusive', '2.4.2'), span('1.0.0', '1.9', 'exclusive', '1.9')],
      }),
      feedRecord(2, { affected: [span(null, '2.2')], cves: [], cvss: { score: null, vector: null } }),
      feedRecord(3, { product: product('theme', 'frame') }),
      feedRecord(4, { product: product('plugin', '404'), affected: [span(null, null)] }),
      feedRecord(5, {
        product: product('wordpress', 'wordpress'),
        affected: [span('6.0', '6.0.5', 'exclusive', '6.0.5'), span('6.1', '6.1.2', 'exclusive', '6.1.2')],
      }),
      feedRecord(6, { product: product('wordpress', 'wordpress'), affected: [span(null, '6.1.1')] }),
      feedRecord(7, { product: product('plugin', 'gone'), withdrawn_at: '2026-01-05T00:00:00Z' }),
    ],
  },
);

const ask = (path: string, init: RequestInit = {}) => server.request(`${BASE}/${path}`, init);

test('a plugin is answered under its name as asked, with an entry for each range of each advisory', async () => {
  const body = (await ask('plugins/Gallery')).json();
  assert.deepEqual(Object.keys(body), ['Gallery']);
  const { vulnerabilities, ...about } = body.Gallery;
  assert.deepEqual(about, {
    friendly_name: 'Gallery',
    latest_version: null,
    last_updated: null,
    popular: false,
  });
  assert.deepEqual(
    vulnerabilities.map((entry: Record<string, unknown>) => [
      entry.title,
      entry.introduced_in,
      entry.fixed_in,
    ]),
    [
      ['Advisory 2 (affected: <= 2.2)', null, null],
      ['Advisory 1', '1', '1.9'],
      ['Advisory 1', '2', '2.4.2'],
    ],
  );
  assert.deepEqual(vulnerabilities[1], {
    id: '0123456789ab',
    title: 'Advisory 1',
    created_at: '2026-01-03T03:04:05.000Z',
    updated_at: '2026-02-03T04:05:06.000Z',
    published_date: '2026-01-02T03:04:05.000Z',
    vuln_type: 'SQL Injection',
    references: {
      cve: ['2026-1'],
      url: ['https://advisories.example/1', 'https://advisories.example/1/fix'],
    },
    fixed_in: '1.9',
    introduced_in: '1',
    cvss: { score: 7.5, vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N' },
  });
  assert.deepEqual([vulnerabilities[0].cvss, vulnerabilities[0].references.cve], [null, []]);
});

test('an id from an entry is an id in the other dialects', async () => {
  const { vulnerability } = (await server.request('/vulnerability/0123456789ab')).json();
  assert.equal(vulnerability.id, 1);
});

test('themes are not plugins, and a slug may be a number', async () => {
  assert.equal((await ask('themes/frame')).json().frame.vulnerabilities.length, 1);
  assert.equal((await ask('plugins/404')).json()['404'].vulnerabilities[0].title, 'Advisory 4');
});

test('WordPress is answered under each version that the digits can mean, with what applies to it', async () => {
  const body = (await ask('wordpresses/611')).json();
  assert.deepEqual(Object.keys(body), ['6.1.1', '61.1']);
  assert.deepEqual(
    body['6.1.1'].vulnerabilities.map((entry: Record<string, unknown>) => [
      entry.title,
      entry.introduced_in,
      entry.fixed_in,
    ]),
    [
      ['Advisory 6 (affected: <= 6.1.1)', null, null],
      ['Advisory 5 (fixed in 6.1.2)', '6.1', null],
    ],
  );
  assert.deepEqual(body['61.1'].vulnerabilities, []);
});

test('a client that compares the digits of WordPress with fixed_in shows everything that applies', async () => {
  for (const [version, count] of [
    ['6.0', 2],
    ['6.0.4', 2],
    ['6.0.5', 1],
    ['6.1.1', 2],
    ['6.1.2', 0],
  ] as const) {
    const digits = version.replaceAll('.', '');
    const { vulnerabilities } = (await ask(`wordpresses/${digits}`)).json()[version];
    const shown = vulnerabilities.filter(
      ({ fixed_in: fixedIn }: { fixed_in: string | null }) =>
        fixedIn === null || comparePhp(digits, fixedIn) < 0,
    );
    assert.equal(shown.length, count, version);
  }
});

test('what is not on record is 404: there is no data', async () => {
  for (const path of words(`
    plugins/unknown plugins/frame plugins/gone themes/__proto__ wordpresses/abc
  `)) {
    const response = await ask(path);
    assert.deepEqual([response.status, response.json().code], [404, 'unknown_product'], path);
  }
});

test('without advisories of WordPress there is no data about it', async (t) => {
  const empty = await startServer(t, { records: [feedRecord(1)] });
  assert.equal((await empty.request(`${BASE}/wordpresses/611`)).status, 404);
});

test('a malformed path is refused in the shape of this dialect', async () => {
  for (const path of ['plugins/%zz', 'themes/%ff', 'wordpresses/%00', `plugins/${'x'.repeat(257)}`]) {
    const response = await ask(path);
    const { error, code } = response.json();
    assert.deepEqual([response.status, code, typeof error], [422, 'invalid_parameter', 'string'], path);
  }
  assert.equal((await ask('plugins')).status, 404);
  assert.equal((await ask('plugins/gallery', { method: 'POST', body: '{}' })).status, 405);
});

test('a key is taken as these clients send it, and without one the error is a sentence', async () => {
  for (const value of [`Token token=${PARTNER_KEY}`, `Token token="${PARTNER_KEY}"`]) {
    assert.equal((await ask('plugins/gallery', { headers: { Authorization: value } })).status, 200);
  }
  const refused = await ask('plugins/gallery', { headers: { Authorization: 'Token token=wrong' } });
  assert.deepEqual([refused.status, refused.json().code], [401, 'invalid_key']);
  assert.equal(typeof refused.json().error, 'string');
});

test('an answer is reused by its ETag and answers HEAD', async () => {
  for (const path of ['plugins/gallery', 'wordpresses/611']) {
    const etag = (await ask(path)).headers.get('etag') ?? '';
    assert.ok(etag.includes(server.swap.current()?.id ?? 'none'));
    const again = await ask(path, { headers: { 'If-None-Match': etag } });
    assert.deepEqual([again.status, again.text], [304, '']);
    const head = await ask(path, { method: 'HEAD' });
    assert.deepEqual([head.status, head.text], [200, '']);
  }
});
