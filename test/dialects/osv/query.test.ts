// POST /osv/v1/query as its clients see it.

import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Advisory } from '../../../src/compiler/advisory.ts';
import { MAX_RECORDS, PAGE_BYTES } from '../../../src/dialects/osv/query.ts';
import { encodePageToken, FIRST_POSITION } from '../../../src/dialects/osv/read-query.ts';
import { encodeCursor } from '../../../src/dialects/patchstack/page-parameters.ts';
import { MAX_LEVELS, MAX_MARKS } from '../../../src/http/bodies/json-body.ts';
import { OsvCalls } from '../../support/answers/osv-calls.ts';
import { feedRecord, npmProduct, span } from '../../support/feeds/advisories.ts';
import { OTHER_ECOSYSTEM } from '../../support/feeds/osv.ts';
import { pluck } from '../../support/pluck.ts';
import { startServer, type TestResponse } from '../../support/serving/server.ts';
import { coreAdvisory, coreProduct, generationOf } from '../../support/snapshots/generation.ts';

const RECORDS = [
  feedRecord(1, {
    source_id: 'GHSA-aaaa-bbbb-cccc',
    ghsa: 'GHSA-aaaa-bbbb-cccc',
    product: npmProduct('tidy-tree'),
  }),
  feedRecord(2, {
    source_id: 'MAL-2026-2',
    product: npmProduct('@trees/tidy', 12),
    affected: [span('1.0.0', '2.0.0')],
    modified_at: '2026-02-03T04:05:06Z',
  }),
  feedRecord(3, { product: { id: 7, type: 'plugin', slug: 'gallery', name: 'Gallery' } }),
  feedRecord(4, { product: { id: 8, type: 'theme', slug: 'shared', name: 'Shared' } }),
  feedRecord(5, { product: { id: 9, type: 'plugin', slug: 'shared', name: 'Shared' } }),
  feedRecord(6, { product: { id: 10, type: 'wordpress', slug: 'wordpress', name: 'WordPress' } }),
  feedRecord(7, { product: npmProduct('tidy-tree'), affected: [span('3.0.0', null)] }),
  feedRecord(8, { product: npmProduct('__proto__', 13) }),
  feedRecord(9, { product: npmProduct('constructor', 14) }),
];

const server = await startServer({ after }, { records: RECORDS });

function ask(query: unknown, headers: Record<string, string> = {}): Promise<TestResponse> {
  const body = typeof query === 'string' ? query : JSON.stringify(query);
  return server.request('/osv/v1/query', { method: 'POST', body, headers });
}

/** The numeric ids of the records, or the error as `status code message`. */
async function found(query: unknown): Promise<readonly number[] | string> {
  const response = await ask(query);
  if (response.status !== 200) return `${response.status} ${response.text}`;
  const { vulns = [] } = response.json() as { vulns?: { database_specific: { ids: number[] } }[] };
  return vulns.flatMap(({ database_specific: { ids } }) => ids);
}

const refused = (message: string): string => `400 ${JSON.stringify({ code: 3, message })}`;

test('a version is looked up by ecosystem and name', async () => {
  assert.deepEqual(await found({ package: { ecosystem: 'npm', name: 'tidy-tree' }, version: '1.4.9' }), [1]);
  assert.deepEqual(await found({ package: { ecosystem: 'npm', name: 'tidy-tree' }, version: '1.5.0' }), []);
  assert.deepEqual(await found({ package: { ecosystem: 'npm', name: 'tidy-tree' }, version: '3.1.0' }), [7]);
  assert.deepEqual(
    await found({ package: { ecosystem: 'npm', name: '@trees/tidy' }, version: '2.0.0' }),
    [2],
  );
});

test('nothing found is an empty object', async () => {
  for (const query of [
    { package: { ecosystem: 'npm', name: 'tidy-tree' }, version: '1.5.0' },
    { package: { ecosystem: 'npm', name: 'nobody-has-this' } },
    { package: { ecosystem: 'npm', name: 'x'.repeat(300) }, version: '1.0.0' },
  ]) {
    const response = await ask(query);
    assert.equal(response.text, '{}');
    assert.match(response.headers.get('etag') ?? '', /^"[0-9a-f]{16}\.2"$/);
  }
});

test('a query without a version finds all records of the package, the highest id first', async () => {
  assert.deepEqual(await found({ package: { ecosystem: 'npm', name: 'tidy-tree' } }), [7, 1]);
  assert.deepEqual(await found({ package: { ecosystem: 'npm', name: 'tidy-tree' }, version: '' }), [7, 1]);
  assert.deepEqual(await found({ package: { purl: 'pkg:npm/tidy-tree' } }), [7, 1]);
});

test('a text that is not a version of the package is refused', async () => {
  for (const version of ['*', 'latest', '1.x', '>=1.0.0', '1.0.0.0', '1'.repeat(300)]) {
    const response = await ask({ package: { ecosystem: 'npm', name: 'tidy-tree' }, version });
    assert.equal(response.status, 400, version);
    assert.match(response.json().message, /^invalid version: /);
  }
});

test('a purl says package and version, with the scope escaped or not', async () => {
  assert.deepEqual(await found({ package: { purl: 'pkg:npm/%40trees/tidy@1.0.0' } }), [2]);
  assert.deepEqual(await found({ package: { purl: 'pkg:npm/@trees/tidy@1.0.0' } }), [2]);
  assert.deepEqual(await found({ package: { purl: 'pkg:npm/%40trees/tidy@0.9.0' } }), []);
  assert.deepEqual(await found({ package: { purl: 'pkg:npm/%40trees/tidy' }, version: '1.5.0' }), [2]);
  assert.deepEqual(await found({ package: { purl: 'pkg:npm/tidy-tree@1.0.0?arch=x#src/main' } }), [1]);
  assert.deepEqual(await found({ package: { purl: 'pkg:wordpress/plugin/gallery@1.0' } }), [3]);
});

test('WordPress packages are plugin/SLUG, theme/SLUG and wordpress', async () => {
  const of = (name: string, ecosystem = 'WordPress'): ReturnType<typeof found> =>
    found({ package: { ecosystem, name }, version: '1.0' });
  assert.deepEqual(await of('plugin/gallery'), [3]);
  assert.deepEqual(await of('theme/gallery'), []);
  assert.deepEqual(await of('theme/shared'), [4]);
  assert.deepEqual(await of('wordpress'), [6]);
  assert.deepEqual(await of('other/gallery'), []);
  assert.deepEqual(await of('shared', 'WordPress:Theme'), [4]);
  assert.deepEqual(await of('shared', 'WordPress:Plugin'), [5]);
});

test('a bare slug means the plugin or theme that has it, and both if both have it, which a header tells', async () => {
  const bare = await ask({ package: { ecosystem: 'WordPress', name: 'gallery' }, version: '1.0' });
  assert.equal(bare.headers.get('vulndex-ambiguous-slugs'), null);
  assert.deepEqual(bare.json().vulns.length, 1);
  const both = await ask({ package: { ecosystem: 'WordPress', name: 'shared' }, version: '1.0' });
  assert.equal(both.headers.get('vulndex-ambiguous-slugs'), 'shared');
  assert.deepEqual(
    await found({ package: { ecosystem: 'WordPress', name: 'shared' }, version: '1.0' }),
    [5, 4],
  );
});

test('a name without an ecosystem is looked up in each, for a version', async () => {
  assert.deepEqual(await found({ package: { name: 'tidy-tree' }, version: '1.0.0' }), [1]);
  assert.deepEqual(await found({ package: { name: 'gallery' }, version: '1.0' }), [3]);
});

test('names of members of objects are names like any other', async () => {
  assert.deepEqual(await found({ package: { ecosystem: 'npm', name: '__proto__' }, version: '1.0.0' }), [8]);
  assert.deepEqual(
    await found({ package: { ecosystem: 'npm', name: 'constructor' }, version: '1.0.0' }),
    [9],
  );
  assert.deepEqual(await found({ package: { ecosystem: 'npm', name: 'toString' }, version: '1.0.0' }), []);
  assert.equal(await found({ package: { ecosystem: '__proto__', name: 'a' } }), refused('invalid ecosystem'));
  assert.equal(
    await found('{"__proto__":{"package":{"ecosystem":"npm","name":"a"}}}'),
    refused('invalid query'),
  );
});

test('an invalid query gets the words of the original', async () => {
  const cases: readonly (readonly [query: unknown, message: string])[] = [
    ['', 'no query provided'],
    ['null', 'no query provided'],
    [{}, 'invalid query'],
    [[], 'invalid query'],
    ['"text"', 'invalid query'],
    [{ version: '1.0.0' }, 'invalid query'],
    [{ package: null, version: '1.0.0' }, 'invalid query'],
    [{ package: {} }, 'invalid query'],
    [{ package: 'npm' }, 'invalid query'],
    [{ package: { name: 'a' } }, 'invalid query'],
    [{ package: { ecosystem: 'npm' } }, 'invalid query'],
    [{ package: { ecosystem: 'npm', name: 7 } }, 'invalid query'],
    [{ package: { ecosystem: 'npm', name: 'a' }, version: 1 }, 'invalid query'],
    [{ package: { ecosystem: 'NPM', name: 'a' } }, 'invalid ecosystem'],
    [{ package: { ecosystem: 'Nowhere', name: 'a' } }, 'invalid ecosystem'],
    [{ package: { ecosystem: 'npm', purl: 'pkg:npm/a' } }, 'ecosystem specified in a PURL query'],
    [{ package: { name: 'a', purl: 'pkg:npm/a' } }, 'name specified in a PURL query'],
    [
      { package: { purl: 'pkg:npm/a@1.0.0' }, version: '1.0.0' },
      'version specified in params and PURL query',
    ],
    // Also of a type that is not held: the query is wrong before anything is looked for.
    [
      { package: { purl: 'pkg:pypi/jinja2@3.1.4' }, version: '3.1.4' },
      'version specified in params and PURL query',
    ],
    [{ package: { purl: 'npm/a' } }, 'invalid PURL: a purl begins with "pkg:"'],
    [{ package: { purl: 'pkg:npm' } }, 'invalid PURL: a purl has a type and a name'],
    [{ package: { purl: 'pkg:npm/a%ZZ' } }, 'invalid PURL: the purl has a percent escape that is not valid'],
    [{ commit: '' }, 'invalid hash'],
    [{ commit: 'main' }, 'invalid hash'],
    [{ commit: 'abc' }, 'invalid hash'],
    [{ commit: 'abcd', version: '1.0.0' }, 'invalid query'],
    [{ package: { ecosystem: 'npm', name: 'a' }, page_token: 'djE6NQ' }, 'invalid cursor'],
    [{ package: { ecosystem: 'npm', name: 'a' }, page_token: encodeCursor(5) }, 'invalid cursor'],
    [{ package: { ecosystem: 'npm', name: 'a' }, page_token: 'RklSU1RfUEFHRV9UT0tFTg==' }, 'invalid cursor'],
    [{ commit: 'abcd', page_token: 'x' }, 'invalid cursor'],
    [`${'['.repeat(MAX_LEVELS)}${']'.repeat(MAX_LEVELS)}`, 'invalid query'],
    [`${'{"package":'.repeat(MAX_LEVELS)}1${'}'.repeat(MAX_LEVELS)}`, 'invalid query'],
    // F1 of the review of serving: a body of a million brackets, which compresses to 2 KB, took JSON.parse
    // 386 ms.
    ['['.repeat(1_000_000), 'the body may be nested 1000 levels deep, got more'],
    [
      `{"z":[${'1,'.repeat(MAX_MARKS)}1]}`,
      'the body may have 400000 commas, colons, brackets and braces, got more',
    ],
    ['{"package":', 'the body must be a JSON object in UTF-8'],
  ];
  for (const [query, message] of cases) {
    assert.equal(await found(query), refused(message), JSON.stringify(query));
  }
});

test('what is not held is no error: the answer is empty, and a header names it', async () => {
  const cases: readonly (readonly [query: unknown, name: string])[] = [
    [{ package: { ecosystem: OTHER_ECOSYSTEM, name: 'plug' }, version: '3.1.4' }, OTHER_ECOSYSTEM],
    [{ package: { ecosystem: 'Debian:12', name: 'curl' }, version: '7.88.1' }, 'Debian'],
    [{ package: { ecosystem: 'Red Hat:rhel_aus:8.4::appstream', name: 'a' } }, 'Red Hat'],
    [{ package: { ecosystem: 'GIT', name: 'https://example.com/a.git' }, version: '1' }, 'GIT'],
    [{ package: { purl: 'pkg:acme/a@1.0.0' } }, 'pkg:acme'],
    [{ package: { purl: 'pkg:no-such.type/a' }, version: '1' }, 'pkg:no-such.type'],
    [{ commit: '6879efc2c1596d11a6a6ad296f80063b558d5e0f' }, 'GIT'],
  ];
  for (const [query, name] of cases) {
    const response = await ask(query);
    assert.equal(response.text, '{}', name);
    assert.equal(response.headers.get('vulndex-unknown-ecosystems'), name);
  }
});

test('the content type does not matter, and a body may be coded', async () => {
  const query = JSON.stringify({ package: { ecosystem: 'npm', name: 'tidy-tree' }, version: '1.0.0' });
  const plain = await ask(query);
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/grpc']) {
    assert.equal((await ask(query, { 'Content-Type': type })).text, plain.text);
  }
  const coded = await server.request('/osv/v1/query', {
    method: 'POST',
    body: gzipSync(query),
    headers: { 'Content-Encoding': 'gzip' },
  });
  assert.equal(coded.text, plain.text);
});

test('bodies that are too large, also once decoded, or in an unknown coding get an error of this dialect', async () => {
  const bomb = gzipSync(Buffer.alloc(16 * 1024 * 1024, 0x20));
  const send = (body: string | Uint8Array<ArrayBuffer>, coding?: string): Promise<TestResponse> =>
    server.request('/osv/v1/query', {
      method: 'POST',
      body,
      headers: coding === undefined ? {} : { 'Content-Encoding': coding },
    });
  const answers = [
    await send(new Uint8Array(bomb), 'gzip'),
    await send(' '.repeat(3 * 1024 * 1024)),
    await send('{}', 'br'),
    await send('{}', 'gzip'),
  ];
  assert.deepEqual(pluck(answers, 'status'), [413, 413, 415, 400]);
  for (const answer of answers) {
    assert.deepEqual(Object.keys(answer.json()), ['code', 'message']);
    assert.equal(answer.json().code, 3);
  }
});

test('a page token continues below its position, and the first page begins above all ids', async () => {
  const all = { package: { ecosystem: 'npm', name: 'tidy-tree' } };
  assert.deepEqual(await found({ ...all, page_token: encodePageToken(FIRST_POSITION) }), [7, 1]);
  assert.deepEqual(await found({ ...all, page_token: encodePageToken(7) }), [1]);
  assert.deepEqual(await found({ ...all, pageToken: encodePageToken(7) }), [1]);
  assert.deepEqual(await found({ ...all, page_token: encodePageToken(1) }), []);
});

/** A package with so many records, asked in this process. */
function crowd(t: TestContext, count: number, changes: Partial<Advisory> = {}): OsvCalls {
  const product = coreProduct('npm', 'crowded');
  const advisories = Array.from({ length: count }, (_, i) => coreAdvisory(i + 1, { product, ...changes }));
  return new OsvCalls(generationOf(t, advisories));
}

/** All pages of a query for the crowded package, as the numeric ids of their records. */
function walk(calls: OsvCalls, version?: string): readonly (readonly number[])[] {
  const all = {
    package: { ecosystem: 'npm', name: 'crowded' },
    ...(version === undefined ? {} : { version }),
  };
  const pages: (readonly number[])[] = [];
  let token: string | undefined;
  do {
    const page = calls.query(token === undefined ? all : { ...all, page_token: token });
    pages.push((page.vulns ?? []).flatMap(({ database_specific: { ids } }) => ids));
    token = page.next_page_token;
  } while (token !== undefined && pages.length < 100);
  return pages;
}

/** From the highest id down, as records are listed. */
const idsFrom = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => count - i);

test('pages have at most 1,000 records, and together all of them, each once and in order', (t) => {
  const count = 2 * MAX_RECORDS + 5;
  const calls = crowd(t, count);
  for (const version of [undefined, '1.4.9']) {
    const pages = walk(calls, version);
    assert.deepEqual(pluck(pages, 'length'), [MAX_RECORDS, MAX_RECORDS, 5]);
    assert.deepEqual(pages.flat(), idsFrom(count));
  }
  assert.deepEqual(walk(calls, '1.5.0'), [[]]);
});

test('a page that is exactly full is the last one if nothing follows', (t) => {
  assert.deepEqual(walk(crowd(t, MAX_RECORDS)), [idsFrom(MAX_RECORDS)]);
});

test('a page ends with the record that takes it over 8 MiB, and the next ones have the rest', (t) => {
  const description = 'x'.repeat(1.5 * 1024 * 1024);
  const [onePage, count] = [Math.floor(PAGE_BYTES / description.length) + 1, 8];
  const pages = walk(crowd(t, count, { description }));
  assert.deepEqual(pluck(pages, 'length'), [onePage, count - onePage]);
  assert.deepEqual(pages.flat(), idsFrom(count));
});

test('a page does not end between the records of one advisory, in a query or a batch', (t) => {
  const count = 2 * MAX_RECORDS;
  const source = { notice: '', license: '', licenseUrl: '', fields: [] };
  const advisories = Array.from({ length: count }, (_, i) =>
    coreAdvisory(i + 1, {
      product: coreProduct('pypi', 'crowded'),
      sourceId: `GHSA-${i + 1}`,
      // The last one of the list has one record: the pages of 1,000 would end inside of an advisory.
      aliases: i === count - 1 ? [] : [`PYSEC-2026-${i + 1}`],
      sources: ['GitHub', 'PyPA'].map((name) => ({ ...source, name })),
    }),
  );
  const calls = new OsvCalls(generationOf(t, advisories));
  const query = { package: { ecosystem: 'PyPI', name: 'crowded' } };
  const { vulns = [] } = calls.query(query);
  assert.equal(vulns.length, MAX_RECORDS + 1);
  assert.deepEqual(pluck(vulns.slice(0, 3), 'id'), ['GHSA-2000', 'GHSA-1999', 'PYSEC-2026-1999']);
  const [listed] = calls.wholeBatch([query]);
  assert.equal(new Set(pluck(listed, 'id')).size, 2 * count - 1);
  assert.equal(listed.length, 2 * count - 1);
});

test('a token that was changed on its way is refused', async () => {
  const token = encodePageToken(7);
  for (const page_token of [token.slice(0, -1), `${token}A`, `${token}=`, token.toLowerCase(), 'x', '-']) {
    const query = { package: { ecosystem: 'npm', name: 'tidy-tree' }, page_token };
    assert.equal(await found(query), refused('invalid cursor'), page_token);
  }
});

test('a package without the group or vendor that its ecosystem has is refused with the form', async () => {
  for (const named of [
    { ecosystem: 'Maven', name: 'bctls-jdk14' },
    { ecosystem: 'Packagist', name: 'adodb' },
    { purl: 'pkg:maven/bctls-jdk14@1.61' },
    { purl: 'pkg:composer/adodb' },
  ]) {
    const { status, text } = await ask({ package: named });
    assert.equal(status, 400, text);
    assert.match(
      JSON.parse(text).message,
      /^invalid package name: must be (?:group:artifact|vendor\/package)/,
    );
  }
  assert.deepEqual(await found({ version: '1.0.0', package: { name: 'adodb' } }), []); // of any ecosystem
});
