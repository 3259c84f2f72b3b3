// GET /product/{type}/{name}/{version} and …/exists over a socket: paths and answers. Which version is in
// which range is tested with the index.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { etags } from '../../../src/dialects/etags.ts';
import { handleProduct } from '../../../src/dialects/patchstack/product.ts';
import { OwnAddress } from '../../../src/http/transport/own-address.ts';
import type { RequestView } from '../../../src/http/transport/request-view.ts';
import { Generation } from '../../../src/index/generation.ts';
import { ThreadMemory } from '../../../src/index/memory/thread-memory.ts';
import { type FeedJson, feedRecord, npmProduct, span } from '../../support/feeds/advisories.ts';
import { outcomeOf, startServer } from '../../support/serving/server.ts';
import { coreAdvisory, generationOf } from '../../support/snapshots/generation.ts';
import { words } from '../../support/words.ts';

function wordpressProduct(type: 'plugin' | 'theme' | 'wordpress', slug: string): FeedJson {
  return { id: 5, type, slug, name: slug };
}

const TWO_LINES = [span('2.0', '2.4.1', 'inclusive', '2.4.2'), span('1.0', '1.9.3', 'exclusive', '1.9.3')];

const server = await startServer(
  { after },
  {
    records: [
      feedRecord(1),
      feedRecord(2, { affected: TWO_LINES, details: 'All about 2.' }),
      feedRecord(3, { affected: [span(null, null)], withdrawn_at: '2026-01-05T00:00:00Z' }),
      feedRecord(4, { affected: [span('5.0', '5.0', null)] }),
      feedRecord(10, { product: wordpressProduct('theme', 'gallery'), affected: [span(null, '9.0')] }),
      feedRecord(11, { product: wordpressProduct('wordpress', 'wordpress'), affected: [span('6.0', null)] }),
      feedRecord(12, { product: wordpressProduct('plugin', 'MixedCase'), affected: [span(null, '1.0')] }),
      feedRecord(13, { product: wordpressProduct('plugin', 'gone'), withdrawn_at: '2026-01-05T00:00:00Z' }),
      feedRecord(14, { product: wordpressProduct('plugin', '__proto__'), affected: [span(null, '1.0')] }),
      feedRecord(15, { product: wordpressProduct('plugin', '123'), affected: [span(null, '1.0')] }),
      feedRecord(16, { product: wordpressProduct('plugin', 'größe-一'), affected: [span(null, '1.0')] }),
      feedRecord(17, { product: wordpressProduct('plugin', 'a/b'), affected: [span(null, '1.0')] }),
      feedRecord(20, { product: npmProduct('JSONStream', 20), affected: [span(null, '1.0.0')] }),
      feedRecord(21, { product: npmProduct('jsonstream', 21), affected: [span(null, '2.0.0')] }),
      feedRecord(22, { product: npmProduct('lower-only', 22), affected: [span(null, '2.0.0', 'exclusive')] }),
      feedRecord(23, { product: npmProduct('@Scope/Pkg', 23), affected: [span(null, '2.0.0')] }),
    ],
  },
);

async function idsAt(path: string): Promise<number[]> {
  const { vulnerabilities } = (await server.request(`/product/${path}`)).json();
  return vulnerabilities.map((item: { id: number }) => item.id);
}

async function isVulnerable(path: string): Promise<boolean> {
  return (await server.request(`/product/${path}/exists`)).json().vulnerable;
}

async function outcomesAt(path: string): Promise<string[]> {
  const list = await server.request(`/product/${path}`);
  const exists = await server.request(`/product/${path}/exists`);
  return [outcomeOf(list), outcomeOf(exists)];
}

test('a lookup lists what applies to the version, by descending id, and exists says whether anything applies', async () => {
  const expected: Record<string, number[]> = {
    '0.9': [1],
    '1.0': [2, 1],
    '1.4.9': [2, 1],
    '1.5.0': [2],
    '1.9.3': [],
    '2.0': [2],
    '2.4.1': [2],
    '2.4.2': [],
    '5.0': [4],
  };
  for (const [version, ids] of Object.entries(expected)) {
    assert.deepEqual(await idsAt(`plugin/gallery/${version}`), ids, version);
    assert.equal(await isVulnerable(`plugin/gallery/${version}`), ids.length > 0, version);
  }
});

test('the span that matched is in the answer with its own fix, and the item’s fix is the lowest', async () => {
  const { vulnerabilities } = (await server.request('/product/plugin/gallery/2.3')).json();
  assert.deepEqual(vulnerabilities, [
    {
      id: 2,
      title: 'Advisory 2',
      disclosed_at: '2026-01-02T03:04:05+00:00',
      created_at: '2026-01-03T03:04:05+00:00',
      url: 'https://advisories.example/2',
      vuln_type: 'SQL Injection',
      cve: '2026-2',
      is_exploited: false,
      patch_priority: 1,
      product: { id: 7, name: 'Gallery', slug: 'gallery' },
      cvss: { score: 7.5, vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N' },
      cwe: { id: 89, name: 'SQL Injection' },
      capec: { id: null, name: null },
      references: ['https://advisories.example/2/fix'],
      ghsa: '',
      version_info: {
        affected: '>= 1.0 < 1.9.3 || >= 2.0 <= 2.4.1',
        fixed: '1.9.3',
        patched_ranges: [
          { from_version: '1.0', to_version: '1.9.3', fixed_in: '1.9.3' },
          { from_version: '2.0', to_version: '2.4.1', fixed_in: '2.4.2' },
        ],
      },
      matched_range: { from_version: '2.0', to_version: '2.4.1', to_bound: 'inclusive', fixed_in: '2.4.2' },
    },
  ]);
});

test('a matched range has its four keys, null if not recorded', async () => {
  const rangeAt = async (path: string): Promise<object> =>
    (await server.request(`/product/${path}`)).json().vulnerabilities[0].matched_range;
  assert.deepEqual(await rangeAt('plugin/gallery/0.5'), {
    from_version: null,
    to_version: '1.5.0',
    to_bound: 'exclusive',
    fixed_in: '1.5.0',
  });
  assert.deepEqual(await rangeAt('plugin/gallery/5.0'), {
    from_version: '5.0',
    to_version: '5.0',
    to_bound: null,
    fixed_in: null,
  });
  assert.deepEqual(await rangeAt('wordpress/wordpress/6.5'), {
    from_version: '6.0',
    to_version: null,
    to_bound: null,
    fixed_in: null,
  });
});

test('a star, plain or encoded, lists everything published for the product, without matched ranges', async () => {
  for (const version of ['*', '%2A', '%2a']) {
    assert.deepEqual(await idsAt(`plugin/gallery/${version}`), [4, 2, 1]);
    const { vulnerabilities } = (await server.request(`/product/plugin/gallery/${version}`)).json();
    assert.ok(vulnerabilities.every((item: object) => !('matched_range' in item)));
    assert.equal(vulnerabilities[1].version_info.fixed, '1.9.3');
    assert.deepEqual(await idsAt(`plugin/unknown/${version}`), []);
    assert.deepEqual(await idsAt(`plugin/gone/${version}`), []);
  }
});

test('exists requires a concrete version', async () => {
  for (const version of ['*', '%2A', '%2a']) {
    for (const product of ['plugin/gallery', 'plugin/unknown', 'npm/lower-only']) {
      const response = await server.request(`/product/${product}/${version}/exists`);
      assert.equal(outcomeOf(response), '422 invalid_parameter version', product);
    }
  }
});

test('details come with include=details, matched or listed', async () => {
  for (const version of ['2.3', '*']) {
    const path = `/product/plugin/gallery/${version}`;
    const plain = (await server.request(path)).json().vulnerabilities;
    const detailed = (await server.request(`${path}?include=details`)).json().vulnerabilities;
    assert.deepEqual(
      detailed,
      plain.map((item: { id: number }) => ({
        ...item,
        advisory_details: item.id === 2 ? 'All about 2.' : '',
      })),
    );
  }
});

test('include must be details, given once, and unknown parameters are ignored', async () => {
  for (const query of words(`
    include= include=detail include=DETAILS include=%zz include=details&include=details
  `)) {
    const response = await server.request(`/product/plugin/gallery/1.0?${query}`);
    assert.equal(outcomeOf(response), '422 invalid_parameter include', query);
  }
  const { text } = await server.request('/product/plugin/gallery/1.0');
  for (const query of ['page=0', 'cursor=x&cursor=y', 'platform=none', 'x=%zz']) {
    assert.equal((await server.request(`/product/plugin/gallery/1.0?${query}`)).text, text, query);
  }
  const exists = await server.request('/product/plugin/gallery/1.0/exists?include=x&include=y');
  assert.deepEqual(exists.json(), { vulnerable: true });
});

test('types are four different namespaces', async () => {
  assert.deepEqual(await idsAt('theme/gallery/1.0'), [10]);
  assert.deepEqual(await idsAt('plugin/gallery/1.0'), [2, 1]);
  assert.deepEqual(await idsAt('npm/gallery/1.0.0'), []);
  assert.deepEqual(await idsAt('wordpress/wordpress/6.0'), [11]);
  assert.deepEqual(await idsAt('plugin/wordpress/6.0'), []);
});

test('an unknown product has no vulnerabilities, nor has one whose advisories are all withdrawn', async () => {
  for (const product of words('plugin/unknown theme/unknown wordpress/unknown npm/unknown plugin/gone')) {
    assert.deepEqual(await idsAt(`${product}/1.0`), [], product);
    assert.equal(await isVulnerable(`${product}/1.0`), false, product);
  }
});

test('a withdrawn advisory matches nothing', async () => {
  assert.ok(!(await idsAt('plugin/gallery/1.0')).includes(3));
  assert.equal(await isVulnerable('plugin/gallery/7.0'), false); // only the withdrawn one has it in its range
});

test('WordPress slugs are found in any case', async () => {
  for (const name of ['gallery', 'Gallery', 'GALLERY']) {
    assert.deepEqual(await idsAt(`plugin/${name}/1.0`), [2, 1]);
    assert.equal(await isVulnerable(`plugin/${name}/1.0`), true);
  }
  for (const name of ['mixedcase', 'MixedCase']) assert.deepEqual(await idsAt(`plugin/${name}/1.0`), [12]);
  assert.deepEqual(await idsAt('wordpress/WordPress/6.0'), [11]);
});

test('an npm name is found as published, else lower-cased', async () => {
  assert.deepEqual(await idsAt('npm/JSONStream/1.0.0'), [20]);
  assert.deepEqual(await idsAt('npm/jsonstream/1.0.0'), [21]);
  assert.deepEqual(await idsAt('npm/JsonStream/1.0.0'), [21]);
  assert.equal(await isVulnerable('npm/JSONStream/1.5.0'), false);
  assert.equal(await isVulnerable('npm/JSONSTREAM/1.5.0'), true);
  assert.deepEqual(await idsAt('npm/Lower-Only/1.0.0'), [22]);
  assert.deepEqual(await idsAt('npm/@Scope/Pkg/1.0.0'), [23]);
  assert.deepEqual(await idsAt('npm/@Scope%2FPkg/1.0.0'), [23]);
  assert.deepEqual(await idsAt('npm/@scope/pkg/1.0.0'), []); // lower-cased it is another name
});

test('a name may be anything a slug may be, percent-encoded', async () => {
  assert.deepEqual(await idsAt('plugin/__proto__/1.0'), [14]);
  assert.deepEqual(await idsAt('plugin/constructor/1.0'), []);
  assert.deepEqual(await idsAt('plugin/123/1.0'), [15]);
  assert.deepEqual(await idsAt(`plugin/${encodeURIComponent('größe-一')}/1.0`), [16]);
  assert.deepEqual(await idsAt(`plugin/${encodeURIComponent('GRÖSSE-一')}/1.0`), []);
  assert.deepEqual(await idsAt('plugin/a%2Fb/1.0'), [17]);
  assert.deepEqual(await idsAt('plugin/g%61llery/1%2E0'), [2, 1]);
  assert.deepEqual(await idsAt('plugin/g%2561llery/1.0'), []); // decoded once, not twice
});

test('a type is percent-decoded once', async () => {
  const plain = await server.request('/product/plugin/gallery/1.0');
  const encoded = await server.request('/product/%70lugin/gallery/1.0');
  assert.deepEqual([encoded.status, encoded.text], [200, plain.text]);
  assert.deepEqual(await outcomesAt('%2570lugin/gallery/1.0'), [
    '422 invalid_parameter type',
    '422 invalid_parameter type',
  ]);
});

test('an unknown type is refused', async () => {
  for (const type of ['Plugin', 'plugins', 'core', 'NPM', '__proto__', '%zz', '%00', '']) {
    assert.deepEqual(
      await outcomesAt(`${type}/gallery/1.0`),
      ['422 invalid_parameter type', '422 invalid_parameter type'],
      type,
    );
  }
});

test('a name that is empty, over-long, badly escaped or has control characters is refused', async () => {
  const names = [
    '',
    'a'.repeat(257),
    'a'.repeat(8192),
    '%E2%82%AC'.repeat(86),
    '%',
    '%zz',
    '%FF',
    '%C0%AF',
    'a%00b',
    '%0A',
  ];
  for (const name of names) {
    assert.deepEqual(
      await outcomesAt(`plugin/${name}/1.0`),
      ['422 invalid_parameter name', '422 invalid_parameter name'],
      name,
    );
  }
  assert.deepEqual(await outcomesAt(`plugin/${'a'.repeat(256)}/1.0`), ['200', '200']);
  assert.deepEqual(await outcomesAt(`plugin/${'%E2%82%AC'.repeat(85)}/1.0`), ['200', '200']);
});

test('a version that is empty, over-long or badly escaped is refused', async () => {
  for (const product of words(`
    plugin/gallery plugin/unknown npm/lower-only npm/@scope/pkg npm/@scope%2Fpkg
  `)) {
    for (const version of [
      '',
      '1'.repeat(257),
      '1'.repeat(300),
      '1.'.repeat(4096),
      '%',
      '%zz',
      '%FF',
      '1%C3',
    ]) {
      assert.deepEqual(
        await outcomesAt(`${product}/${version}`),
        ['422 invalid_parameter version', '422 invalid_parameter version'],
        `${product} ${version}`,
      );
    }
  }
  assert.deepEqual(await outcomesAt(`plugin/gallery/${'1'.repeat(256)}`), ['200', '200']);
});

test('all bad parts are named at once', async () => {
  const response = await server.request(`/product/core//${'1'.repeat(300)}?include=x`);
  assert.equal(outcomeOf(response), '422 invalid_parameter type, name, version, include');
});

test('any text with a letter or a digit is a WordPress version, however odd', async () => {
  const expected: Record<string, boolean> = {
    '1.1.': true,
    v1: true,
    V1: true,
    '1.0-beta.1': true,
    '0': true,
    '%201.0%20': true,
    trunk: true,
    '1.0%00': true,
    '2.4.1': true,
    v9: false,
    '2026-01-01': false,
    '9+build': false,
  };
  for (const [version, vulnerable] of Object.entries(expected)) {
    assert.equal(await isVulnerable(`plugin/gallery/${version}`), vulnerable, version);
    assert.equal((await idsAt(`plugin/gallery/${version}`)).length > 0, vulnerable, version);
  }
  for (const version of ['%00', '-', '%20', '...', '%C3%A9', '%23']) {
    for (const name of ['gallery', 'unknown']) {
      assert.deepEqual(
        await outcomesAt(`plugin/${name}/${version}`),
        ['422 invalid_parameter version', '422 invalid_parameter version'],
        `${name} ${version}`,
      );
    }
  }
});

test('an npm version is parsed loosely, and a text that is not a version is refused', async () => {
  for (const version of words(`
    1 1.2 v1.2.3 =1.2.3 01.2.3 1.2.3beta 1.2.3-01 1.2.3-beta.1 1.2.3+build 2.0.0-rc.1
  `)) {
    assert.equal(await isVulnerable(`npm/lower-only/${version}`), true, version);
  }
  for (const version of ['2', '2.0', '2.0.0', 'v3', '2.0.0+build']) {
    assert.equal(await isVulnerable(`npm/lower-only/${version}`), false, version);
  }
  const junk = ['1.1.', 'latest', 'x', '1.x', '1.2.3.4', '^1.0.0', '>=1', '-1', '1..2', '%20', '1%00'];
  for (const version of junk) {
    assert.deepEqual(
      await outcomesAt(`npm/lower-only/${version}`),
      ['422 invalid_parameter version', '422 invalid_parameter version'],
      version,
    );
  }
});

test('a version is checked before its product, by the type alone', async () => {
  for (const name of ['unknown', 'lower-only']) {
    assert.deepEqual(
      await outcomesAt(`npm/${name}/latest`),
      ['422 invalid_parameter version', '422 invalid_parameter version'],
      name,
    );
    assert.deepEqual(await outcomesAt(`npm/${name}/2025.08.14`), ['200', '200'], name);
  }
});

test('a 304 counts as a look-up of its version, as a whole answer does', (t) => {
  const { parts, records } = generationOf(t, [coreAdvisory(1)]);
  const versions: (string | undefined)[] = [];
  const tap = { lookedUp: (_: number, version?: string) => void versions.push(version) };
  const generation = new Generation(parts, records, { tap });
  const context = {
    generation,
    memory: new ThreadMemory(generation),
    kept: [],
    prepared: undefined,
    nowMs: 0,
    own: new OwnAddress(),
    latestAnchor: 'snapshot',
  } as const;
  const request = { query: '', header: () => etags.patchstack(generation) } as unknown as RequestView;
  const answer = handleProduct(request, ['plugin', 'gallery', '1.0'], context);
  assert.equal(answer.kind, 'not-modified');
  assert.deepEqual(versions, ['1.0']);
});
