import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fragmentOf, keyIn, routeOf, VIEWS, withoutKey } from '../../../src/console/app/route.ts';
import { phrases, words } from '../../support/words.ts';

test('a fragment and its route are each other’s inverse, whatever the values are', () => {
  const values = [
    '',
    ...phrases('a b | <img src=x onerror=alert(1)> | #?&=%25 | %zz | javascript:alert(1)'),
    '\n',
    '名前',
  ];
  for (const view of VIEWS) {
    for (const value of values) {
      const route = routeOf(fragmentOf(view, { name: value, other: 'x' }), 'data');
      assert.equal(route.view, view);
      const expected = value === '' ? { other: 'x' } : { name: value, other: 'x' };
      assert.deepEqual(Object.fromEntries(route.parameters), expected);
    }
  }
  assert.equal(fragmentOf('lookup', { name: undefined }), '#/lookup');
});

test('a fragment that names no view is that of the fallback, without parameters', () => {
  const fragments = ['', ...words('# #/ #lookup #/nothing?a=1 #/lookup/x #//evil.example #/__proto__')];
  for (const fragment of fragments) {
    const { view, parameters } = routeOf(fragment, 'operate');
    assert.deepEqual([view, [...parameters]], ['operate', []], fragment);
  }
});

test('a key comes alone or beside the state, which stays', () => {
  const cases: readonly [fragment: string, key: string | undefined, rest: string][] = [
    ['#key=K1', 'K1', '#'],
    ['#/lookup?key=K1', 'K1', '#/lookup'],
    ['#/lookup?type=npm&key=K%2B1&name=x', 'K+1', '#/lookup?type=npm&name=x'],
    ['#/lookup?key=K1&key=K2', 'K1', '#/lookup'],
    ['#/lookup?key=', undefined, '#/lookup'],
    ['#/lookup?monkey=K1', undefined, '#/lookup?monkey=K1'],
    ['#/key=K1', undefined, '#/key=K1'],
    ['', undefined, '#'],
  ];
  for (const [fragment, key, rest] of cases) {
    assert.equal(keyIn(fragment), key, fragment);
    assert.equal(withoutKey(fragment), rest, fragment);
    assert.equal(keyIn(withoutKey(fragment)), undefined);
  }
});
