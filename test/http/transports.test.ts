import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADDONS, loadNative } from '../../src/http/native.ts';
import { canSharePort, pickTransport, TransportError } from '../../src/http/transports.ts';
import { skipAddon } from '../support/transports.ts';

const App = (): void => {};

/** What an import of each package would give; any other is not installed. */
function installed(packages: Readonly<Record<string, unknown>>): (name: string) => Promise<unknown> {
  return async (name) => {
    if (name in packages) return packages[name];
    throw new Error(`Cannot find package '${name}'`);
  };
}

test('the addon is taken under its official name first, as a CommonJS package or one of modules', async () => {
  assert.equal(ADDONS[0], 'uWebSockets.js');
  const official = { default: { App } };
  const repacked = { App, default: {} };
  const both = await loadNative(ADDONS, installed({ 'uWebSockets.js': official, 'uws-pack': repacked }));
  assert.equal(both?.name, 'uWebSockets.js');
  assert.equal(both?.native, official.default);
  const one = await loadNative(ADDONS, installed({ 'uws-pack': repacked }));
  assert.equal(one?.native, repacked);
});

test('a package without the addon in it, or without a binary, is passed over', async () => {
  const load = installed({ 'uWebSockets.js': { default: {} } });
  assert.equal(await loadNative(ADDONS, load), undefined);
  assert.equal((await loadNative(['a', 'b'], installed({ b: { App } })))?.name, 'b');
});

test('the addon is picked where it loads, and the other transport where that was asked for', {
  skip: skipAddon,
}, async () => {
  assert.equal(await pickTransport('auto'), 'uws');
  assert.equal(await pickTransport('uws'), 'uws');
  assert.equal(await pickTransport('node'), 'node');
});

test('without the addon, node is picked, and asking for the addon is refused with what to do', {
  skip: skipAddon === false && 'the addon has a binary for this Node release',
}, async () => {
  assert.equal(await pickTransport('auto'), 'node');
  await assert.rejects(pickTransport('uws'), (error) => {
    assert.ok(error instanceof TransportError);
    return /has no binary for Node v\d+.*use --transport node, or/.test(error.message);
  });
});

test('threads share a port over the addon, and over node where the kernel and the release can', () => {
  const cases = [
    ['22.11.0', 'linux', false],
    ['22.12.0', 'linux', true],
    ['20.20.2', 'linux', false],
    ['23.0.0', 'linux', false],
    ['23.1.0', 'linux', true],
    ['24.0.0', 'linux', true],
    ['26.10.0', 'darwin', false],
  ] as const;
  for (const [node, platform, can] of cases) {
    assert.equal(canSharePort('node', { node }, platform), can, `${node} on ${platform}`);
    assert.ok(canSharePort('uws', { node }, platform));
  }
});
