// Every dialect that looks products up, asked as its clients do: what an access log would name.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DIALECTS } from '../../src/dialects/dialects.ts';
import { ProductNaming } from '../../src/http/product-naming.ts';
import { handleInProcess } from '../support/serving/in-process.ts';
import { replyOf } from '../support/serving/reply-of.ts';
import { coreAdvisory, coreProduct, generationOf } from '../support/snapshots/generation.ts';
import { words } from '../support/words.ts';

const NPM = '/-/npm/v1/security';
const TREE = {
  name: 'app',
  version: '1.0.0',
  dependencies: {
    lodash: { version: '4.17.20', dependencies: { '@s/deep': { version: '2.0.0' } } },
    deep: { version: 'npm:@s/deep@3.0.0' },
  },
};

interface Case {
  readonly asks: string;
  readonly body?: unknown;
  readonly names: readonly string[];
  readonly status?: number;
}

const CASES: readonly Case[] = [
  { asks: '/product/npm/lodash/4.17.20', names: ['pkg:npm/lodash@4.17.20'] },
  { asks: '/product/npm/@s/deep/1.0.0', names: ['pkg:npm/%40s/deep@1.0.0'] },
  { asks: '/product/plugin/Gallery/*', names: ['pkg:wordpress/plugin/gallery'] },
  { asks: '/product/npm/never-heard-of/1.0.0/exists', names: ['pkg:npm/never-heard-of@1.0.0'] },
  { asks: '/explain/theme/paper/1.0', names: ['pkg:wordpress/theme/paper@1.0'] },
  { asks: '/product/npm/lodash/not-one', names: [], status: 422 },
  { asks: '/product/gadget/rails/1.0', names: [], status: 422 },
  {
    asks: '/batch',
    body: [
      { type: 'npm', name: 'lodash', version: '4.17.20' },
      { type: 'wordpress', name: 'wordpress', version: '6.4', exists: true },
      { type: 'npm', name: 'odd', version: '' },
    ],
    names: ['pkg:npm/lodash@4.17.20', 'pkg:wordpress/wordpress@6.4', 'pkg:npm/odd'],
  },
  { asks: '/batch', body: [{ type: 'npm' }], names: [], status: 422 },
  { asks: '/database/api/v2/product/plugin/gallery/1.0', names: ['pkg:wordpress/plugin/gallery@1.0'] },
  { asks: '/database/api/v2/product/plugin/gallery/1.0/exists', names: ['pkg:wordpress/plugin/gallery@1.0'] },
  {
    asks: '/database/api/v2/batch',
    body: [
      { name: 'gallery', version: '1.0' },
      { name: 'wordpress', version: '6.4' },
    ],
    names: words(
      'pkg:wordpress/plugin/gallery@1.0 pkg:wordpress/theme/gallery@1.0 pkg:wordpress/wordpress@6.4',
    ),
  },
  {
    asks: `${NPM}/advisories/bulk`,
    body: { lodash: ['4.17.20', '3.0.0'], unknown: ['1.0.0'], none: [] },
    names: ['pkg:npm/lodash@4.17.20', 'pkg:npm/lodash@3.0.0', 'pkg:npm/unknown@1.0.0'],
  },
  ...['audits/quick', 'audits'].map((path) => ({
    asks: `${NPM}/${path}`,
    body: TREE,
    names: ['pkg:npm/lodash@4.17.20', 'pkg:npm/%40s/deep@3.0.0', 'pkg:npm/%40s/deep@2.0.0'],
  })),
  {
    asks: '/osv/v1/query',
    body: { package: { purl: 'pkg:npm/%40s/deep@1.0.0' } },
    names: ['pkg:npm/%40s/deep@1.0.0'],
  },
  {
    asks: '/osv/v1/query',
    body: { package: { name: 'lodash', ecosystem: 'npm' } },
    names: ['pkg:npm/lodash'],
  },
  { asks: '/osv/v1/query', body: { commit: 'ab' }, names: [] },
  { asks: '/osv/v1/query', body: { package: {} }, names: [], status: 400 },
  {
    asks: '/osv/v1/querybatch',
    body: {
      queries: [
        { package: { name: 'lodash', ecosystem: 'npm' }, version: '4.17.20' },
        { package: { name: 'plugin/gallery', ecosystem: 'WordPress' }, version: '1.0' },
        { package: { name: 'wordpress', ecosystem: 'WordPress' }, version: '6.4' },
        { package: { name: 'paper', ecosystem: 'WordPress:Theme' }, version: '2.0' },
        { package: { name: 'paper', ecosystem: 'WordPress' } },
        { package: { name: 'Requests', ecosystem: 'PyPI' }, version: '2.0' },
        { package: { name: 'phoenix', ecosystem: 'Acme' }, version: '1.0' },
      ],
    },
    names: words(`
      pkg:npm/lodash@4.17.20 pkg:wordpress/plugin/gallery@1.0 pkg:wordpress/wordpress@6.4
      pkg:wordpress/theme/paper@2.0 pkg:wordpress/plugin/paper pkg:wordpress/theme/paper pkg:pypi/requests@2.0
    `),
  },
  { asks: '/wpscan/api/v3/plugins/gallery', names: ['pkg:wordpress/plugin/gallery'] },
  { asks: '/wpscan/api/v3/themes/unknown', names: ['pkg:wordpress/theme/unknown'], status: 404 },
  {
    asks: '/wpscan/api/v3/wordpresses/611',
    names: ['pkg:wordpress/wordpress@6.1.1', 'pkg:wordpress/wordpress@61.1'],
    status: 404,
  },
  { asks: '/govulndb/index/modules.json', names: [], status: 404 },
  { asks: '/nuget/v3/vulnerabilities/index.json', names: [], status: 404 },
  { asks: '/govulndb/github.com/!a/b.json', names: ['pkg:golang/github.com/A/b'], status: 404 },
  {
    asks: '/oss-index/api/v3/component-report',
    body: { coordinates: ['pkg:npm/%40s/deep@1.0.0', 'pkg:deb/debian/curl@1', 'pkg:wordpress/paper@2.0'] },
    names: words(`
      pkg:npm/%40s/deep@1.0.0 pkg:wordpress/plugin/paper@2.0 pkg:wordpress/theme/paper@2.0
    `),
  },
  {
    asks: '/oss-index/api/v3/component-report',
    body: { coordinates: ['pkg:npm/lodash@1.0.0', 'pkg:maven/a'] },
    names: [],
    status: 400,
  },
  {
    asks: '/composer/api/security-advisories/',
    body: 'packages[0]=Acme%2FOne&packages[1]=acme/two&packages[2]=acme/two',
    names: words('pkg:composer/acme/one pkg:composer/acme/two'),
  },
  { asks: '/composer/api/security-advisories', body: 'no form', names: [], status: 400 },
  {
    asks: '/composer/api/security-advisories/?packages[]=acme%2Fone&packages[]=acme/two',
    names: words('pkg:composer/acme/one pkg:composer/acme/two'),
  },
  { asks: '/composer/api/security-advisories/?updatedSince=1', names: [], status: 400 },
  {
    asks: '/composer/api/filter',
    body: { packages: ['pkg://composer/acme/one'], lists: ['malware'] },
    names: ['pkg:composer/acme/one'],
  },
  { asks: '/composer/packages.json', names: [] },
  { asks: '/all', names: [] },
  { asks: '/products?type=npm&prefix=lo', names: [] },
];

test('requests of every dialect are told with what they asked about, known or not', (t) => {
  const generation = generationOf(t, [
    coreAdvisory(1, { product: coreProduct('plugin', 'gallery') }),
    coreAdvisory(2, { product: coreProduct('theme', 'paper') }),
    coreAdvisory(3, { product: coreProduct('npm', 'lodash') }),
  ]);
  const handle = handleInProcess(generation);
  const serving = {
    handle: ({ path, query, method }: { path: string; query: string; method: string }) =>
      handle(`${path}?${query}`, method === 'POST' ? 'POST' : 'GET'),
  };
  const naming = new ProductNaming(serving, { dialects: DIALECTS, most: 100, onError: assert.ifError });
  for (const { asks, body, names, status = 200 } of CASES) {
    const [path, query = ''] = asks.split('?');
    const method = body === undefined ? 'GET' : 'POST';
    const request = { method, path, query, address: '', header: () => '', list: () => 'a.example' };
    // Asked three times, as a thread remembers paths and bodies that come again.
    for (let times = 0; times < 3; times++) {
      const reply = replyOf(
        naming.handle(request),
        Buffer.from(typeof body === 'string' ? body : (JSON.stringify(body) ?? '')),
      );
      assert.equal(reply.status, status, asks);
      assert.deepEqual(reply.about.products?.names ?? [], names, asks);
    }
  }
});

test('each route with a product in its path or its body reads it', () => {
  const silent = DIALECTS.flatMap(({ routes }) =>
    routes.flatMap((route) =>
      route.kind === 'body' || route.kind === 'read' || route.kind === 'long-read'
        ? route.asked === undefined
          ? [route.label ?? route.endpoint]
          : []
        : [],
    ),
  );
  assert.deepEqual(silent.sort(), [
    ...['all', 'changes', 'composer-packages', 'flat-all', 'flat-latest', 'flat-vulnerability'],
    ...Array.from({ length: 7 }, () => 'govulndb-index'),
    ...['govulndb-record', 'latest', 'nuget-index', 'nuget-page', 'nuget-service'],
    ...['osv-file', 'osv-file', 'osv-file', 'osv-file', 'osv-file', 'osv-file', 'osv-vuln', 'products'],
    ...['statistics', 'vulnerability', 'wordfence-production', 'wordfence-scanner'],
  ]);
});
