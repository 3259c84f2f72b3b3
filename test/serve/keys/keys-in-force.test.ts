// The active keys of a serving process, with the file prepared in this thread.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { emptyKeysFile, hashKey, type KeysFile } from '../../../src/access/keys-file.ts';
import { ENDPOINTS } from '../../../src/dialects/dialects.ts';
import { KeyRing } from '../../../src/http/callers/auth.ts';
import { allocateLeases, LeaseRows } from '../../../src/http/callers/lease-rows.ts';
import { RateLimiter } from '../../../src/http/callers/rate-limit.ts';
import { KeysInForce } from '../../../src/serve/keys/keys-in-force.ts';
import { prepareKeys } from '../../../src/serve/keys/prepare-keys.ts';
import type { PostedKeys } from '../../../src/serve/messages.ts';
import { temporaryFolder } from '../../support/folder.ts';

const NOW_MS = Date.UTC(2026, 9, 1);
const ONE_A_MINUTE = { endpoints: ['exists'], rate: { limit: 1, window_seconds: 60 } } as const;

function withKeys(...names: readonly string[]): KeysFile {
  const keys = names.map((name) => ({ id: `id-${name}`, name, sha256: hashKey(name), tier: 't' }));
  return { tiers: { ...emptyKeysFile(ENDPOINTS).tiers, t: ONE_A_MINUTE }, keys };
}

interface Following {
  readonly keys: KeysInForce;
  readonly path: string;
  readonly seen: string[];
  readonly posted: PostedKeys[];
  write(file: KeysFile): Promise<void>;
}

async function following(t: TestContext, first: KeysFile): Promise<Following> {
  const path = join(temporaryFolder(t), 'keys.json');
  writeFileSync(path, JSON.stringify(first));
  const keys = await KeysInForce.open(path);
  const seen: string[] = [];
  const posted = [keys.posted];
  keys.follow(
    {
      onChanged: (table, keyCount) => {
        posted.push(table);
        seen.push(`${keyCount} keys`);
      },
      onRefused: (error) => seen.push(error.message.replace(`${path}: `, '')),
      onRecovered: () => seen.push('recovered'),
      onStalled: () => seen.push('stalled'),
      onResumed: () => seen.push('resumed'),
    },
    { intervalMs: 1_000_000, prepare: async (data) => prepareKeys(data) },
  );
  t.after(() => keys.close());
  const write = async (file: KeysFile): Promise<void> => {
    writeFileSync(path, JSON.stringify(file));
    await keys.check();
  };
  return { keys, path, seen, posted, write };
}

/** How a worker with these keys answers a request at a given instant. */
function ask({ keys, posted }: Following, key: string, table = posted.at(-1)): string {
  const result = new KeyRing(table ?? assert.fail()).authenticate(key, NOW_MS);
  if (result.kind !== 'caller') return result.kind;
  const { slot, rate } = result.caller;
  return new RateLimiter(keys.limiter).take(slot, rate ?? assert.fail(), NOW_MS).allowed
    ? 'admitted'
    : 'refused';
}

test('without a file a key with all rights is generated for this run', async () => {
  const keys = await KeysInForce.open(undefined);
  const result = new KeyRing(keys.posted).authenticate(keys.runKey ?? assert.fail(), NOW_MS);
  assert.ok(result.kind === 'caller' && result.caller.tier === 'operator');
  assert.equal(await keys.close(), true);
});

test('a bad file at startup is an error that lists everything wrong', async (t) => {
  const path = join(temporaryFolder(t), 'keys.json');
  await assert.rejects(KeysInForce.open(path), { name: 'KeysFileError', message: `${path}: does not exist` });
  execFileSync('mkfifo', [path]);
  await assert.rejects(KeysInForce.open(path), { message: /is a FIFO; the keys must be in a regular file$/ });
  rmSync(path);
  writeFileSync(path, '{"tiers": {}, "keys": [1, 2]}');
  await assert.rejects(KeysInForce.open(path), { message: /keys\[0\]: .*; keys\[1\]: / });
});

test('a changed file is active after one check, and a bad one leaves the keys unchanged', async (t) => {
  const scene = await following(t, withKeys('a'));
  await scene.write(withKeys('b'));
  assert.deepEqual([ask(scene, 'a'), ask(scene, 'b')], ['invalid', 'admitted']);
  await scene.write({ ...withKeys('c'), keys: [] as never });
  await scene.write({ tiers: {} } as KeysFile);
  await scene.keys.check();
  assert.deepEqual(scene.seen, ['1 keys', '0 keys', 'keys: must be an array of keys']);
});

test('a key keeps its usage from file to file, at any position, even after a short absence', async (t) => {
  const scene = await following(t, withKeys('x', 'a'));
  assert.deepEqual([ask(scene, 'a'), ask(scene, 'a')], ['admitted', 'refused']);
  await scene.write(withKeys('a', 'y', 'z'));
  assert.equal(ask(scene, 'a'), 'refused');
  await scene.write(withKeys('y'));
  assert.equal(ask(scene, 'a'), 'invalid');
  await scene.write(withKeys('y', 'a'));
  assert.equal(ask(scene, 'a'), 'refused');
});

test('a worker that still has the previous table counts only for its own keys', async (t) => {
  const scene = await following(t, withKeys('old'));
  const [before] = scene.posted;
  await scene.write(withKeys('new1', 'new2'));
  assert.equal(ask(scene, 'old', before), 'admitted');
  assert.deepEqual([ask(scene, 'new1'), ask(scene, 'new2')], ['admitted', 'admitted']);
});

test('the rows of keys removed long ago are reused, reset', () => {
  const limiter = new SharedArrayBuffer(8 * 4);
  const leases = allocateLeases(limiter);
  const rows = new LeaseRows(limiter, leases);
  const prepare = (file: KeysFile, previous: PostedKeys | undefined, keepsRetired: boolean): PostedKeys =>
    prepareKeys({
      bytes: Buffer.from(JSON.stringify(file)),
      fileName: 'keys.json',
      limiter,
      leases,
      previous,
      keepsRetired,
    }).table;
  const tats = new BigInt64Array(limiter);
  let table = prepare(withKeys('a', 'b'), undefined, false);
  tats.fill(99n);
  for (const slot of [0, 1, 2, 3]) rows.grant(slot, 5);
  table = prepare(withKeys('a', 'c'), table, true);
  table = prepare(withKeys('a', 'd'), table, true);
  assert.throws(() => prepare(withKeys('a', 'e'), table, true), { name: 'RateLimiterFullError' });
  table = prepare(withKeys('a', 'e'), table, false);
  assert.deepEqual([...tats], [99n, 0n, 0n, 0n], 'a kept its count, the others started over');
  const held = [0, 1, 2, 3].map((slot) => rows.held(slot));
  assert.deepEqual(held, [5, 0, 0, 0], 'and its lease');
});
