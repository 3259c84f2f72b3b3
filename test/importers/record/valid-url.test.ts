import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isValidUrl } from '../../../src/importers/record/valid-url.ts';

const URLS = ['https://a.example/b?c', 'http://münchen.example', 'https://a.example/é', 'http://мир.example'];
const OTHERS = ['', 'a.example', 'http://', 'http://ü ü/', 'é', 'https://a b.example'];

test('a text is a URL or not, however often one was asked about', () => {
  let count = 0;
  // As often as V8 needs to optimise the call.
  for (let i = 0; i < 300_000; i++) if (isValidUrl(`https://a.example/${i % 9}`)) count++;
  assert.equal(count, 300_000);
  assert.deepEqual(
    [...URLS, ...OTHERS].filter((text) => isValidUrl(text)),
    URLS,
  );
  assert.deepEqual(
    ['/b', 'ü', '//münchen.example/b', 'http://'].map((text) => isValidUrl(text, 'https://a.example/')),
    [true, true, true, false],
  );
  assert.equal(isValidUrl('b', 'ü'), false);
});
