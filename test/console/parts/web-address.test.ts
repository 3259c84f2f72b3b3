import assert from 'node:assert/strict';
import { test } from 'node:test';
import { webAddress } from '../../../src/console/parts/web-address.ts';
import { words } from '../../support/words.ts';

test('addresses of the web may be followed', () => {
  assert.equal(webAddress('https://a.example/x?y=1#z'), 'https://a.example/x?y=1#z');
  assert.equal(webAddress('HTTP://A.example'), 'http://a.example/');
  assert.equal(webAddress('https://a.example/"><img src=x>'), 'https://a.example/%22%3E%3Cimg%20src=x%3E');
});

test('all other addresses are text', () => {
  const others = [
    ...['javascript:alert(1)', 'JAVASCRIPT:alert(1)', ' javascript:alert(1)', 'java\tscript:alert(1)'],
    ...['java\nscript:alert(1)', '\u0001javascript:alert(1)', 'javascript://https://a.example/%0aalert(1)'],
    ...words(`
      data:text/html,<script>alert(1)</script> vbscript:x file:///etc/passwd blob:https://a.example/1
    `),
    ...['view-source:https://a.example', 'ftp://a.example', 'mailto:a@a.example', 'about:blank'],
    ...['', '//a.example', '/x', 'a.example', 'https://', 'http://[', 'x'],
  ];
  for (const text of others) assert.equal(webAddress(text), undefined, text);
});
