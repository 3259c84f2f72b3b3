import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_NAMES } from '../../../src/dialects/composer/limits.ts';
import { readNames } from '../../../src/dialects/composer/names-form.ts';

function namesIn(text: string): readonly string[] | string {
  const read = readNames(Buffer.from(text, 'latin1'));
  return read.kind === 'names' ? [...read.names] : read.kind;
}

test('a form names packages, as PHP writes lists', () => {
  assert.deepEqual(namesIn('packages[0]=a/b&packages[1]=c/d'), ['a/b', 'c/d']);
  assert.deepEqual(namesIn('packages%5B0%5D=a%2Fb&packages%5B%5D=c%2fd&x=1&&y'), ['a/b', 'c/d']);
  assert.deepEqual(namesIn('packages[]=a/b&packages[]=a/b&packages=a/B&packages[7]='), ['a/b', 'a/B']);
  assert.deepEqual(namesIn('packages[]=https://a.example/x+y&packages[]=php'), [
    'https://a.example/x y',
    'php',
  ]);
});

test('any other body is not a form with packages', () => {
  for (const body of [
    '',
    '{"packages":["a/b"]}',
    'package[0]=a/b',
    'packages[x]=a/b',
    'packages[0]=%',
    'packages[0]=%ff',
  ]) {
    assert.equal(namesIn(body), 'bad', body);
  }
  assert.equal(namesIn('packages[0]=\xff'), 'bad');
});

test('there is a bound on what is read', () => {
  const most = Array.from({ length: MAX_NAMES }, (_, i) => `packages[]=a/${i}`).join('&');
  assert.equal(namesIn(most).length, MAX_NAMES);
  assert.equal(namesIn(`${most}&packages[]=b/b`), 'too-many');
  assert.equal(namesIn('&'.repeat(MAX_NAMES + 1)), 'too-many');
});
