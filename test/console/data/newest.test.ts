import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Api } from '../../../src/console/app/api.ts';
import { type LatestPage, loadNewest, type NewAdvisory } from '../../../src/console/data/newest.ts';

function advisory(id: number, created_at: string): NewAdvisory {
  return {
    id,
    created_at,
    title: `Advisory ${id}`,
    product: { name: 'a', slug: 'a' },
    cvss: { score: null },
    is_exploited: false,
    version_info: { affected: '*', fixed: '' },
  };
}

test('the newest of all platforms come first, and only platforms with any are counted', async () => {
  const pages: Readonly<Record<string, LatestPage>> = {
    npm: {
      vulnerabilities: [advisory(9, '2026-05-01T10:00:00+00:00'), advisory(8, '2026-05-01T12:00:00+00:00')],
      pagination: { total: 2 },
    },
    pypi: { vulnerabilities: [], pagination: { total: 0 } },
    golang: { vulnerabilities: [advisory(3, '2026-05-01T11:00:00+00:00')], pagination: { total: 31 } },
  };
  const get = async (path: string): Promise<unknown> =>
    pages[new URL(path, 'http://server').searchParams.get('platform') ?? ''];
  const platforms = ['npm', 'pypi', 'golang'] as const;
  const { counts, advisories } = await loadNewest(
    { get } as Pick<Api, 'get'>,
    platforms,
    new AbortController().signal,
  );
  assert.deepEqual(counts, [
    ['npm', 2],
    ['golang', 31],
  ]);
  assert.deepEqual(
    advisories.map(([platform, { id }]) => [platform, id]),
    [
      ['npm', 8],
      ['golang', 3],
      ['npm', 9],
    ],
  );
});
