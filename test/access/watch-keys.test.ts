import assert from 'node:assert/strict';
import { appendFile, mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KeysFile } from '../../src/access/keys-file.ts';
import { emptyKeysFile, hashKey, writeKeysFile } from '../../src/access/keys-file.ts';
import type { KeysWatcher, WatchOptions } from '../../src/access/watch-keys.ts';
import { watchKeysFile } from '../../src/access/watch-keys.ts';

const NEVER_MS = 1_000_000; // the tests look by hand

function withKeys(...names: readonly string[]): KeysFile {
  const keys = names.map((name) => ({ id: name, name, sha256: hashKey(name), tier: 'standard' }));
  return { ...emptyKeysFile(), keys };
}

type Watched = { readonly path: string; readonly seen: string[]; readonly watcher: KeysWatcher };

/** `seen` notes each change as the names of the keys, and each refusal as its message without the path. */
async function watched(t: TestContext, options: Partial<WatchOptions> = {}): Promise<Watched> {
  const dir = await mkdtemp(join(tmpdir(), 'vulndex-watch-'));
  const path = join(dir, 'keys.json');
  await writeKeysFile(path, withKeys('a'));
  const seen: string[] = [];
  const watcher = watchKeysFile(path, {
    inForce: withKeys('a'),
    intervalMs: NEVER_MS,
    onChange: (file) => seen.push(file.keys.map((key) => key.name).join()),
    onRefused: (error) => seen.push(error.message.replace(`${path}: `, '')),
    ...options,
  });
  t.after(async () => {
    watcher.close();
    await rm(dir, { recursive: true });
  });
  return { path, seen, watcher };
}

test('the file in force is no change, nor is the same content in a new file', async (t) => {
  const { path, seen, watcher } = await watched(t);
  await watcher.check();
  await writeKeysFile(path, withKeys('a'));
  await watcher.check();
  await writeFile(path, JSON.stringify(withKeys('a')));
  await watcher.check();
  assert.deepEqual(seen, []);
});

test('without a file in force the first look reports the file', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'vulndex-watch-'));
  t.after(() => rm(dir, { recursive: true }));
  const path = join(dir, 'keys.json');
  await writeKeysFile(path, withKeys('a', 'b'));
  const seen: KeysFile[] = [];
  const watcher = watchKeysFile(path, {
    intervalMs: NEVER_MS,
    onChange: (file) => seen.push(file),
    onRefused: assert.fail,
  });
  t.after(watcher.close);
  await watcher.check();
  await watcher.check();
  assert.deepEqual(seen, [withKeys('a', 'b')]);
});

test('a replacement by rename is taken at the next look', async (t) => {
  const { path, seen, watcher } = await watched(t);
  await writeKeysFile(`${path}.new`, withKeys('a', 'b'));
  await rename(`${path}.new`, path);
  await watcher.check();
  assert.deepEqual(seen, ['a,b']);
});

test('a change of the same size within one tick of the file clock is taken', async (t) => {
  const { path, seen, watcher } = await watched(t);
  const at = new Date();
  await utimes(path, at, at);
  await watcher.check();
  await writeFile(path, `${JSON.stringify(withKeys('b'), null, 2)}\n`);
  await utimes(path, at, at);
  await watcher.check();
  assert.deepEqual(seen, ['b']);
});

test('a slow write in place is taken when it is whole, and its parts are not reported', async (t) => {
  const { path, seen, watcher } = await watched(t);
  const text = JSON.stringify(withKeys('a', 'b', 'c'));
  await writeFile(path, '');
  for (let at = 0; at < text.length; at += 100) {
    await watcher.check();
    await appendFile(path, text.slice(at, at + 100));
  }
  await watcher.check();
  assert.deepEqual(seen, ['a,b,c']);
});

test('a bad file is reported once, again when it has changed, and a good one after it is taken', async (t) => {
  const { path, seen, watcher } = await watched(t);
  await writeFile(path, '[]');
  for (let i = 0; i < 4; i++) await watcher.check();
  assert.deepEqual(seen, ['must be an object with "tiers" and "keys"']);
  await writeFile(path, '{"tiers": {}}');
  for (let i = 0; i < 4; i++) await watcher.check();
  assert.deepEqual(seen.slice(1), ['keys: must be an array of keys']);
  await writeKeysFile(path, withKeys('z'));
  await watcher.check();
  assert.deepEqual(seen.slice(2), ['z']);
});

test('a missing file is a refusal, and coming back unchanged is no change', async (t) => {
  const { path, seen, watcher } = await watched(t);
  await rm(path);
  for (let i = 0; i < 3; i++) await watcher.check();
  assert.deepEqual(seen, ['does not exist']);
  await writeKeysFile(path, withKeys('a'));
  await watcher.check();
  assert.deepEqual(seen, ['does not exist']);
  await rm(path);
  for (let i = 0; i < 3; i++) await watcher.check();
  assert.deepEqual(seen, ['does not exist', 'does not exist']);
});

test('a good file after a refused one is told of, changed or not, and no other', async (t) => {
  let recoveries = 0;
  const { path, seen, watcher } = await watched(t, {
    onRecovered: () => {
      recoveries++;
    },
  });
  await writeKeysFile(path, withKeys('a', 'b'));
  await watcher.check();
  assert.equal(recoveries, 0);
  for (const [names, recovered] of [
    [['a', 'b'], 1],
    [['a'], 2],
  ] as const) {
    await writeFile(path, '{');
    await watcher.check();
    await watcher.check();
    await writeKeysFile(path, withKeys(...names));
    await watcher.check();
    await watcher.check();
    assert.equal(recoveries, recovered, seen.join('; '));
  }
});

test('an editor that deletes the file and makes it anew is no refusal', async (t) => {
  const { path, seen, watcher } = await watched(t);
  await rm(path);
  await watcher.check();
  await writeKeysFile(path, withKeys('b'));
  await watcher.check();
  assert.deepEqual(seen, ['b']);
});

test('a change that its taker throws at is refused, and the next one is offered again', async (t) => {
  const refused: string[] = [];
  const taken: string[] = [];
  const { path, watcher } = await watched(t, {
    onChange: (file) => {
      if (file.keys.length > 1) throw new Error('too many');
      taken.push(file.keys[0]?.name ?? '');
    },
    onRefused: (error) => refused.push(error.message),
  });
  await writeKeysFile(path, withKeys('b', 'c'));
  for (let i = 0; i < 4; i++) await watcher.check();
  assert.deepEqual(refused, ['too many']);
  await writeKeysFile(path, withKeys('d'));
  await watcher.check();
  assert.deepEqual(taken, ['d']);
});

test('a closed watcher reports nothing', async (t) => {
  const { path, seen, watcher } = await watched(t);
  await writeKeysFile(path, withKeys('b'));
  const looking = watcher.check();
  watcher.close();
  await looking;
  await watcher.check();
  assert.deepEqual(seen, []);
});

test('a change is seen by the timer alone', async (t) => {
  const { path, seen } = await watched(t, { intervalMs: 5 });
  await writeKeysFile(path, withKeys('b'));
  for (let i = 0; i < 400 && seen.length === 0; i++) await sleep(5);
  assert.deepEqual(seen, ['b']);
});
