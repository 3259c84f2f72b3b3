// An answer without advisories means that the version was read, the product's data was there, and nothing
// contains it. Here is whatever else can happen, asked of every mount: each answer is an error, or has a
// header that says so.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { addCompileCommand } from '../../src/cli/compile.ts';
import { DIALECTS } from '../../src/dialects/dialects.ts';
import { runCommand } from '../support/command.ts';
import { feedRecord } from '../support/feeds/advisories.ts';
import { osvRecord } from '../support/feeds/osv.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startServer, type TestResponse, type TestServer } from '../support/serving/server.ts';

function affected(
  ecosystem: string,
  name: string,
  events: readonly object[],
  versions: readonly string[] = [],
): object {
  const ranges = events.length === 0 ? [] : [{ type: 'ECOSYSTEM', events }];
  return { package: { ecosystem, name }, ranges, versions };
}

const RECORDS = [
  osvRecord({ id: 'X-1', affected: [affected('crates.io', 'abomonation', [{ introduced: '0' }])] }),
  osvRecord({ id: 'X-2', affected: [affected('crates.io', 'abomonation', [{ introduced: '1.0.0' }])] }),
  osvRecord({ id: 'X-3', affected: [affected('PyPI', 'buildbot', [], ['0.8.4p2', '0.8.4'])] }),
  osvRecord({
    id: 'X-4',
    affected: [affected('PyPI', 'torch', [{ introduced: '0' }, { fixed: '2.0' }], ['2.1+cu118'])],
  }),
  osvRecord({ id: 'X-5', affected: [affected('npm', 'left-pad', [{ introduced: '0' }])] }),
];

type Options = Parameters<typeof startServer>[1];

async function serve(t: TestContext, options: Options = {}): Promise<TestServer> {
  const folder = temporaryFolder(t);
  const file = join(folder, 'osv.ndjson');
  writeFileSync(file, RECORDS.map((record) => JSON.stringify(record)).join('\n'));
  const snapshot = join(folder, 'all.vdx');
  const ran = await runCommand(addCompileCommand, 'compile', '--osv', file, '--out', snapshot, '--json');
  if (ran.error !== undefined) throw ran.error;
  return startServer(t, { ...options, snapshot });
}

function post(server: TestServer, path: string, body: unknown): Promise<TestResponse> {
  return server.request(path, { method: 'POST', body: JSON.stringify(body) });
}

const NAMES = 'vulndex-unknown-ecosystems';

test('a text that is no version gets what affects every version or lists the text, and otherwise an error', async (t) => {
  const server = await serve(t);
  const urlsOf = async (path: string): Promise<number | string[]> => {
    const response = await server.request(path);
    if (response.status !== 200) return response.status;
    const { vulnerabilities } = response.json();
    return vulnerabilities.map(({ url }: { readonly url: string }) => url.split('/').at(-1)).sort();
  };
  assert.deepEqual(await urlsOf('/product/cargo/abomonation/v1.0.1'), ['X-1']);
  assert.deepEqual(await urlsOf('/product/cargo/abomonation/1.0.1'), ['X-1', 'X-2']);
  assert.deepEqual(await urlsOf('/product/pypi/buildbot/0.8.4P2'), ['X-3']);
  for (const path of [
    'pypi/buildbot/0.8.4p3',
    'pypi/torch/latest',
    'npm/left-pad/latest',
    'cargo/other/v1',
  ]) {
    assert.equal(await urlsOf(`/product/${path}`), 422, path);
    assert.equal((await server.request(`/product/${path}/exists`)).status, 422, path);
    assert.equal((await server.request(`/explain/${path}`)).status, 422, path);
  }
  assert.deepEqual((await server.request('/product/cargo/abomonation/v1.0.1/exists')).json(), {
    vulnerable: true,
  });
  const explained = (await server.request('/explain/pypi/buildbot/0.8.4p2')).json();
  assert.deepEqual(
    explained.advisories[0].ranges
      .map(({ comparison }: { readonly comparison: string }) => comparison)
      .sort(),
    ['0.8.4p2 is listed', '0.8.4p2 is not a version of PEP 440, such as 1.2.3 or 1!2.0rc1'],
  );
  const items = ['0.8.4p2', '0.8.4p3'].map((version) => ({
    type: 'pypi',
    name: 'buildbot',
    version,
    exists: true,
  }));
  const [listed, other] = (await post(server, '/batch', items)).json();
  assert.deepEqual([listed.vulnerable, other.error.code], [true, 'invalid_version']);
});

test('the OSV mount refuses a version that nothing reads, naming the query', async (t) => {
  const server = await serve(t);
  const query = (ecosystem: string, name: string, version: string) => ({
    package: { ecosystem, name },
    version,
  });
  const found = await post(server, '/osv/v1/query', query('crates.io', 'abomonation', 'v1.0.1'));
  assert.deepEqual(
    found.json().vulns.map(({ id }: { readonly id: string }) => id),
    ['X-1'],
  );
  const refused = await post(server, '/osv/v1/query', query('PyPI', 'buildbot', 'latest'));
  assert.equal(refused.status, 400);
  assert.match(refused.json().message, /^invalid version: /);
  const queries = [query('PyPI', 'buildbot', '0.8.4p2'), query('NuGet', 'other', '1.2.3.4.5')];
  const batch = await post(server, '/osv/v1/querybatch', { queries });
  assert.equal(batch.status, 400);
  assert.match(batch.json().message, /^error in query at index 1: invalid version: /);
  // Without an ecosystem a version need not be one everywhere.
  assert.equal(
    (await post(server, '/osv/v1/query', { package: { name: 'left-pad' }, version: '1' })).status,
    200,
  );
});

test('a type without any advisory is named in a header of every answer about it', async (t) => {
  const server = await serve(t);
  const namedIn = (response: TestResponse): string | null => {
    assert.equal(response.status, 200, response.text);
    return response.headers.get(NAMES);
  };
  for (const path of [
    '/product/gem/rails/7.0.0',
    '/product/gem/rails/7.0.0/exists',
    '/explain/gem/rails/7.0.0',
  ]) {
    assert.equal(namedIn(await server.request(path)), 'gem', path);
    assert.equal(namedIn(await server.request(path)), 'gem', `${path}, remembered`);
    assert.equal(namedIn(await server.request(path.replace('gem/rails', 'npm/rails'))), null, path);
  }
  const items = [
    { type: 'gem', name: 'rails', version: '7.0.0' },
    { type: 'npm', name: 'rails', version: '7.0.0' },
    { type: 'plugin', name: 'rails', version: '7.0.0' },
  ];
  assert.equal(namedIn(await post(server, '/batch', items)), 'gem, plugin');
  const flat = await post(server, '/database/api/v2/batch', items);
  assert.equal(namedIn(flat), 'gem, plugin');
  const queries = ['RubyGems', 'npm', 'Maven', 'Acme'].map((ecosystem) => ({
    package: { ecosystem, name: ecosystem === 'Maven' ? 'a:a' : 'a' },
    version: '1',
  }));
  assert.equal(namedIn(await post(server, '/osv/v1/querybatch', { queries })), 'Acme, RubyGems, Maven');
  assert.equal(namedIn(await post(server, '/osv/v1/query', queries[0])), 'RubyGems');
});

test('npm is told what was not audited, in the header that it prints', async (t) => {
  const server = await serve(t);
  const bulk = '/-/npm/v1/security/advisories/bulk';
  const odd = await post(server, bulk, { 'left-pad': ['github:left/pad', '1.0.0'], other: ['latest'] });
  assert.equal(odd.headers.get('npm-notice'), 'not audited, as their versions cannot be read: left-pad');
  assert.equal(odd.headers.get('vulndex-unread-versions'), 'left-pad');
  assert.ok('left-pad' in odd.json());
  assert.equal((await post(server, bulk, { 'left-pad': ['1.0.0'] })).headers.get('npm-notice'), null);
  const wordpress = await startServer(t, { records: [feedRecord(1)] });
  for (const [path, body] of [
    [bulk, { 'left-pad': ['1.0.0'] }],
    ['/-/npm/v1/security/audits/quick', { requires: {}, dependencies: { a: { version: '1.0.0' } } }],
  ] as const) {
    const response = await post(wordpress, path, body);
    assert.equal(response.headers.get(NAMES), 'npm');
    assert.equal(
      response.headers.get('npm-notice'),
      'this server has no advisories of npm packages: nothing was audited',
    );
  }
});

test('a local part is left out of a look-up, and a header says so; one that a record names counts', async (t) => {
  const server = await serve(t);
  for (const [version, isVulnerable] of [
    ['1.9+cu118', true],
    ['2.1+cu118', true],
    ['2.1+cpu', false],
    ['2.1', false],
  ] as const) {
    const path = `/product/pypi/torch/${encodeURIComponent(version)}`;
    const response = await server.request(`${path}/exists`);
    assert.deepEqual(response.json(), { vulnerable: isVulnerable }, version);
    const ignored = /\+.*/.exec(version)?.[0] ?? null;
    assert.equal(response.headers.get('vulndex-ignored-version-parts'), ignored);
    assert.equal((await server.request(path)).headers.get('vulndex-ignored-version-parts'), ignored);
    const item = { type: 'pypi', name: 'torch', version };
    const query = { package: { ecosystem: 'PyPI', name: 'torch' }, version };
    for (const [mount, body] of [
      ['/batch', [item]],
      ['/database/api/v2/batch', [item]],
      ['/osv/v1/query', query],
      ['/osv/v1/querybatch', { queries: [query] }],
    ] as const) {
      const answer = await server.request(mount, { method: 'POST', body: JSON.stringify(body) });
      assert.equal(answer.status, 200, mount);
      assert.equal(answer.headers.get('vulndex-ignored-version-parts'), ignored, mount);
    }
  }
});

/** A question of each dialect. */
const QUESTIONS: Readonly<Record<string, readonly [path: string, body?: string]>> = {
  patchstack: ['/product/npm/left-pad/1.0.0'],
  'npm-audit': ['/-/npm/v1/security/advisories/bulk', '{"left-pad":["1.0.0"]}'],
  'patchstack-flat': ['/database/api/v2/batch', '[{"type":"npm","name":"left-pad","version":"1.0.0"}]'],
  osv: ['/osv/v1/query', '{"package":{"purl":"pkg:npm/left-pad@1.0.0"}}'],
  wordfence: ['/wordfence/v3/vulnerabilities/production'],
  wpscan: ['/wpscan/api/v3/plugins/gallery'],
  govulndb: ['/govulndb/index/modules.json'],
  'oss-index': ['/oss-index/api/v3/component-report', '{"coordinates":["pkg:npm/left-pad@1.0.0"]}'],
  composer: ['/composer/api/security-advisories/', 'packages[0]=acme/one'],
  nuget: ['/nuget/v3/vulnerabilities/index.json'],
};

test('every mount says that its data is too old', async (t) => {
  assert.deepEqual(Object.keys(QUESTIONS).sort(), DIALECTS.map(({ name }) => name).sort());
  const server = await serve(t, { maxDataAgeMs: 1, nowMs: () => Date.now() + 60_000 });
  for (const [path, body] of Object.values(QUESTIONS)) {
    const response = await server.request(path, body === undefined ? {} : { method: 'POST', body });
    assert.equal(response.headers.get('warning'), '110 - "Response is Stale"', `${path}: ${response.text}`);
  }
});
