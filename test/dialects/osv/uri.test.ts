import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uriOf } from '../../../src/dialects/osv/uri.ts';
import { complaintsOf } from '../../support/serving/openapi.ts';
import { words } from '../../support/words.ts';

test('a URI stays as it is', () => {
  for (const uri of words(`
    https://a.example/b?c=d&e=%20#f http://a.example urn:isbn:1 https://a.example/(b)/~c;d=1,2
  `)) {
    assert.equal(uriOf(uri), uri);
  }
});

test('what a URI may not contain is escaped, and nothing else', () => {
  assert.equal(uriOf('https://a.example/b c'), 'https://a.example/b%20c');
  assert.equal(uriOf('https://a.example/grüße/日本'), 'https://a.example/gr%C3%BC%C3%9Fe/%E6%97%A5%E6%9C%AC');
  assert.equal(
    uriOf('https://a.example/[b]|{c}"<d>`^\\'),
    'https://a.example/%5Bb%5D%7C%7Bc%7D%22%3Cd%3E%60%5E%5C',
  );
  assert.equal(uriOf('https://a.example/100%/%2F'), 'https://a.example/100%25/%2F');
  assert.equal(uriOf('https://a.example/#a#b'), 'https://a.example/#a%23b');
});

test('a text without a scheme is not a URI', () => {
  for (const text of ['', 'a.example/b', '//a.example', '#a', ':', '1http://a', 'https:']) {
    assert.equal(uriOf(text), undefined, text);
  }
});

test('a validator accepts what is returned', () => {
  for (const text of ['https://a.example/b c#d e#f', 'https://a.example/%zz[0]', 'mailto:a@b.example']) {
    assert.deepEqual(complaintsOf({ type: 'string', format: 'uri' }, uriOf(text)), [], text);
  }
});
