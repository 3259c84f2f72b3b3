// What browsers are told about the pages: nothing from elsewhere, nothing inline, no frame.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PAGE_HEADERS } from '../../../src/serve/pages/page-headers.ts';

const headers = new Map(PAGE_HEADERS);

test('the policy allows the server’s own files, images in addresses, and nothing else', () => {
  const policy = new Map(
    (headers.get('Content-Security-Policy') ?? '').split('; ').map((directive) => {
      const [name, ...sources] = directive.split(' ');
      return [name, sources.join(' ')];
    }),
  );
  assert.equal(policy.get('default-src'), "'none'");
  for (const name of ['script-src', 'style-src', 'connect-src', 'worker-src', 'font-src'])
    assert.equal(policy.get(name), "'self'", name);
  assert.equal(policy.get('img-src'), "'self' data:");
  for (const name of ['base-uri', 'form-action', 'frame-ancestors'])
    assert.equal(policy.get(name), "'none'", name);
  assert.equal(policy.size, 10);
});

test('a page sends no address along, is in no frame, and shares nothing with windows of others', () => {
  assert.equal(headers.get('Referrer-Policy'), 'no-referrer');
  assert.equal(headers.get('X-Frame-Options'), 'DENY');
  assert.equal(headers.get('Cross-Origin-Opener-Policy'), 'same-origin');
  assert.equal(headers.get('Cross-Origin-Resource-Policy'), 'same-origin');
});

test('a page may ask for no device, and may copy', () => {
  const refused = (headers.get('Permissions-Policy') ?? '').split(', ');
  for (const feature of ['camera', 'geolocation', 'microphone', 'usb'])
    assert.ok(refused.includes(`${feature}=()`), feature);
  assert.ok(!refused.some((each) => each.startsWith('clipboard')));
});
