import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADDONS, type AddonSearch, findNative } from '../../../src/http/transport/native.ts';
import { canSharePort, pickTransport, TransportError } from '../../../src/http/transport/transports.ts';
import { skipAddon } from '../../support/serving/transports.ts';

const App = (): void => {};

/** Imports like a folder in which exactly these packages are installed. */
function installed(packages: Readonly<Record<string, unknown>>): (name: string) => Promise<unknown> {
  return async (name) => {
    const found = packages[name];
    if (found instanceof Error) throw found;
    if (found !== undefined) return found;
    throw Object.assign(new Error(`Cannot find package '${name}'`), { code: 'ERR_MODULE_NOT_FOUND' });
  };
}

function foundIn(search: AddonSearch): object {
  assert.equal(search.kind, 'found');
  return { name: search.name, native: search.native };
}

const missing = async (): Promise<AddonSearch> => ({ kind: 'missing', reason: 'a does not load: old glibc' });

test('the addon is loaded under its official name first, as CommonJS or as an ES module', async () => {
  assert.equal(ADDONS[0], 'uWebSockets.js');
  const official = { default: { App } };
  const repacked = { App, default: {} };
  assert.deepEqual(
    foundIn(await findNative(ADDONS, installed({ 'uWebSockets.js': official, 'uws-pack': repacked }))),
    { name: 'uWebSockets.js', native: official.default },
  );
  assert.deepEqual(foundIn(await findNative(ADDONS, installed({ 'uws-pack': repacked }))), {
    name: 'uws-pack',
    native: repacked,
  });
});

test('packages that are missing, empty or without a binary are passed over', async () => {
  const load = installed({ empty: { default: {} }, old: new Error('no binary'), good: { App } });
  assert.deepEqual(foundIn(await findNative(['absent', 'empty', 'old', 'good'], load)), {
    name: 'good',
    native: { App },
  });
});

const HERE = `Node ${process.version} on ${process.platform}-${process.arch}`;
/** What the package says whatever is wrong, and the error that it hides behind that. */
const saidBy = (error: string): Error =>
  new Error(`\nThis version supports only Node 20.\n\nError: ${error}\nRequire stack:\n- /a/uws.mjs`);

async function reasonFor(
  packages: Readonly<Record<string, unknown>>,
  identities: Readonly<Record<string, string>> = {},
): Promise<string> {
  const search = await findNative(ADDONS, installed(packages), (name) => identities[name]);
  assert.equal(search.kind, 'missing');
  return search.reason;
}

test('the reason says which package is installed under the name, and that it has no binary for this release', async () => {
  const noBinary = saidBy("Cannot find module './bin/uws_linux_x64_137.node'");
  assert.equal(
    await reasonFor({ 'uWebSockets.js': noBinary }, { 'uWebSockets.js': 'uws-pack 20.0.8' }),
    `uWebSockets.js does not load: uws-pack 20.0.8, installed under that name, has no binary for ${HERE}: This version supports only Node 20`,
  );
  assert.equal(
    await reasonFor({ 'uws-pack': noBinary }, { 'uws-pack': 'uws-pack 20.0.8' }),
    `uws-pack does not load: uws-pack 20.0.8 has no binary for ${HERE}: This version supports only Node 20`,
  );
});

test('the reason tells a binary that the system refuses, a package without one and none at all apart', async () => {
  assert.equal(
    await reasonFor({ 'uWebSockets.js': saidBy('GLIBC_2.38 not found'), 'uws-pack': { default: {} } }),
    `uWebSockets.js does not load: it fails on ${HERE}: GLIBC_2.38 not found (This version supports only Node 20); uws-pack does not export App`,
  );
  const lacksPart = Object.assign(new Error("Cannot find module '/a/dist/index.mjs' imported from /b.js"), {
    code: 'ERR_MODULE_NOT_FOUND',
  });
  assert.equal(
    await reasonFor({ 'uWebSockets.js': lacksPart }),
    `uWebSockets.js does not load: it fails on ${HERE}: Cannot find module '/a/dist/index.mjs' imported from /b.js`,
  );
  assert.equal(await reasonFor({}), 'neither uWebSockets.js nor uws-pack is installed');
});

test('the package under the official name is known by the name and version that it gives itself', async () => {
  const load = async (name: string): Promise<unknown> => {
    if (name === 'uWebSockets.js') throw saidBy("Cannot find module './bin/uws.node'");
    return installed({})(name);
  };
  const search = await findNative(ADDONS, load);
  assert.equal(search.kind, 'missing');
  assert.match(search.reason, /^uWebSockets\.js does not load: uws-pack \d+\.\d+\.\d+, installed under/);
});

test('the addon is chosen if it loads, unless the other transport is asked for', {
  skip: skipAddon,
}, async () => {
  assert.deepEqual(await pickTransport('auto'), { kind: 'uws', reason: undefined });
  assert.deepEqual(await pickTransport('uws'), { kind: 'uws', reason: undefined });
  assert.deepEqual(await pickTransport('node'), { kind: 'node', reason: undefined });
});

test('if the addon does not load, node is chosen with the reason, and asking for the addon is refused with a remedy', async () => {
  assert.deepEqual(await pickTransport('auto', missing), {
    kind: 'node',
    reason: 'a does not load: old glibc',
  });
  assert.deepEqual(await pickTransport('node', missing), { kind: 'node', reason: undefined });
  await assert.rejects(pickTransport('uws', missing), (error) => {
    assert.ok(error instanceof TransportError);
    assert.match(error.message, /: a does not load: old glibc: use --transport node, or/);
    return true;
  });
});

test('threads share a port over the addon, and over node if the kernel and the release support it', () => {
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
