// The repository as Composer asks it.

import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { MAX_BODY_BYTES } from '../../../src/dialects/composer/limits.ts';
import { type FeedJson, feedRecord, span } from '../../support/feeds/advisories.ts';
import { PARTNER_KEY, startServer } from '../../support/serving/server.ts';
import { words } from '../../support/words.ts';

const product = (name: string, id: number): FeedJson => ({ id, type: 'composer', slug: name, name });

const RECORDS = [
  feedRecord(1, {
    source_id: 'GHSA-aaaa-bbbb-cccc',
    ghsa: 'GHSA-aaaa-bbbb-cccc',
    cves: ['CVE-2026-1', 'CVE-2026-9'],
    aliases: ['PKSA-1234-abcd-efgh'],
    severity: 'MODERATE',
    product: product('acme/one', 1),
    affected: [span('1.0', '1.2', 'exclusive', '1.2'), span('2.0-RC1', '2.1', 'last-affected')],
  }),
  feedRecord(2, { product: product('acme/one', 1), cves: [], cvss: { score: null, vector: null } }),
  feedRecord(3, {
    source_id: 'MAL-2026-7',
    kind: 'malware',
    product: product('evil/two', 2),
    affected: [span(null, null)],
  }),
  feedRecord(4, { product: product('acme/gone', 3), withdrawn_at: '2026-01-05T00:00:00Z' }),
  feedRecord(5, {
    product: product('acme/text', 4),
    affected: [],
    affected_versions: ['1.0', 'dev-main', 'what|else'],
  }),
];

const server = await startServer({ after }, { records: RECORDS });

const ADVISORIES = '/composer/api/security-advisories/';
const FILTER = '/composer/api/filter';
const post = (path: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
  server.request(path, { method: 'POST', body, headers });
const formOf = (...names: readonly string[]): string =>
  new URLSearchParams(names.map((name, i): [string, string] => [`packages[${i}]`, name])).toString();
const purls = (...names: readonly string[]): string =>
  JSON.stringify({ packages: names.map((name) => `pkg://composer/${name}`), lists: ['malware'] });

/** Sends a Host of its own and the path as it is, which fetch does not. */
function packagesAs(
  host: string,
  path = '/composer/packages.json',
): Promise<{ readonly status: number | undefined; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { pskey: PARTNER_KEY, host };
    request(server.address, { headers, path }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode, text }));
    })
      .on('error', reject)
      .end();
  });
}

test('packages.json names the two questions by the address that was asked, and no packages', async () => {
  const { text } = await packagesAs('a.example:8080');
  assert.deepEqual(JSON.parse(text), {
    packages: [],
    'metadata-url': 'http://a.example:8080/composer/p2/%package%.json',
    'security-advisories': {
      metadata: false,
      'api-url': 'http://a.example:8080/composer/api/security-advisories/',
    },
    filter: {
      metadata: true,
      lists: { malware: { enabled: true } },
      'api-url': 'http://a.example:8080/composer/api/filter',
    },
  });
});

test('no host is answered with the address of another, however often they ask', async () => {
  for (let times = 0; times < 4; times++) {
    for (const host of ['a.example', 'b.example:1']) {
      assert.ok((await packagesAs(host)).text.includes(`"http://${host}/composer/api/filter"`), host);
    }
  }
  const refused = await packagesAs('a.example/x');
  assert.equal(refused.status, 400);
  assert.match(
    (await server.request('/composer/packages.json')).text,
    /"http:\/\/127\.0\.0\.1:\d+\/composer/,
  );
});

test('a file of a package is absent, without a warning for each', async () => {
  for (const path of words(
    'p2/acme/one.json p2/acme/one~dev.json p2/../packages.json p2/%2e%2e/packages.json x',
  )) {
    const { status, text } = await packagesAs('a.example', `/composer/${path}`);
    assert.equal(status, 404, path);
    const { code, warning } = JSON.parse(text);
    assert.deepEqual([code, warning], ['not_found', undefined]);
  }
});

test('an advisory has what Composer reads of one', async () => {
  const response = await post(ADVISORIES, formOf('acme/one'));
  const { advisories } = response.json();
  assert.deepEqual(Object.keys(advisories), ['acme/one']);
  const [second, first] = advisories['acme/one'];
  assert.deepEqual(first, {
    advisoryId: 'GHSA-aaaa-bbbb-cccc',
    packageName: 'acme/one',
    remoteId: 'GHSA-aaaa-bbbb-cccc',
    title: 'Advisory 1',
    link: 'https://advisories.example/1',
    cve: 'CVE-2026-1',
    affectedVersions: '>=1.0-stable,<1.2-stable|>2.0-RC1,<=2.1|==2.0-RC1',
    source: 'GitHub',
    reportedAt: '2026-01-02T03:04:05+00:00',
    composerRepository: 'https://packagist.org',
    severity: 'medium',
    sources: [
      { name: 'GitHub', remoteId: 'GHSA-aaaa-bbbb-cccc' },
      { name: 'Packagist', remoteId: 'PKSA-1234-abcd-efgh' },
      { name: 'CVE', remoteId: 'CVE-2026-9' },
    ],
  });
  assert.match(second.advisoryId, /^PSID-[0-9a-f]{12}$/);
  assert.deepEqual([second.cve, second.severity], [null, null]);
  assert.deepEqual((await post(ADVISORIES.slice(0, -1), formOf('acme/one'))).json(), response.json());
});

test('only names that were asked for are answered, each once and as it was sent', async () => {
  const names = [
    ...Array.from({ length: 500 }, (_, i) => `some/package-${i}`),
    'Acme/One',
    'acme/one',
    'acme/gone',
  ];
  const { advisories } = (await post(ADVISORIES, formOf(...names, ...names))).json();
  assert.deepEqual(Object.keys(advisories), ['Acme/One', 'acme/one']);
  assert.equal(advisories['Acme/One'].length, 2);
  const nothing = await post(ADVISORIES, formOf('some/package'));
  assert.equal(nothing.text, '{"advisories":{}}');
});

test('what is not the name of a package is named, but for what Composer asks about beside packages', async () => {
  const response = await post(
    ADVISORIES,
    formOf('php', 'ext-json', 'acme', 'https://a.example/x', 'acme/one'),
  );
  assert.equal(response.headers.get('vulndex-unread-names'), 'acme, https%3A%2F%2Fa.example%2Fx');
  assert.deepEqual(Object.keys(response.json().advisories), ['acme/one']);
});

test('a list of versions that no constraint can say shows every version, and says so', async () => {
  const { advisories } = (await post(ADVISORIES, formOf('acme/text'))).json();
  const [{ affectedVersions, title }] = advisories['acme/text'];
  assert.equal(affectedVersions, '*');
  assert.match(title, /^Advisory 5 \(affected: .*\)$/);
});

test('bodies that are no question are refused, with a warning that Composer prints', async () => {
  for (const [path, body, headers, code] of [
    [ADVISORIES, '{"packages":["a/b"]}', {}, '400 invalid_body'],
    [ADVISORIES, '', {}, '400 invalid_body'],
    [ADVISORIES, `packages[]=${'a'.repeat(MAX_BODY_BYTES)}`, {}, '413 body_too_large'],
    [ADVISORIES, '&'.repeat(20_000), {}, '413 too_many_packages'],
    [ADVISORIES, 'x', { 'content-encoding': 'gzip' }, '400 invalid_encoding'],
    [FILTER, 'packages[]=a/b', {}, '400 invalid_body'],
    [FILTER, '{"packages":"a/b"}', {}, '400 invalid_body'],
    [FILTER, '{"packages":[],"lists":[]}', {}, '400 invalid_body'],
    [FILTER, '{"packages":[1]}', {}, '400 invalid_body'],
    [FILTER, JSON.stringify({ packages: Array(20_000).fill('a/b') }), {}, '413 too_many_packages'],
  ] as const) {
    const response = await post(path, body, headers);
    const { code: own, warning, error } = response.json();
    assert.equal(`${response.status} ${own}`, code, `${path} ${body.slice(0, 40)}`);
    assert.equal(warning, error);
  }
  const zipped = await post(ADVISORIES, gzipSync(formOf('acme/one')), { 'content-encoding': 'gzip' });
  assert.deepEqual(Object.keys(zipped.json().advisories), ['acme/one']);
});

test('a query names packages as a form does', async () => {
  const posted = await post(ADVISORIES, formOf('acme/one', 'acme/text'));
  for (const path of [ADVISORIES, ADVISORIES.slice(0, -1)]) {
    const read = await server.request(`${path}?packages%5B%5D=acme%2Fone&packages[1]=acme/text&x=1`);
    assert.deepEqual([read.status, read.text], [200, posted.text]);
    const headers = { 'if-none-match': read.headers.get('etag') ?? '' };
    assert.equal((await server.request(`${path}?packages[]=acme/one`, { headers })).status, 304);
  }
  const head = await server.request(`${ADVISORIES}?packages[]=acme/one`, { method: 'HEAD' });
  assert.deepEqual([head.status, head.text], [200, '']);
  for (const query of ['', '?', '?package=acme/one', '?packages[]=%ff']) {
    const response = await server.request(`${ADVISORIES}${query}`);
    assert.deepEqual([response.status, response.json().code], [400, 'invalid_body'], query);
  }
});

test('what was changed since a time is refused, and not answered in part', async () => {
  const since = '?updatedSince=1767225600';
  for (const response of [
    await server.request(`${ADVISORIES}${since}`),
    await server.request(`${ADVISORIES}${since}&packages[]=acme/one`),
    await post(`${ADVISORIES}${since}`, formOf('acme/one')),
  ]) {
    assert.deepEqual([response.status, response.json().code], [400, 'unsupported_parameter']);
  }
});

test('the list of malware is posted, and the file is read', async () => {
  for (const method of ['GET', 'HEAD']) {
    const response = await server.request(FILTER, { method });
    assert.deepEqual([response.status, response.headers.get('allow')], [405, 'POST']);
  }
  const head = await server.request('/composer/packages.json', { method: 'HEAD' });
  assert.deepEqual([head.status, head.text], [200, '']);
  assert.equal((await post('/composer/packages.json', '')).status, 405);
});

test('the list of malware has the packages that are malware', async () => {
  const { filter } = (await post(FILTER, purls('acme/one', 'evil/two', 'evil/two', 'some/other'))).json();
  assert.deepEqual(filter, {
    malware: [
      {
        package: 'evil/two',
        constraint: '*',
        url: 'https://advisories.example/3',
        reason: 'Advisory 3',
        id: 'MAL-2026-7',
      },
    ],
  });
  assert.equal((await post(FILTER, purls('acme/one'))).text, '{"filter":{"malware":[]}}');
});

test('a list that is not here is named, in a warning and in a header', async () => {
  const body = { packages: ['pkg://composer/evil/two'], lists: ['typosquatting', 'malware'] };
  const both = await post(FILTER, JSON.stringify(body));
  assert.equal(both.json().filter.malware.length, 1);
  const message = 'This server has no list of these names: typosquatting.';
  assert.deepEqual(both.json().warnings, [{ message, versions: '*' }]);
  assert.equal(both.headers.get('vulndex-unknown-lists'), 'typosquatting');
  const one = await post(FILTER, JSON.stringify({ ...body, lists: ['typosquatting'] }));
  assert.deepEqual(one.json(), { filter: {}, warnings: [{ message, versions: '*' }] });
});

test('a purl of another type is named as what it is: not the name of a package', async () => {
  const response = await post(FILTER, JSON.stringify({ packages: ['pkg:npm/evil', 'evil/two', 'no purl'] }));
  assert.equal(response.headers.get('vulndex-unread-names'), 'no%20purl');
});

test('without data about Composer, every answer says so', async (t) => {
  const other = await startServer(t, { records: [feedRecord(1)] });
  const packages = await other.request('/composer/packages.json');
  assert.equal(packages.headers.get('vulndex-unknown-ecosystems'), 'composer');
  for (const [path, body] of [
    [ADVISORIES, formOf('a/b')],
    [FILTER, purls('a/b')],
  ]) {
    const response = await other.request(path, { method: 'POST', body });
    assert.equal(response.headers.get('vulndex-unknown-ecosystems'), 'composer');
    assert.match(response.json().warnings[0].message, /^This server has no advisories of Composer packages/);
  }
});

test('the key is the password that Composer sends, and --anonymous needs none', async (t) => {
  const basic = (key: string) => ({
    authorization: `Basic ${Buffer.from(`user:${key}`).toString('base64')}`,
  });
  const ask = (headers: Record<string, string>) =>
    fetch(`${server.address}${ADVISORIES}`, { method: 'POST', body: formOf('acme/one'), headers });
  assert.equal((await ask(basic(PARTNER_KEY))).status, 200);
  assert.equal((await ask(basic('wrong'))).status, 401);
  assert.equal((await ask({})).status, 401);
  const open = await startServer(t, { records: RECORDS, anonymous: ['composer'] });
  const body = formOf('acme/one');
  assert.equal((await fetch(`${open.address}${ADVISORIES}`, { method: 'POST', body })).status, 200);
});
