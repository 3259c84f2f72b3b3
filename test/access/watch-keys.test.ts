import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, rename, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import type { KeysFile } from '../../src/access/keys-file.ts';
import {
  decodeKeysFile,
  emptyKeysFile,
  hashKey,
  parseKeysFile,
  writeKeysFile,
} from '../../src/access/keys-file.ts';
import { KeysFileError } from '../../src/access/read-keys.ts';
import type { KeysWatcher, Prepared, Storage, WatchOptions } from '../../src/access/watch-keys.ts';
import { watchKeysFile } from '../../src/access/watch-keys.ts';
import { ENDPOINTS } from '../../src/dialects/dialects.ts';
import { until } from '../support/until.ts';

const NEVER_MS = 1_000_000; // the tests poll by hand

function withKeys(...names: readonly string[]): KeysFile {
  const keys = names.map((name) => ({ id: name, name, sha256: hashKey(name), tier: 'standard' }));
  return { ...emptyKeysFile(ENDPOINTS), keys };
}

type PreparedFile = Prepared & { readonly file: KeysFile };

/** Parses in this thread, without building a table. */
async function prepare(bytes: Uint8Array): Promise<PreparedFile> {
  const file = parseKeysFile(decodeKeysFile(bytes), 'keys.json', ENDPOINTS);
  return { file, content: JSON.stringify(file) };
}

type Watched = { readonly path: string; readonly seen: string[]; readonly watcher: KeysWatcher };

/** `seen` records each change as the names of the keys, and each refusal as its message without the path. */
async function watched(t: TestContext, options: Partial<WatchOptions<PreparedFile>> = {}): Promise<Watched> {
  const dir = await mkdtemp(join(tmpdir(), 'vulndex-watch-'));
  const path = join(dir, 'keys.json');
  await writeKeysFile(path, withKeys('a'), ENDPOINTS);
  const seen: string[] = [];
  const watcher = watchKeysFile(path, {
    inForce: { content: JSON.stringify(withKeys('a')), digest: '' },
    intervalMs: NEVER_MS,
    prepare,
    onChange: ({ file }) => seen.push(file.keys.map((key) => key.name).join()),
    onRefused: (error) => seen.push(error.message.replace(/^[^ ]*keys\.json: /, '')),
    ...options,
  });
  t.after(async () => {
    await watcher.close();
    await rm(dir, { recursive: true });
  });
  return { path, seen, watcher };
}

test('the current file is not a change, nor is a new file with the same content', async (t) => {
  const { path, seen, watcher } = await watched(t);
  await watcher.check();
  await writeKeysFile(path, withKeys('a'), ENDPOINTS);
  await watcher.check();
  await writeFile(path, JSON.stringify(withKeys('a')));
  await watcher.check();
  assert.deepEqual(seen, []);
});

test('without a current file the first poll reports the file', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'vulndex-watch-'));
  t.after(() => rm(dir, { recursive: true }));
  const path = join(dir, 'keys.json');
  await writeKeysFile(path, withKeys('a', 'b'), ENDPOINTS);
  const seen: KeysFile[] = [];
  const watcher = watchKeysFile<PreparedFile>(path, {
    intervalMs: NEVER_MS,
    prepare,
    onChange: ({ file }) => seen.push(file),
    onRefused: assert.fail,
  });
  t.after(watcher.close);
  await watcher.check();
  await watcher.check();
  assert.deepEqual(seen, [withKeys('a', 'b')]);
});

test('a replacement by rename is applied at the next poll', async (t) => {
  const { path, seen, watcher } = await watched(t);
  await writeKeysFile(`${path}.new`, withKeys('a', 'b'), ENDPOINTS);
  await rename(`${path}.new`, path);
  await watcher.check();
  assert.deepEqual(seen, ['a,b']);
});

test('a change of the same size within one tick of the file clock is applied', async (t) => {
  const { path, seen, watcher } = await watched(t);
  const at = new Date();
  await utimes(path, at, at);
  await watcher.check();
  await writeFile(path, `${JSON.stringify(withKeys('b'), null, 2)}\n`);
  await utimes(path, at, at);
  await watcher.check();
  assert.deepEqual(seen, ['b']);
});

test('a slow write in place is applied when complete, and its parts are not reported', async (t) => {
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

test('a bad file is reported once, again when it has changed, and a good one after it is applied', async (t) => {
  const { path, seen, watcher } = await watched(t);
  await writeFile(path, '[]');
  for (let i = 0; i < 4; i++) await watcher.check();
  assert.deepEqual(seen, ['must be an object with "tiers" and "keys"']);
  await writeFile(path, '{"tiers": {}}');
  for (let i = 0; i < 4; i++) await watcher.check();
  assert.deepEqual(seen.slice(1), ['keys: must be an array of keys']);
  await writeKeysFile(path, withKeys('z'), ENDPOINTS);
  await watcher.check();
  assert.deepEqual(seen.slice(2), ['z']);
});

test('a missing file is a refusal, and its unchanged return is not a change', async (t) => {
  const { path, seen, watcher } = await watched(t);
  await rm(path);
  for (let i = 0; i < 3; i++) await watcher.check();
  assert.deepEqual(seen, ['does not exist']);
  await writeKeysFile(path, withKeys('a'), ENDPOINTS);
  await watcher.check();
  assert.deepEqual(seen, ['does not exist']);
  await rm(path);
  for (let i = 0; i < 3; i++) await watcher.check();
  assert.deepEqual(seen, ['does not exist', 'does not exist']);
});

test('a good file after a refused one is reported, changed or not; other good files are not', async (t) => {
  let recoveries = 0;
  const { path, seen, watcher } = await watched(t, {
    onRecovered: () => {
      recoveries++;
    },
  });
  await writeKeysFile(path, withKeys('a', 'b'), ENDPOINTS);
  await watcher.check();
  assert.equal(recoveries, 0);
  for (const [names, recovered] of [
    [['a', 'b'], 1],
    [['a'], 2],
  ] as const) {
    await writeFile(path, '{');
    await watcher.check();
    await watcher.check();
    await writeKeysFile(path, withKeys(...names), ENDPOINTS);
    await watcher.check();
    await watcher.check();
    assert.equal(recoveries, recovered, seen.join('; '));
  }
});

test('an editor that deletes and recreates the file causes no refusal', async (t) => {
  const { path, seen, watcher } = await watched(t);
  await rm(path);
  await watcher.check();
  await writeKeysFile(path, withKeys('b'), ENDPOINTS);
  await watcher.check();
  assert.deepEqual(seen, ['b']);
});

test('a change is refused if its callback throws, and the next one is offered again', async (t) => {
  const refused: string[] = [];
  const taken: string[] = [];
  const { path, watcher } = await watched(t, {
    onChange: ({ file }) => {
      if (file.keys.length > 1) throw new Error('too many');
      taken.push(file.keys[0]?.name ?? '');
    },
    onRefused: (error) => refused.push(error.message),
  });
  await writeKeysFile(path, withKeys('b', 'c'), ENDPOINTS);
  for (let i = 0; i < 4; i++) await watcher.check();
  assert.deepEqual(refused, ['too many']);
  await writeKeysFile(path, withKeys('d'), ENDPOINTS);
  await watcher.check();
  assert.deepEqual(taken, ['d']);
});

test('a closed watcher reports nothing', async (t) => {
  const { path, seen, watcher } = await watched(t);
  await writeKeysFile(path, withKeys('b'), ENDPOINTS);
  const looking = watcher.check();
  assert.equal(await watcher.close(), true);
  await looking;
  await watcher.check();
  assert.deepEqual(seen, []);
});

test('a change is seen by the timer alone', async (t) => {
  const { path, seen } = await watched(t, { intervalMs: 5 });
  await writeKeysFile(path, withKeys('b'), ENDPOINTS);
  await until('the change to be seen', () => seen.length > 0);
  assert.deepEqual(seen, ['b']);
});

test('a FIFO in place of the file is refused, and a file that replaces it is applied', async (t) => {
  const { path, seen, watcher } = await watched(t);
  await rm(path);
  execFileSync('mkfifo', [path]);
  for (let i = 0; i < 3; i++) await watcher.check();
  assert.deepEqual(seen, ['is a FIFO; the keys must be in a regular file']);
  await writeKeysFile(`${path}.new`, withKeys('b'), ENDPOINTS);
  await rename(`${path}.new`, path);
  await watcher.check();
  assert.deepEqual(seen.slice(1), ['b']);
});

test('a folder and a file of more than 64 MiB are refused without being read', async (t) => {
  const { path, seen, watcher } = await watched(t);
  await rm(path);
  await mkdir(path);
  for (let i = 0; i < 3; i++) await watcher.check();
  await rm(path, { recursive: true });
  await writeFile(path, '');
  await truncate(path, 64 * 1024 * 1024 + 1);
  for (let i = 0; i < 3; i++) await watcher.check();
  assert.deepEqual(seen, [
    'is a folder; the keys must be in a regular file',
    'is larger than the limit of 67108864 bytes; remove keys that are disabled or expired',
  ]);
});

test('storage that does not respond is reported once, and polling resumes when it does', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let nowMs = 0;
  const clock = t.mock.method(performance, 'now', () => nowMs);
  const pass = (ms: number): void => {
    nowMs += ms;
    t.mock.timers.tick(ms);
  };
  let answer: () => void = () => {};
  const events: string[] = [];
  let looks = 0;
  const { watcher } = await watched(t, {
    intervalMs: 10,
    stallMs: 50,
    storage: {
      markOf: () => {
        looks += 1;
        return new Promise((resolve) => {
          answer = () => resolve({ mark: 'same', young: false });
        });
      },
      read: () => Promise.reject(new Error('not asked')),
    },
    onRefused: () => {},
    onStalled: (stalledMs) => events.push(stalledMs >= 50 ? 'stalled' : 'too early'),
    onResumed: () => events.push('resumed'),
  });
  pass(10);
  await until('the storage to be asked', () => looks === 1);
  for (let poll = 0; poll < 4; poll++) pass(10);
  assert.deepEqual(events, []);
  for (let poll = 0; poll < 100; poll++) pass(10);
  assert.deepEqual(events, ['stalled']);
  assert.equal(looks, 1, 'no second call in the meantime');
  answer();
  await until('the storage to be asked again', () => {
    pass(10);
    return looks > 1;
  });
  assert.deepEqual(events.slice(0, 2), ['stalled', 'resumed']);
  clock.mock.mockImplementation(() => {
    nowMs += 100; // at each look whether it has answered
    return nowMs;
  });
  assert.equal(await watcher.close(), false, 'close does not wait for it either');
});

test('the same bytes are parsed once, good or bad', async (t) => {
  let prepared = 0;
  const { path, seen, watcher } = await watched(t, {
    prepare: (bytes) => {
      prepared += 1;
      return prepare(bytes);
    },
  });
  await writeFile(path, JSON.stringify(withKeys('b')));
  for (let i = 0; i < 5; i++) await watcher.check();
  assert.equal(prepared, 1);
  await writeFile(path, '[]');
  for (let i = 0; i < 5; i++) await watcher.check();
  assert.equal(prepared, 2);
  assert.deepEqual(seen, ['b', 'must be an object with "tiers" and "keys"']);
});

/** A file that is no longer young and does not change; `read` reads it. */
function unchanging(read: Storage['read']): Storage {
  return { markOf: async () => ({ mark: 'same', young: false }), read };
}

const KEYS_B = Buffer.from(JSON.stringify(withKeys('b')));

test('a file that the system failed to read is reported once and applied once readable, though unchanged', async (t) => {
  let isBroken = true;
  const { seen, watcher } = await watched(t, {
    storage: unchanging(async (path) => {
      if (isBroken) throw new KeysFileError(path, ['cannot be read: EMFILE']);
      return { bytes: KEYS_B, digest: 'b' };
    }),
  });
  for (let i = 0; i < 4; i++) await watcher.check();
  assert.deepEqual(seen, ['cannot be read: EMFILE']);
  isBroken = false;
  await watcher.check();
  assert.deepEqual(seen.slice(1), ['b']);
});

test('a file that could not be prepared for want of memory or rows is prepared again after a while', async (t) => {
  let nowMs = 0;
  t.mock.method(performance, 'now', () => nowMs);
  let attempts = 0;
  const { seen, watcher } = await watched(t, {
    storage: unchanging(async () => ({ bytes: KEYS_B, digest: 'b' })),
    prepare: (bytes) => {
      attempts++;
      return attempts < 3 ? Promise.reject(new Error('no room')) : prepare(bytes);
    },
  });
  for (let i = 0; i < 4; i++) await watcher.check();
  assert.deepEqual([attempts, seen], [1, ['no room']]);
  for (const [atMs, expected] of [
    [29_999, ['no room']],
    [30_000, ['no room']],
    [60_000, ['no room', 'b']],
  ] as const) {
    nowMs = atMs;
    for (let i = 0; i < 3; i++) await watcher.check();
    assert.deepEqual(seen, expected, String(atMs));
  }
  assert.equal(attempts, 3);
});
