// The bulk endpoint over a socket, as npm 7 to 12, pnpm 11, yarn, bun and deno ask it.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { deflateSync, gzipSync } from 'node:zlib';
import { MAX_NAMES, MAX_OUTPUT_BYTES, MAX_VERSIONS } from '../../../src/dialects/npm-audit/body.ts';
import { feedRecord, npmProduct, span } from '../../support/feeds/advisories.ts';
import { outcomeOf, startServer, type TestResponse } from '../../support/serving/server.ts';
import { words } from '../../support/words.ts';

const BULK = '/-/npm/v1/security/advisories/bulk';
const ODD_NAMES = words('__proto__ constructor toString hasOwnProperty 0 7 42 all @scope/lib');

const server = await startServer(
  { after },
  {
    records: [
      feedRecord(11, {
        title: 'NPM: Command Injection in lodash',
        product: npmProduct('lodash'),
        ghsa: 'GHSA-35JH-R3H4-6JHM',
        severity: 'HIGH',
        affected: [
          span('4.0.0', '4.17.21', 'exclusive', '4.17.21'),
          span(null, '3.5.1', 'exclusive', '3.5.1'),
        ],
      }),
      feedRecord(12, { product: npmProduct('lodash'), affected: [span('2.0.0', '2.4.2')] }),
      feedRecord(13, {
        product: npmProduct('lodash'),
        affected: [span(null, null)],
        withdrawn_at: '2026-01-05T00:00:00Z',
      }),
      feedRecord(14, {
        product: npmProduct('evil', 12),
        kind: 'malware',
        severity: 'low',
        cvss: { score: null, vector: null },
        cwe: { id: null, name: null },
        affected: [span('0', null)],
      }),
      feedRecord(15, { product: { id: 15, type: 'plugin', slug: 'gallery', name: 'Gallery' } }),
      ...ODD_NAMES.map((name, i) =>
        feedRecord(100 + i, { product: npmProduct(name, 100 + i), affected: [span('1.0.0', '1.9.9')] }),
      ),
    ],
  },
);

function post(
  body: RequestInit['body'],
  headers: Record<string, string> = {},
  path = BULK,
): Promise<TestResponse> {
  return server.request(path, { method: 'POST', body: body ?? null, headers });
}

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body by asserting on it
async function audit(asked: unknown): Promise<any> {
  const response = await post(JSON.stringify(asked));
  assert.equal(response.status, 200, response.text);
  return response.json();
}

/** The ids by name. */
async function idsOf(asked: unknown): Promise<Record<string, number[]>> {
  const answer = (await audit(asked)) as Record<string, { id: number }[]>;
  return Object.fromEntries(Object.entries(answer).map(([name, list]) => [name, list.map(({ id }) => id)]));
}

test('an advisory has all that the clients read, in their words', async () => {
  assert.deepEqual(await audit({ lodash: ['4.17.20'] }), {
    lodash: [
      {
        id: 11,
        url: 'https://github.com/advisories/GHSA-35jh-r3h4-6jhm',
        title: 'Command Injection in lodash',
        severity: 'high',
        vulnerable_versions: '<3.5.1 || >=4.0.0 <4.17.21',
        cwe: ['CWE-89'],
        cvss: { score: 7.5, vectorString: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N' },
      },
    ],
  });
});

test('what a source does not say is left empty; malware is critical whatever its label', async () => {
  assert.deepEqual(await audit({ evil: ['0.0.0-alpha'] }), {
    evil: [
      {
        id: 14,
        url: 'https://advisories.example/14',
        title: 'Advisory 14',
        severity: 'critical',
        vulnerable_versions: '0.0.0-alpha || *',
        cwe: [],
        cvss: { score: 0, vectorString: null },
      },
    ],
  });
});

test('only vulnerable packages are answered, and only advisories that apply to an asked version', async () => {
  assert.deepEqual(await idsOf({ express: ['4.0.0'], lodash: ['4.17.21'], gallery: ['1.0.0'] }), {});
  assert.deepEqual(await idsOf({ lodash: ['2.1.0'] }), { lodash: [12, 11] });
  assert.deepEqual(await idsOf({ lodash: ['4.17.20', '3.9.0', '4.17.20'] }), { lodash: [11] });
  assert.deepEqual(await idsOf({ lodash: ['4.17.21', '2.1.0'] }), { lodash: [12, 11] });
  assert.deepEqual(await idsOf({}), {});
});

test('withdrawn advisories are not answered', async () => {
  assert.deepEqual(await idsOf({ lodash: ['99.0.0', '3.9.0'] }), {});
});

test('what is not a version is ignored, and the rest is answered', async () => {
  const odd = [
    '',
    '^4.0.0',
    '>=1 <5',
    'git+ssh://git@host/a.git#1',
    'file:../a',
    '*',
    'latest',
    'x'.repeat(9000),
  ];
  assert.deepEqual(await idsOf({ lodash: [...odd, '4.17.20'], evil: odd }), { lodash: [11] });
  assert.deepEqual(await idsOf({ lodash: [null, 4, {}, ['4.17.20'], true, '4.17.20'], evil: [null] }), {
    lodash: [11],
  });
  assert.deepEqual(await idsOf({ lodash: [] }), {});
});

test('names that mean something in JavaScript are names like any other', async () => {
  const body = `{${ODD_NAMES.map((name) => `${JSON.stringify(name)}:["1.2.0"]`).join(',')},"valueOf":["1.2.0"]}`;
  const { text } = await post(body);
  for (const [i, name] of ODD_NAMES.entries()) {
    assert.ok(text.includes(`${JSON.stringify(name)}:[{"id":${100 + i},`), `${name} is missing from ${text}`);
  }
  assert.equal(text.match(/"id":/g)?.length, ODD_NAMES.length);
});

test('names that are no package names have no advisories', async () => {
  assert.deepEqual(
    await idsOf({ '': ['1.0.0'], ['x'.repeat(5000)]: ['1.0.0'], 'a\u0000b': ['1.0.0'], '🎈': ['1'] }),
    {},
  );
});

test('packages are answered as sent; of equal names, the last counts', async () => {
  const { text } = await post(
    '{"lodash":["1.0.0"],"evil":["1.0.0"],"lodash":["4.17.21"],"@scope/lib":["1.0.0"]}',
  );
  assert.deepEqual(Object.keys(JSON.parse(text)), ['evil', '@scope/lib']);
});

test('the body may be plain or coded, below both mounts, with any content type', async () => {
  const body = JSON.stringify({ evil: ['1.0.0'] });
  const plain = await post(body);
  for (const path of [BULK, `/npm${BULK}`, `//npm${BULK}`, `/npm${BULK}?x=1`]) {
    assert.equal((await post(gzipSync(body), { 'Content-Encoding': 'gzip' }, path)).text, plain.text);
    assert.equal((await post(deflateSync(body), { 'Content-Encoding': 'deflate' }, path)).text, plain.text);
  }
  assert.match(plain.headers.get('etag') ?? '', /^"[0-9a-f]{16}\.\d+"$/);
});

test('what is not a list of versions by name is refused', async () => {
  const bodies = ['', '{', '[]', 'null', '"a"', '{"a":"1.0.0"}', '{"a":{"1.0.0":1}}', '{"a":null}'];
  for (const body of [...bodies, new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x5b, 0x5d, 0x7d])]) {
    assert.equal(outcomeOf(await post(body)), '400 invalid_body', String(body));
  }
  assert.equal(outcomeOf(await post('{}', { 'Content-Encoding': 'gzip' })), '400 invalid_encoding');
  assert.equal(outcomeOf(await post('{}', { 'Content-Encoding': 'br' })), '415 unsupported_encoding');
});

test('a request is answered up to its limits, and refused beyond with what to do', async () => {
  const names = (count: number): string =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`package-${i}`, ['1.0.0']])));
  assert.equal(outcomeOf(await post(names(MAX_NAMES))), '200');
  const refused = await post(names(MAX_NAMES + 1));
  assert.equal(outcomeOf(refused), '413 too_many_packages');
  assert.match(refused.json().error, /^One request may name 20000 packages, got more: audit parts/);
  const versions = (count: number): string =>
    JSON.stringify({ evil: Array.from({ length: count }, (_, i) => `1.0.${i}`) });
  assert.equal(outcomeOf(await post(versions(MAX_VERSIONS))), '200');
  assert.equal(outcomeOf(await post(versions(MAX_VERSIONS + 1))), '413 too_many_packages');
});

test('a bomb is refused, whatever it decodes to', async () => {
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20));
  assert.equal(outcomeOf(await post(bomb, { 'Content-Encoding': 'gzip' })), '413 body_too_large');
  assert.equal(outcomeOf(await post(' '.repeat(9 * 1024 * 1024))), '413 body_too_large');
});

test('an answer that would be too large is refused, and not cut', async (t) => {
  const many = await startServer(t, {
    records: Array.from({ length: 600 }, (_, i) =>
      feedRecord(1 + i, {
        title: 'x'.repeat(250),
        product: npmProduct('large'),
        affected: [span(null, null)],
      }),
    ),
  });
  // The name means the same package in any case, so each is answered in full.
  const names = Array.from({ length: 32 }, (_, i) =>
    [...'large'].map((letter, at) => ((i >> at) & 1 ? letter.toUpperCase() : letter)).join(''),
  );
  const ask = (count: number): Promise<TestResponse> =>
    many.request(BULK, {
      method: 'POST',
      body: JSON.stringify(Object.fromEntries(names.slice(0, count).map((name) => [name, ['1.0.0']]))),
    });
  const one = (await ask(1)).text.length;
  const most = Math.floor(MAX_OUTPUT_BYTES / one);
  assert.ok(most < names.length, String(one));
  assert.equal(outcomeOf(await ask(most)), '200');
  for (const _ of ['first', 'and when the buffer has grown']) {
    assert.equal(outcomeOf(await ask(most + 1)), '413 answer_too_large');
  }
});

test('an answer can be pinned to a snapshot that is held', async () => {
  const live = (await post('{"evil":["1.0.0"]}')).headers.get('etag')?.slice(1, 17);
  assert.equal((await post('{"evil":["1.0.0"]}', {}, `${BULK}?snapshot=${live}`)).status, 200);
  assert.equal(outcomeOf(await post('{}', {}, `${BULK}?snapshot=${'0'.repeat(16)}`)), '412 unknown_snapshot');
  assert.equal(outcomeOf(await post('{}', {}, `${BULK}?snapshot=x`)), '422 invalid_parameter snapshot');
});
