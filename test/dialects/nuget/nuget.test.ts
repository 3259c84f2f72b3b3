// The files of a NuGet source as NuGetAudit reads them, with the cache that it keeps.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type FeedJson, feedRecord, npmProduct, span } from '../../support/feeds/advisories.ts';
import { readNugetRange } from '../../support/oracles/nuget-range.ts';
import { pluck } from '../../support/pluck.ts';
import { PARTNER_KEY, startServer, type TestServer } from '../../support/serving/server.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A Wednesday. */
const BUILT_AT_MS = Date.UTC(2026, 0, 14, 12);
const NAME = 'Newtonsoft.Json';
const ID = 'newtonsoft.json';

const product = (slug: string, id = 5): FeedJson => ({ id, type: 'nuget', slug, name: slug });
const record = (id: number, createdAt: string, changes: FeedJson = {}): FeedJson =>
  feedRecord(id, {
    product: product(NAME),
    created_at: createdAt,
    affected: [span('1.0', '13.0.1', 'exclusive', '13.0.1')],
    ...changes,
  });

const OLD = '2025-11-01T00:00:00Z';
const IN_BOTH = '2026-01-01T00:00:00Z'; // in the week before the cut, Monday the 5th
const NEW = '2026-01-12T00:00:00Z';

const RECORDS: readonly FeedJson[] = [
  record(1, OLD, { affected: [span(null, '2.0'), span('3.0', '3.5.1', 'exclusive', '3.5.1')] }),
  record(2, IN_BOTH, { cvss: { score: 9.8, vector: null } }),
  record(3, NEW, { cvss: null }),
  record(4, NEW, { withdrawn_at: '2026-01-13T00:00:00Z' }),
  record(5, OLD, { product: product('Other.Package', 6), kind: 'malware', affected: [span(null, null)] }),
  feedRecord(6, { product: npmProduct('left-pad') }),
];

const server = await startServer({ after }, {});
await server.publish(RECORDS, BUILT_AT_MS);

interface Entry {
  readonly '@name': string;
  readonly '@id': string;
  readonly '@updated': string;
}
type Page = Readonly<
  Record<string, readonly { readonly severity: number; readonly url: string; readonly versions: string }[]>
>;

async function read<Json>(url: string): Promise<Json> {
  const response = await fetch(url, { headers: { PSKey: PARTNER_KEY } });
  assert.equal(response.status, 200, `${url}: ${await response.clone().text()}`);
  return response.json() as Promise<Json>; // as documented
}

async function indexOf({ address }: Pick<TestServer, 'address'>): Promise<readonly Entry[]> {
  const service = await read<{ resources: Record<string, string>[] }>(`${address}/nuget/v3/index.json`);
  const resource = service.resources.find((each) => each['@type'] === 'VulnerabilityInfo/6.7.0');
  return read(resource?.['@id'] ?? assert.fail('no resource'));
}

const pagesOf = async (source: Pick<TestServer, 'address'>): Promise<readonly Page[]> =>
  Promise.all((await indexOf(source)).map((entry) => read<Page>(entry['@id'])));

test('the service index leads to the index, and that to both pages', async () => {
  const [base, update] = await indexOf(server);
  for (const { '@name': name } of [base, update]) assert.match(name, /^(base|update)-[0-9a-f]{16}$/);
  assert.equal(base['@updated'], '2026-01-05T00:00:00+00:00');
  assert.equal(update['@updated'], '2026-01-14T12:00:00+00:00');
  const url = 'https://advisories.example/';
  assert.deepEqual(await read(base['@id']), {
    [ID]: [
      { severity: 3, url: `${url}2`, versions: '[1.0, 13.0.1)' },
      { severity: 2, url: `${url}1`, versions: '(, 2.0]' },
      { severity: 2, url: `${url}1`, versions: '[3.0, 3.5.1)' },
    ],
    'other.package': [{ severity: 3, url: `${url}5`, versions: '(, )' }],
  });
  assert.deepEqual(await read(update['@id']), {
    [ID]: [
      { severity: 3, url: `${url}3`, versions: '[1.0, 13.0.1)' },
      { severity: 3, url: `${url}2`, versions: '[1.0, 13.0.1)' },
    ],
  });
});

test('both pages together name for each version what a look-up does', async () => {
  const pages = await pagesOf(server);
  for (const version of [
    '0.5',
    '1.0',
    '2.0',
    '2.0.1',
    '3.0',
    '3.5.1-beta',
    '3.5.1',
    '13.0.1-rc.1',
    '13.0.1',
  ]) {
    const named = pages
      .flatMap((page) => page[ID] ?? [])
      .filter(({ versions }) => readNugetRange(versions)?.(version) ?? assert.fail(versions))
      .map(({ url }) => Number(url.split('/').at(-1)));
    const { vulnerabilities } = (await server.request(`/product/nuget/${NAME}/${version}`)).json();
    assert.deepEqual([...new Set(named)].sort(), pluck(vulnerabilities, 'id').sort(), version);
  }
});

test('a page is sent compressed where that is accepted, and not again while it is the same', async () => {
  const [{ '@id': url }] = await indexOf(server);
  const ask = (headers: Record<string, string>) =>
    fetch(url, { headers: { PSKey: PARTNER_KEY, ...headers } });
  const first = await ask({ 'Accept-Encoding': 'gzip' });
  assert.equal(first.headers.get('content-encoding'), 'gzip');
  assert.equal(first.headers.get('content-type'), 'application/json');
  await first.arrayBuffer();
  const again = await ask({ 'If-None-Match': first.headers.get('etag') ?? '', 'Accept-Encoding': 'gzip' });
  assert.equal(again.status, 304);
});

test('days later the base has the same name, time and bytes, and the update what is new', async (t) => {
  const other = await startServer(t);
  await other.publish(RECORDS, BUILT_AT_MS);
  const before = await indexOf(other);
  const [baseBefore] = await pagesOf(other);
  const added = record(9, '2026-01-17T00:00:00Z', { product: product('New.Package', 8) });
  await other.publish([...RECORDS, added], BUILT_AT_MS + 3 * DAY_MS);
  const now = await indexOf(other);
  const [base, update] = await pagesOf(other);
  assert.equal(now[0]['@name'], before[0]['@name']);
  assert.equal(now[0]['@updated'], before[0]['@updated']);
  assert.equal(JSON.stringify(base), JSON.stringify(baseBefore));
  assert.notEqual(now[1]['@name'], before[1]['@name']);
  assert.ok('new.package' in update);
  // An old advisory that arrives late, or that changes, is in no update: the base gets another name.
  const late = record(10, OLD, { product: product('Late.Package', 9) });
  await other.publish([...RECORDS, added, late], BUILT_AT_MS + 3 * DAY_MS + HOUR_MS);
  const [{ '@name': name, '@id': url }] = await indexOf(other);
  assert.notEqual(name, now[0]['@name']);
  assert.ok('late.package' in (await read<Page>(url)));
});

test('over the turn of a week, the base of before and the update of after lack nothing', async (t) => {
  const other = await startServer(t);
  await other.publish(RECORDS, BUILT_AT_MS);
  const [baseBefore] = await pagesOf(other);
  await other.publish(RECORDS, BUILT_AT_MS + 7 * DAY_MS);
  const [, updateAfter] = await pagesOf(other);
  const ids = new Set([baseBefore, updateAfter].flatMap((page) => pluck(page[ID] ?? [], 'url')));
  assert.equal(ids.size, 3);
});

test('a replica with an older snapshot refuses the pages of a newer one; a newer one answers', async (t) => {
  const [behind, ahead] = [await startServer(t), await startServer(t)];
  await behind.publish(RECORDS, BUILT_AT_MS);
  await ahead.publish(RECORDS, BUILT_AT_MS + HOUR_MS);
  const pathOf = (entry: Entry): string => new URL(entry['@id']).pathname;
  const [newer] = await indexOf(ahead);
  const refused = await behind.request(pathOf(newer));
  assert.equal(`${refused.status} ${refused.json().code}`, '503 earlier_snapshot');
  assert.notEqual(refused.headers.get('retry-after'), null);
  const [older] = await indexOf(behind);
  assert.equal((await ahead.request(pathOf(older))).status, 200);
});

test('other names below the files are a 404', async () => {
  const built = String(BUILT_AT_MS);
  for (const path of [
    `${built}/index.json`,
    `${built}/base`,
    `x/base.json`,
    `-1/base.json`,
    `${built}/..%2Fbase.json`,
  ]) {
    const { status, text } = await server.request(`/nuget/v3/vulnerabilities/${path}`);
    assert.equal(`${status} ${JSON.parse(text).code}`, '404 unknown_page', path);
  }
  for (const path of ['v3', 'v3/vulnerabilities/base.json', `v3/vulnerabilities/${built}/base.json/x`])
    assert.equal((await server.request(`/nuget/${path}`)).status, 404, path);
});

test('a key is read from the password of Basic, which the client sends after a refusal that asks for it', async () => {
  const path = '/nuget/v3/index.json';
  const without = await server.request(path, { headers: { PSKey: '' } });
  assert.equal(without.status, 401);
  assert.match(without.headers.get('www-authenticate') ?? '', /^Basic /);
  const Authorization = `Basic ${Buffer.from(`ci:${PARTNER_KEY}`).toString('base64')}`;
  assert.equal((await server.request(path, { headers: { PSKey: '', Authorization } })).status, 200);
});

test('without an advisory of NuGet there is no index, which would say that all is clean', async (t) => {
  const other = await startServer(t, { records: [feedRecord(1)] });
  for (const path of ['index.json', '0/base.json', '0/update.json']) {
    const { status, headers, text } = await other.request(`/nuget/v3/vulnerabilities/${path}`);
    assert.equal(`${status} ${JSON.parse(text).code}`, '404 no_nuget_data', path);
    assert.equal(headers.get('vulndex-unknown-ecosystems'), 'nuget', path);
  }
});
