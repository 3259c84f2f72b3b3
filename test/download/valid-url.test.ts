import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { isValidUrl, plainHost } from '../../src/download/valid-url.ts';
import { Dice } from '../../src/generator/dice.ts';
import { printedSeed } from '../support/seed.ts';
import { volume } from '../support/volume.ts';
import { words } from '../support/words.ts';

const URLS = ['https://a.example/b?c', 'http://münchen.example', 'https://a.example/é', 'http://мир.example'];
const OTHERS = ['', 'a.example', 'http://', 'http://ü ü/', 'é', 'https://a b.example'];

test('a text is a URL or not, however often one was asked about', () => {
  let count = 0;
  // As often as V8 needs to optimise the call.
  for (let i = 0; i < 300_000; i++) if (isValidUrl(`https://a.example:8/${i % 9}`)) count++;
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

test('a plain URL is what a parser and RFC 3986 take for one, with the host that it shows', (t) => {
  const isUri = addFormats.default(new Ajv(), ['uri']).compile({ type: 'string', format: 'uri' });
  const dice = new Dice(printedSeed(t));
  const parts = ['a', 'com', 'b-c', 'xn--', '0x7', '127', '.', '.', '/', '/', '?', '#', '-', '_', '%', 'É'];
  let plain = 0;
  for (let count = volume(100_000); count > 0; count--) {
    const text = `https://${dice.pick(['', 'b-c.', 'a.com'])}${Array.from({ length: dice.whole(1, 9) }, () => dice.pick(parts)).join('')}`;
    const host = plainHost(text);
    if (host === undefined) continue;
    plain++;
    assert.equal(new URL(text).host, host, text);
    assert.ok(isUri(text), text);
  }
  assert.ok(plain > 100);
  for (const text of words(`
    https://a.1 https://1.2.3.4/ https://a.b:80/ https://A.example/ https://a.example/%
  `)) {
    assert.equal(plainHost(text), undefined, text);
  }
});
