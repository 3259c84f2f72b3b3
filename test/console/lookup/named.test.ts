import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Api, ApiError } from '../../../src/console/app/api.ts';
import { asListed, type Page, pagesOf, productOf } from '../../../src/console/lookup/named.ts';
import { PRODUCT_TYPE_TABLE } from '../../../src/index/product-type.ts';

function page(id: number): Page {
  return {
    vulnerability: {
      id,
      title: 't',
      description: '',
      disclosed_at: '',
      is_exploited: true,
      direct_url: 'u',
    },
    product: { name: 'Django', slug: 'django', type: 'PyPI' },
    type: 'SQL Injection',
    cvss: { score: 9.1, vector: null },
    cve: ['2026-1'],
    references_url: [],
    credit: null,
    versions: { affected_in: '< 3.2', fixed_in: '3.2' },
  };
}

const { signal } = new AbortController();

test('an id that names several advisories shows each of them', async () => {
  const asked: string[] = [];
  const get = async (path: string): Promise<unknown> => {
    asked.push(path);
    if (path.endsWith('/CVE-2026-1')) throw new ApiError('refused', 422, 'ambiguous_id', '', { ids: [7, 9] });
    return page(Number(path.split('/').at(-1)));
  };
  const pages = await pagesOf({ get } as Pick<Api, 'get'>, 'CVE-2026-1', signal);
  assert.deepEqual(
    pages.map(({ vulnerability }) => vulnerability.id),
    [7, 9],
  );
  assert.deepEqual(asked, ['/vulnerability/CVE-2026-1', '/vulnerability/7', '/vulnerability/9']);
  const get404 = async (): Promise<never> => {
    throw new ApiError('refused', 404, 'unknown_vulnerability', '');
  };
  const unknown = pagesOf({ get: get404 }, 'CVE-1999-1', signal);
  await assert.rejects(unknown, { code: 'unknown_vulnerability' });
});

test('a page leads to its product in every type, and is never another type', () => {
  for (const { name, label } of PRODUCT_TYPE_TABLE) {
    const product = { name: 'X', slug: 'x', type: label };
    assert.deepEqual(productOf({ product }), { label, type: name, name: 'x' });
  }
  assert.equal(productOf({ product: { name: 'X', slug: 'x', type: 'Brew' } }).type, undefined);
});

test('a page as a list has it', () => {
  const { id, cve, severity, matched_range, url } = asListed(page(7));
  assert.deepEqual([id, cve, severity, matched_range?.fixed_in, url], [7, '2026-1', 'critical', '3.2', 'u']);
});
