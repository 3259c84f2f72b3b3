// POST /batch over a socket: which bodies are valid, and the result for each of their items.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { feedRecord, npmProduct, span } from '../../support/feeds/advisories.ts';
import { outcomeOf, startServer, type TestResponse } from '../../support/serving/server.ts';
import { phrases } from '../../support/words.ts';

const server = await startServer(
  { after },
  {
    records: [
      feedRecord(1, { details: 'All about 1.' }),
      feedRecord(2, {
        affected: [span('1.0', '1.2', 'inclusive', '1.3'), span('2.0', '2.2', 'inclusive', '2.3')],
      }),
      feedRecord(3, { affected: [span(null, null)], withdrawn_at: '2026-01-05T00:00:00Z' }),
      feedRecord(4, { product: { id: 4, type: 'plugin', slug: '__proto__', name: 'Proto' } }),
      feedRecord(5, { product: { id: 5, type: 'plugin', slug: '123', name: 'Number' } }),
      feedRecord(6, { product: { id: 6, type: 'theme', slug: 'paper', name: 'Paper' } }),
      feedRecord(7, { product: { id: 7, type: 'wordpress', slug: 'wordpress', name: 'WordPress' } }),
      feedRecord(8, {
        product: npmProduct('@scope/lib'),
        affected: [span(null, '2.0.0', 'exclusive', '2.0.0')],
      }),
    ],
  },
);

/** Its answer with details has 1.8 MB. */
const ARCHIVE = { type: 'plugin', name: 'archive', version: '*' };
const large = await startServer(
  { after },
  {
    records: [
      feedRecord(1, { product: { id: 1, type: 'plugin', slug: 'gallery', name: 'Gallery' } }),
      ...Array.from({ length: 60 }, (_, i) =>
        feedRecord(100 + i, {
          details: `${i}. ${'All about it. '.repeat(2_140)}`,
          product: { id: 2, type: 'plugin', slug: 'archive', name: 'Archive' },
        }),
      ),
    ],
  },
);

const GALLERY = { type: 'plugin', name: 'gallery', version: '1.1' };

function post(
  body: RequestInit['body'],
  query = '',
  headers: Record<string, string> = {},
): Promise<TestResponse> {
  return server.request(`/batch${query}`, { method: 'POST', body: body ?? null, headers });
}

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body by asserting on it
async function results(items: readonly unknown[], query = ''): Promise<any> {
  const response = await post(JSON.stringify(items), query);
  assert.equal(outcomeOf(response), '200');
  return response.json();
}

/** The place of each fault in a body that is refused for its structure. */
async function faultsOf(body: unknown): Promise<string> {
  const outcome = outcomeOf(await post(JSON.stringify(body)));
  assert.match(outcome, /^422 invalid_batch /);
  return outcome.slice('422 invalid_batch '.length);
}

function chunked(...parts: readonly (string | Uint8Array)[]): RequestInit {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const part of parts) controller.enqueue(typeof part === 'string' ? encoder.encode(part) : part);
      controller.close();
    },
  });
  return { method: 'POST', body, duplex: 'half' };
}

test('each item gets its result in the order sent, and is echoed as sent', async () => {
  const items = [
    { type: 'npm', name: '@scope/lib', version: '1.0.0', exists: true },
    GALLERY,
    { type: 'plugin', name: 'GALLERY', version: '9.0' },
    { type: 'theme', name: 'paper', version: ' 1.0 ', exists: true },
    { type: 'wordpress', name: 'wordpress', version: '1.5.0', exists: true },
    { type: 'theme', name: 'unknown "ü" 😀', version: 'v1', exists: false },
  ];
  const answer = await results(items);
  assert.deepEqual(
    answer.map(({ vulnerabilities, ...rest }: { vulnerabilities?: { id: number }[] }) => ({
      ...rest,
      ...(vulnerabilities === undefined ? {} : { ids: vulnerabilities.map((item) => item.id) }),
    })),
    [
      { type: 'npm', name: '@scope/lib', version: '1.0.0', vulnerable: true },
      { type: 'plugin', name: 'gallery', version: '1.1', ids: [2, 1] },
      { type: 'plugin', name: 'GALLERY', version: '9.0', ids: [] },
      { type: 'theme', name: 'paper', version: ' 1.0 ', vulnerable: true },
      { type: 'wordpress', name: 'wordpress', version: '1.5.0', vulnerable: false },
      { type: 'theme', name: 'unknown "ü" 😀', version: 'v1', ids: [] },
    ],
  );
});

test('the list of an item equals the answer to a lookup of the product', async () => {
  for (const { type, name, version } of [
    GALLERY,
    { type: 'plugin', name: 'gallery', version: '2.1' },
    { type: 'plugin', name: 'gallery', version: '*' },
    { type: 'npm', name: '@scope/lib', version: '1.0.0' },
  ]) {
    const path = `/product/${type}/${encodeURIComponent(name)}/${version}`;
    const { vulnerabilities } = (await server.request(path)).json();
    assert.deepEqual(await results([{ type, name, version }]), [{ type, name, version, vulnerabilities }]);
    const detailed = (await server.request(`${path}?include=details`)).json().vulnerabilities;
    assert.deepEqual(await results([{ type, name, version }], '?include=details'), [
      { type, name, version, vulnerabilities: detailed },
    ]);
  }
});

test('the answer does not depend on how the items are written', async () => {
  const items = [
    { type: 'plugin', name: 'gallery', version: '1.1', exists: true },
    { type: 'theme', name: 'paper', version: '1.0', exists: false },
  ];
  const { text } = await post(JSON.stringify(items));
  for (const written of [
    '[{"name":"gallery","type":"plugin","version":"1.1","exists":true},{"exists":false,"name":"paper","version":"1.0","type":"theme"}]',
    '[{"type":"plugin","version":"1.1","name":"gallery","exists":true},{"version":"1.0","type":"theme","name":"paper"}]',
    '[{"type":"npm","type":"plugin","name":"gallery","version":"1.1","exists":true},{"type":"theme","name":"paper","version":"1.0"}]',
    '[{ "type":"plugin","name":"gallery","version":"1.1","exists":true},{"type":"theme", "name":"paper","version":"1.0"}]',
    '[{"type":"plugin" ,"name":"gallery","version":"1.1","exists":true},{"type":"theme","name":"paper","version": "1.0"}]',
    '[{"type":"plugin","name":"g\\u0061llery","version":"1.1","exists":true},{"type":"theme","name":"paper","version":"1.0"}]',
  ]) {
    assert.equal((await post(written)).text, text, written);
  }
});

test('a star lists everything published, without matched ranges', async () => {
  const [{ vulnerabilities }] = await results([{ ...GALLERY, version: '*' }]);
  assert.deepEqual(
    vulnerabilities.map((item: { id: number }) => item.id),
    [2, 1],
  );
  assert.ok(vulnerabilities.every((item: object) => !('matched_range' in item)));
});

test('an empty array has an empty answer, and whitespace around an array is ignored', async () => {
  assert.equal((await post('[]')).text, '[]');
  assert.deepEqual((await post(' \n[ ]\r\n ')).json(), []);
  assert.deepEqual((await post(`\uFEFF${JSON.stringify([GALLERY])}`)).json().length, 1);
});

test('50 items are answered, repeated ones each time, and 51 are refused', async () => {
  const answer = await results(Array(50).fill(GALLERY));
  assert.equal(answer.length, 50);
  const first = JSON.stringify(answer[0]);
  for (const result of answer) assert.equal(JSON.stringify(result), first);
  assert.equal(await faultsOf(Array(51).fill(GALLERY)), 'items');
  assert.equal(await faultsOf(Array(1000).fill(0)), 'items');
});

test('slugs that do not work as keys of a plain object are products like any other', async () => {
  const items = ['123', '__proto__', 'constructor', '7', 'gallery', '0'].map((name) => ({
    ...GALLERY,
    name,
  }));
  const answer = await results(items.map((item) => ({ ...item, exists: true })));
  assert.deepEqual(
    answer,
    items.map((item) => ({ ...item, vulnerable: ['123', '__proto__', 'gallery'].includes(item.name) })),
  );
});

test('unknown keys of an item are ignored and not echoed', async () => {
  const body = `[{"type":"plugin","__proto__":{"exists":true},"constructor":1,"name":"gallery","title":"x",
    "version":"9.0","nested":{"a":[1,{"b":null}]},"active":true}]`;
  assert.deepEqual((await post(body)).json(), [{ ...GALLERY, version: '9.0', vulnerabilities: [] }]);
});

test('if a key is repeated, the last one counts', async () => {
  const body =
    '[{"type":"theme","type":"plugin","name":"gallery","version":"0","version":"9.0","exists":true}]';
  assert.deepEqual((await post(body)).json(), [{ ...GALLERY, version: '9.0', vulnerable: false }]);
});

test('a body that is not JSON in UTF-8 is a bad request', async () => {
  const bodies = [
    '',
    ' ',
    '[',
    '[]]',
    '[],',
    "['a']",
    '[{type:"plugin"}]',
    'type=plugin&name=gallery',
    'NaN',
    '[1,]',
    '[]\u0000',
    Uint8Array.of(0x5b, 0x22, 0xff, 0x22, 0x5d), // ["\xff"]
    Uint8Array.of(0x5b, 0x22, 0xc3, 0x22, 0x5d),
    Buffer.from('[]', 'utf16le'),
    '['.repeat(60_000),
  ];
  for (const body of bodies) {
    assert.equal(outcomeOf(await post(body)), '400 invalid_body', String(body).slice(0, 40));
  }
});

test('a POST without a body is a bad request too', async () => {
  assert.equal(outcomeOf(await server.request('/batch', { method: 'POST' })), '400 invalid_body');
});

test('a body that is not an array is refused', async () => {
  for (const body of [{}, { items: [GALLERY] }, GALLERY, 'text', 1, null, true]) {
    assert.equal(await faultsOf(body), 'items', JSON.stringify(body));
  }
});

test('the place of every fault is named', async () => {
  assert.equal(
    await faultsOf([GALLERY, null, 1, 'x', [], [GALLERY]]),
    'items[1], items[2], items[3], items[4], items[5]',
  );
  assert.equal(await faultsOf([{}]), 'items[0].type, items[0].name, items[0].version');
  assert.equal(
    await faultsOf([GALLERY, { type: 1, name: {}, version: 2, exists: 'true' }]),
    'items[1].type, items[1].name, items[1].version, items[1].exists',
  );
  assert.equal(
    await faultsOf([GALLERY, GALLERY, GALLERY, { ...GALLERY, version: null }]),
    'items[3].version',
  );
  assert.equal(await faultsOf([{ ...GALLERY, type: 'drupal' }]), 'items[0].type');
  assert.equal(await faultsOf([{ ...GALLERY, type: 'Plugin' }]), 'items[0].type');
  assert.equal(await faultsOf([{ ...GALLERY, name: '' }]), 'items[0].name');
  assert.equal(await faultsOf([{ ...GALLERY, name: 'x'.repeat(257) }]), 'items[0].name');
  assert.equal(await faultsOf([{ ...GALLERY, name: 'a\u0000b' }]), 'items[0].name');
  for (const exists of [null, 0, 1, 'true', [], {}]) {
    assert.equal(await faultsOf([{ ...GALLERY, exists }]), 'items[0].exists', JSON.stringify(exists));
  }
});

test('a text that is not a version is an error of its item only', async () => {
  const lib = { type: 'npm', name: '@scope/lib' };
  const euros = '€'.repeat(100); // 100 characters, 300 bytes
  const bad = [
    { ...lib, version: 'latest' },
    { ...lib, version: '1.1.' },
    { ...lib, version: '' },
    { ...GALLERY, version: '' },
    { ...GALLERY, version: '1'.repeat(257) },
    { ...GALLERY, version: euros },
    { ...GALLERY, name: 'unknown', version: euros },
    { type: 'npm', name: 'unknown', version: '1'.repeat(300) },
  ];
  for (const exists of [false, true]) {
    const answer = await results([...bad, GALLERY].map((item) => ({ ...item, exists })));
    for (const [i, item] of bad.entries()) {
      const { error, ...echo } = answer[i];
      assert.deepEqual(echo, item);
      assert.equal(error.code, 'invalid_version');
      assert.match(error.message, /^version /);
    }
    assert.ok(!('error' in answer.at(-1)));
  }
});

test('a star with exists is an error of its item, whether or not the product is known', async () => {
  for (const name of ['gallery', 'unknown']) {
    const item = { ...GALLERY, name, version: '*' };
    const [{ error, ...echo }, next] = await results([
      { ...item, exists: true },
      { ...GALLERY, exists: true },
    ]);
    assert.deepEqual(echo, item);
    assert.equal(error.code, 'invalid_version');
    assert.deepEqual(next, { ...GALLERY, vulnerable: true });
  }
});

test('a version is checked before its product: items with unknown products get the error too', async () => {
  for (const [type, version] of [
    ['npm', 'latest'],
    ['npm', ''],
    ['plugin', '-'],
    ['theme', ''],
  ]) {
    const item = { type, name: 'unknown', version };
    const [{ error, ...echo }] = await results([item]);
    assert.equal(error.code, 'invalid_version');
    assert.deepEqual(echo, item);
  }
});

test('fix=true adds the version to update to, to both kinds of result, but not for any version', async () => {
  const items = [GALLERY, { ...GALLERY, exists: true }, { ...GALLERY, version: '*' }];
  const plain = await results(items);
  const [list, answer, all] = await results(items, '?fix=true');
  assert.deepEqual(list, { ...plain[0], update_to: '1.5.0' });
  assert.deepEqual(answer, { ...plain[1], update_to: '1.5.0' });
  assert.deepEqual(all, plain[2]);
  assert.deepEqual(await results(items, '?fix=false'), plain);
  const [unknown] = await results([{ type: 'npm', name: 'unknown', version: '1.0.0' }], '?fix=true');
  assert.equal(unknown.update_to, null);
  const body = JSON.stringify([GALLERY]);
  for (const query of ['?fix=', '?fix=1', '?fix=TRUE', '?fix=true&fix=true']) {
    assert.equal(outcomeOf(await post(body, query)), '422 invalid_parameter fix', query);
  }
});

test('include must be details, given once', async () => {
  const body = JSON.stringify([GALLERY]);
  for (const query of ['?include=', '?include=x', '?include=details&include=details', '?include=%zz']) {
    assert.equal(outcomeOf(await post(body, query)), '422 invalid_parameter include', query);
  }
  const [{ vulnerabilities }] = await results([GALLERY], '?include=details');
  assert.deepEqual(
    vulnerabilities.map((item: { advisory_details: string }) => item.advisory_details),
    ['', 'All about 1.'],
  );
  assert.equal((await post(body, '?foo=1&foo=2')).status, 200);
});

test('the content type is ignored', async () => {
  const body = JSON.stringify([]);
  for (const type of phrases(`
    text/plain | application/x-www-form-urlencoded | application/json; charset=latin1 | x
  `)) {
    assert.equal((await post(body, '', { 'Content-Type': type })).text, '[]', type);
  }
});

test('64 KiB are accepted and one byte more is too large, announced or in chunks', async () => {
  const limit = 64 * 1024;
  const padded = (bytes: number): string => JSON.stringify([GALLERY]).padEnd(bytes);
  assert.equal((await post(padded(limit))).json().length, 1);
  assert.equal(outcomeOf(await post(padded(limit + 1))), '413 body_too_large');
  assert.equal(outcomeOf(await post(padded(70 * 1024))), '413 body_too_large');
  assert.equal(outcomeOf(await post('x'.repeat(1_000_000))), '413 body_too_large');
  const half = padded(limit / 2);
  assert.equal((await server.request('/batch', chunked(half, ' '.repeat(limit / 2)))).json().length, 1);
  const chunks = Array<string>(8).fill(' '.repeat(9_000));
  assert.equal(outcomeOf(await server.request('/batch', chunked(half, ...chunks))), '413 body_too_large');
  assert.equal(outcomeOf(await server.request('/batch', chunked(...chunks))), '413 body_too_large');
});

test('a body in chunks may be split anywhere, even inside a character', async () => {
  const item = { ...GALLERY, name: 'größe-😀' };
  const bytes = new TextEncoder().encode(JSON.stringify([item]));
  const parts = Array.from(bytes, (byte) => Uint8Array.of(byte));
  const response = await server.request('/batch', chunked(...parts));
  assert.deepEqual(response.json(), [{ ...item, vulnerabilities: [] }]);
});

test('the same batch has the same answer every time', async () => {
  const body = JSON.stringify([GALLERY, { ...GALLERY, exists: true }, { ...GALLERY, version: '' }]);
  const { text } = await post(body);
  for (let i = 0; i < 3; i++) assert.equal((await post(body)).text, text);
});

test('a batch whose answers exceed 8 MiB gets an error for each item that does not fit', async () => {
  const items = [
    ...Array(40).fill(ARCHIVE),
    { ...GALLERY, version: '9.0' },
    { ...ARCHIVE, version: '1.0', exists: true },
  ];
  const response = await large.request('/batch?include=details', {
    method: 'POST',
    body: JSON.stringify(items),
  });
  assert.equal(response.status, 200);
  assert.ok(
    Buffer.byteLength(response.text) < 8.25 * 1024 * 1024,
    `${Buffer.byteLength(response.text)} bytes`,
  );
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body by asserting on it
  const answers = response.json() as any[];
  const repeated = answers.slice(0, 40);
  const whole = repeated.filter((answer) => answer.vulnerabilities?.length === 60);
  assert.ok(whole.length >= 4 && whole.length < 40, `${whole.length} answered`);
  assert.deepEqual(repeated.slice(0, whole.length), whole, 'in the order sent, as long as there is room');
  for (const answer of repeated.slice(whole.length)) {
    const { error, ...echo } = answer;
    assert.deepEqual(echo, ARCHIVE);
    assert.equal(error.code, 'batch_too_large');
    assert.match(error.message, /8388608 bytes.*another batch.*\/product\//);
  }
  assert.deepEqual(answers.slice(40), [
    { ...GALLERY, version: '9.0', vulnerabilities: [] },
    { ...ARCHIVE, version: '1.0', vulnerable: true },
  ]);
});
