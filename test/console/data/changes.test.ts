import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Api } from '../../../src/console/app/api.ts';
import {
  type Change,
  type ChangesPage,
  countChanges,
  countedTitles,
  likelyProduct,
  mostChanged,
  tally,
  withPage,
} from '../../../src/console/data/changes.ts';
import { PLATFORMS } from '../../../src/index/product-type.ts';
import { pluck } from '../../support/pluck.ts';

function added(id: number, title: string, slug: string): Change {
  return {
    id,
    change: 'added',
    vulnerability: {
      title,
      product: { name: slug, slug },
      cvss: { score: null },
      is_exploited: false,
      version_info: { affected: '*', fixed: '' },
    },
  };
}

function page(ids: readonly number[], next: string | null): ChangesPage {
  return {
    since: 'a',
    snapshot: 'b',
    changes: ids.map((id) => ({ id, change: 'withdrawn' })),
    cursor: { next_cursor: next, has_more: next !== null },
  };
}

test('pages follow each other until one has no cursor', () => {
  const first = withPage(undefined, page([9, 8], 'n'));
  assert.equal(first.cursor, 'n');
  const empty = withPage(first, page([], 'm'));
  assert.equal(empty.cursor, 'm');
  const whole = withPage(empty, page([3], null));
  assert.deepEqual(pluck(whole.changes, 'id'), [9, 8, 3]);
  assert.equal(whole.cursor, undefined);
  assert.equal(whole.snapshot, 'b');
});

test('changes are counted by kind, also kinds that do not occur', () => {
  const changes: Change[] = [added(1, 't', 's'), { id: 2, change: 'removed' }, { id: 3, change: 'removed' }];
  assert.deepEqual(tally(changes), [
    ['added', 1],
    ['changed', 0],
    ['withdrawn', 0],
    ['removed', 2],
  ]);
});

test('the likely type of a product comes from its platform and the title', () => {
  const cases: readonly (readonly ['wordpress' | 'npm', string, string, string])[] = [
    ['npm', 'NPM: a theme for editors', '@a/theme', 'npm'],
    ['wordpress', 'WordPress Paper Boat theme <= 1.0 - XSS', 'paper-boat', 'theme'],
    ['wordpress', 'WordPress Gallery plugin <= 1.0 - XSS', 'gallery', 'plugin'],
    ['wordpress', 'WordPress Themes Manager <= 1.0 - XSS', 'themes-manager', 'plugin'],
    ['wordpress', 'WordPress WordPress Core < 6.0 - XSS', 'wordpress', 'wordpress'],
  ];
  for (const [platform, title, slug, type] of cases)
    assert.deepEqual(
      likelyProduct(platform, added(1, title, slug).vulnerability),
      { type, name: slug },
      title,
    );
});

test('nothing is known about the product of an advisory that is no longer listed', () => {
  assert.equal(likelyProduct('npm', undefined), undefined);
});

test('changes are counted on every platform before one is shown', async () => {
  const asked: string[] = [];
  const pages: Readonly<Record<string, ChangesPage>> = {
    pypi: page([3, 2], null),
    golang: page([9, 8, 7], 'n'),
  };
  const get = async (path: string): Promise<unknown> => {
    const platform = new URL(path, 'http://server').searchParams.get('platform') ?? '';
    asked.push(platform);
    return pages[platform] ?? page([], null);
  };
  const counts = await countChanges({ get } as Pick<Api, 'get'>, 'a', new AbortController().signal);
  assert.deepEqual(asked, PLATFORMS);
  assert.equal(mostChanged(counts), 'golang');
  const { pypi, golang, npm } = countedTitles(counts);
  assert.deepEqual([pypi, golang, npm], ['PyPI 2', 'Go 3+', 'npm 0']);
});
