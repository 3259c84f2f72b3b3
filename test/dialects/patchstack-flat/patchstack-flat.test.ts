// GET vulnerability/{id} of the flat shape.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { feedRecord } from '../../support/feeds/advisories.ts';
import { startServer } from '../../support/serving/server.ts';

const server = await startServer(
  { after },
  {
    records: [
      feedRecord(1, { cves: ['CVE-2026-900'] }),
      feedRecord(2, { cves: ['CVE-2026-900'] }),
      feedRecord(3, { withdrawn_at: '2026-01-05T00:00:00Z' }),
    ],
  },
);

const ask = (id: string) => server.request(`/database/api/v2/vulnerability/${id}`);

test('one vulnerability is an item, and what the page of the contract has beside it', async () => {
  const page = (await ask('1')).json();
  const { vulnerabilities } = (await server.request('/database/api/v2/product/plugin/gallery/*')).json();
  assert.deepEqual(
    page.vulnerability,
    vulnerabilities.find((item: { id: number }) => item.id === 1),
  );
  const { vulnerability: _, ...rest } = page;
  const { vulnerability: __, ...contract } = (await server.request('/vulnerability/1')).json();
  assert.deepEqual(rest, contract);
});

test('a withdrawn vulnerability still answers', async () => {
  assert.equal((await ask('3')).json().vulnerability.id, 3);
});

test('an id that nothing or more than one thing has is refused', async () => {
  const unknown = await ask('77');
  assert.deepEqual([unknown.status, unknown.json().code], [404, 'unknown_vulnerability']);
  const shared = await ask('CVE-2026-900');
  assert.deepEqual([shared.status, shared.json().code, shared.json().ids], [422, 'ambiguous_id', [2, 1]]);
  const broken = await ask('%zz');
  assert.deepEqual([broken.status, broken.json().code], [422, 'invalid_parameter']);
});

test('the page is reused by its ETag', async () => {
  const etag = (await ask('1')).headers.get('etag') ?? '';
  const again = await server.request('/database/api/v2/vulnerability/1', {
    headers: { 'If-None-Match': etag },
  });
  assert.equal(again.status, 304);
});
