import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadSettings, mountOf, type Settings } from '../../../src/console/app/settings.ts';

const SETTINGS: Settings = {
  version: '0.1.0',
  port: 'service',
  contract: '',
  mounts: [{ name: 'osv', paths: ['/osv', '/other'] }],
};
const BASE = new URL('https://server.example/below/');

test('the settings are a file beside the page', async (t) => {
  const asked: string[] = [];
  t.mock.method(globalThis, 'fetch', async (url: URL) => {
    asked.push(url.href);
    return new Response(JSON.stringify(SETTINGS));
  });
  assert.deepEqual(await loadSettings(BASE), SETTINGS);
  assert.deepEqual(asked, ['https://server.example/below/console/settings.json']);
});

test('why there are no settings is said in words', async (t) => {
  t.mock.method(globalThis, 'fetch', () => Promise.reject(new TypeError('fetch failed')));
  await assert.rejects(loadSettings(BASE), { message: 'The server does not answer.' });
  t.mock.restoreAll();
  t.mock.method(globalThis, 'fetch', async () => new Response('', { status: 404 }));
  await assert.rejects(loadSettings(BASE), /answered 404/);
});

test('a dialect is at its first mount, or off', () => {
  assert.equal(mountOf(SETTINGS, 'osv'), '/osv');
  assert.equal(mountOf(SETTINGS, 'wpscan'), undefined);
});
