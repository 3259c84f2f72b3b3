// POST /osv/v1/querybatch as its clients see it.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { PAGE_BYTES } from '../../../src/dialects/osv/query.ts';
import { encodePageToken, FIRST_POSITION } from '../../../src/dialects/osv/read-query.ts';
import { Dice } from '../../../src/generator/dice.ts';
import { OsvCalls } from '../../support/answers/osv-calls.ts';
import { assertStrictBatch } from '../../support/answers/osv-strict.ts';
import { feedRecord, npmProduct, span } from '../../support/feeds/advisories.ts';
import { pluck } from '../../support/pluck.ts';
import { printedSeed } from '../../support/seed.ts';
import { startServer, type TestResponse } from '../../support/serving/server.ts';
import { coreAdvisory, coreProduct, coreSpan, generationOf } from '../../support/snapshots/generation.ts';

const CROWDED = 1200;

const server = await startServer(
  { after },
  {
    records: [
      feedRecord(1, {
        source_id: 'GHSA-aaaa-bbbb-cccc',
        product: npmProduct('tidy-tree'),
        modified_at: '2026-02-03T04:05:06Z',
      }),
      feedRecord(2, {
        psid: '0123456789ab',
        product: npmProduct('tidy-tree'),
        affected: [span('1.0.0', '2.0.0')],
      }),
      feedRecord(3, { product: { id: 8, type: 'theme', slug: 'shared', name: 'Shared' } }),
      feedRecord(4, { product: { id: 9, type: 'plugin', slug: 'shared', name: 'Shared' } }),
      ...Array.from({ length: CROWDED }, (_, i) =>
        feedRecord(100 + i, { product: npmProduct('crowded', 20) }),
      ),
    ],
  },
);

const TIDY = { package: { ecosystem: 'npm', name: 'tidy-tree' }, version: '1.2.0' };
const CLEAN = { package: { ecosystem: 'npm', name: 'tidy-tree' }, version: '2.1.0' };
const CROWD = { package: { ecosystem: 'npm', name: 'crowded' } };

function send(queries: unknown, parameters = ''): Promise<TestResponse> {
  const body = typeof queries === 'string' ? queries : JSON.stringify({ queries });
  return server.request(`/osv/v1/querybatch${parameters}`, { method: 'POST', body });
}

async function refusal(queries: unknown): Promise<string> {
  const { status, text } = await send(queries);
  const { code, message } = JSON.parse(text) as { code?: number; message?: string };
  return `${status} ${code} ${message}`;
}

test('results come in the order of the queries, with ids and times of modification alone', async () => {
  const response = await send([CLEAN, TIDY, CLEAN]);
  assert.equal(
    response.text,
    '{"results":[{},{"vulns":[{"id":"PSID-0123456789ab","modified":"2026-01-10T00:00:00Z"},' +
      '{"id":"GHSA-aaaa-bbbb-cccc","modified":"2026-02-03T04:05:06Z"}]},{}]}',
  );
  assertStrictBatch(response.json());
});

test('no queries is an empty object', async () => {
  for (const body of ['', 'null', '{}', '{"queries":[]}', '{"queries":null}']) {
    assert.equal((await send(body)).text, '{}', body);
  }
});

test('on request, results have the records of single queries', async () => {
  const single = await server.request('/osv/v1/query', { method: 'POST', body: JSON.stringify(TIDY) });
  for (const full of ['?full=1', '?full=true']) {
    const { results } = (await send([TIDY, CLEAN], full)).json();
    assert.deepEqual(results, [single.json(), {}]);
  }
  assert.deepEqual(Object.keys((await send([TIDY], '?full=0')).json().results[0].vulns[0]), [
    'id',
    'modified',
  ]);
});

test('one bad query refuses the batch, and the message says which', async () => {
  const at = (message: string, index = 1): string => `400 3 error in query at index ${index}: ${message}`;
  assert.equal(await refusal([TIDY, {}]), at('invalid query'));
  assert.equal(await refusal([TIDY, null, {}]), at('no query provided'));
  assert.equal(await refusal([TIDY, { commit: 'main' }]), at('invalid hash'));
  assert.equal(await refusal([TIDY, { ...TIDY, page_token: 'x' }]), at('invalid cursor'));
  assert.equal(
    await refusal([TIDY, { package: { purl: 'pkg:npm/a@1.0.0' }, version: '1.0.0' }]),
    at('version specified in params and PURL query'),
  );
  assert.equal(await refusal(['x', TIDY]), at('invalid query', 0));
});

test('a body that is not a batch is refused', async () => {
  assert.equal(await refusal('[]'), '400 3 invalid query');
  assert.equal(await refusal('{"queries":{}}'), '400 3 invalid query');
  assert.equal(await refusal('{'), '400 3 the body must be a JSON object in UTF-8');
});

test('1,000 queries are answered, 1,001 are refused, also if they are bad', async () => {
  const { results } = (await send(Array.from({ length: 1000 }, () => TIDY))).json();
  assert.equal(results.length, 1000);
  assert.equal(await refusal(Array.from({ length: 1001 }, () => TIDY)), '400 3 too many queries');
  assert.equal(await refusal(Array.from({ length: 1001 }, () => ({}))), '400 3 too many queries');
});

test('a scan of many ecosystems is answered where there is data, and a header names the rest', async () => {
  const response = await send([
    TIDY,
    { package: { ecosystem: 'Acme', name: 'plug' }, version: '3.1.4' },
    { package: { ecosystem: 'Alpine:v3.18', name: 'curl' }, version: '1' },
    { package: { purl: 'pkg:acme/a@1.0.0' } },
    { package: { ecosystem: 'Brand New', name: 'a' }, version: '1' },
    { package: { ecosystem: 'a\r\nSet-Cookie: b', name: 'a' }, version: '1' },
    { commit: '6879efc2c1596d11a6a6ad296f80063b558d5e0f' },
    { package: { ecosystem: 'Acme', name: 'plug' }, version: '1' },
  ]);
  assert.equal(response.status, 200);
  assert.deepEqual(response.json().results.slice(1), [{}, {}, {}, {}, {}, {}, {}]);
  assert.equal(
    response.headers.get('vulndex-unknown-ecosystems'),
    'Acme, Alpine, pkg:acme, Brand New, (not printable), GIT',
  );
});

test('the header stays short, whatever a batch names', async () => {
  const queries = Array.from({ length: 1000 }, (_, i) => ({
    package: { ecosystem: `${'x'.repeat(30)}${i}`, name: 'a' },
    version: '1',
  }));
  const header = (await send(queries)).headers.get('vulndex-unknown-ecosystems') ?? '';
  assert.ok(header.length < 1000);
  assert.match(header, /, \.\.\.$/);
});

test('a slug of a plugin and a theme holds both, and a header names it', async () => {
  const response = await send([{ package: { ecosystem: 'WordPress', name: 'shared' }, version: '1.0' }]);
  assert.equal(response.json().results[0].vulns.length, 2);
  assert.equal(response.headers.get('vulndex-ambiguous-slugs'), 'shared');
});

/** The ids of a query, page by page. */
async function walk(parameters = ''): Promise<string[][]> {
  const pages: string[][] = [];
  let token = '';
  do {
    const query = token === '' ? CROWD : { ...CROWD, page_token: token };
    const [result] = (await send([query], parameters)).json().results;
    pages.push((result.vulns ?? []).map(({ id }: { id: string }) => id));
    token = result.next_page_token ?? '';
  } while (token !== '');
  return pages;
}

test('pages have at most 1,000 records, and together all of them, each once', async () => {
  const pages = await walk();
  assert.deepEqual(pluck(pages, 'length'), [1000, CROWDED - 1000]);
  assert.equal(new Set(pages.flat()).size, CROWDED);
  assert.deepEqual((await walk('?full=1')).flat(), pages.flat());
});

test('a query that finds no room in the answer begins on a page of its own', async () => {
  const { results } = (await send(Array.from({ length: 30 }, () => CROWD))).json();
  const listed = results.reduce((sum: number, { vulns = [] }) => sum + vulns.length, 0);
  assert.equal(listed, 20_000);
  assert.deepEqual(results[29], { next_page_token: encodePageToken(FIRST_POSITION) });
  const full = (await send([CROWD, TIDY], '?full=1')).json().results;
  assert.deepEqual(full[1], { next_page_token: encodePageToken(FIRST_POSITION) });
});

test('whole records of all queries together end with the one that takes the answer over 8 MiB', (t) => {
  const description = 'x'.repeat(1.5 * 1024 * 1024);
  const [onePage, count] = [Math.floor(PAGE_BYTES / description.length) + 1, 8];
  const product = coreProduct('npm', 'heavy');
  const advisories = Array.from({ length: count }, (_, i) => coreAdvisory(i + 1, { product, description }));
  const calls = new OsvCalls(generationOf(t, advisories));
  const heavy = { package: { ecosystem: 'npm', name: 'heavy' } };
  const idsOf = ({ vulns = [] }: ReturnType<OsvCalls['fullBatch']>[number]): readonly number[] =>
    vulns.flatMap(({ database_specific: { ids } }) => ids);

  const [first, second] = calls.fullBatch([heavy, heavy]);
  assert.deepEqual(idsOf(first), [8, 7, 6, 5, 4, 3].slice(0, onePage));
  assert.deepEqual(second, { next_page_token: encodePageToken(FIRST_POSITION) });
  const [rest, whole] = calls.fullBatch([{ ...heavy, page_token: first.next_page_token }, heavy]);
  assert.deepEqual(idsOf(rest), [2, 1]);
  assert.equal(rest.next_page_token, undefined);
  assert.deepEqual(idsOf(whole), [8, 7, 6, 5], 'the room that the first query left');
  assert.equal(whole.next_page_token, encodePageToken(5));
});

test('results that are remembered are those of a thread that was never asked, also where they are cut', (t) => {
  const dice = new Dice(printedSeed(t));
  const sizes = { one: 1, few: 7, most: 255, more: 256, many: 700 };
  let id = 0;
  const advisories = Object.entries(sizes).flatMap(([name, size]) =>
    Array.from({ length: size }, () =>
      coreAdvisory(++id, {
        product: coreProduct('npm', name),
        spans: [coreSpan(null, `1.${dice.whole(0, 9)}.0`, 'exclusive')],
      }),
    ),
  );
  const generation = generationOf(t, advisories);
  const warm = new OsvCalls(generation);
  const names = [...Object.keys(sizes), 'none'];
  let cut = 0;
  for (let i = 0; i < 30; i++) {
    const queries = Array.from({ length: dice.whole(1, 200) }, () => ({
      package: { ecosystem: 'npm', name: dice.pick(names) },
      version: `1.${dice.whole(0, 3)}.0`,
      ...(dice.chance(0.05) ? { page_token: encodePageToken(dice.whole(1, id)) } : {}),
    }));
    const results = warm.batch(queries);
    assert.deepEqual(results, new OsvCalls(generation).batch(queries));
    if (results.some(({ vulns, next_page_token }) => vulns !== undefined && next_page_token !== undefined))
      cut++;
  }
  assert.ok(cut > 5, `${cut} answers with a result that is cut`);
});
