import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Follower, type FollowOptions } from '../../src/fleet/follow.ts';
import type { FollowProblem } from '../../src/fleet/follow-events.ts';
import { MANIFEST_NAME, type Manifest } from '../../src/fleet/manifest.ts';
import { ObjectError } from '../../src/fleet/objects/objects.ts';
import { MemoryStore, type Publication, publishTo, sign } from '../support/fleet/memory-store.ts';
import { type FolderOwner, temporaryFolder } from '../support/folder.ts';
import { until } from '../support/until.ts';

const NOW_MS = Date.parse('2026-01-10T12:00:00Z');
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const A = 'aaaaaaaaaaaaaaaa';
const B = 'bbbbbbbbbbbbbbbb';
const BYTES = Buffer.alloc(10_500, 'first');
const OTHER = Buffer.alloc(9_500, 'other');

const FIRST: Publication = { sequence: 1, id: A, bytes: BYTES };
const SECOND: Publication = { sequence: 2, id: B, bytes: OTHER };

interface Timer {
  readonly ms: number;
  readonly action: () => void;
}

interface Scene {
  readonly store: MemoryStore;
  readonly folder: string;
  readonly timers: Set<Timer>;
  readonly problems: (FollowProblem | undefined)[];
  readonly manifests: number[];
  readonly fetched: string[];
  readonly clocks: number[];
  readonly forgotten: string[];
  nowMs: number;
  follower: Follower;
  /** The first poll, or the next. */
  poll(): Promise<FollowProblem | undefined>;
  /** Another process takes over. */
  restart(options?: Partial<FollowOptions>): Promise<void>;
}

function sceneOf(t: FolderOwner, options: Partial<FollowOptions> = {}): Scene {
  const folder = temporaryFolder(t);
  const store = new MemoryStore();
  let isStarted = false;
  const make = (more: Partial<FollowOptions>): Follower =>
    new Follower({
      source: store,
      folder,
      reading: { parse: (text) => JSON.parse(text) as Manifest, verify: undefined },
      intervalMs: MINUTE_MS,
      maxSnapshotBytes: 1 << 20,
      version: '0.1.0',
      isOrdered: () => false,
      readId: () => undefined,
      nowMs: () => scene.nowMs,
      random: () => 0,
      after: (ms, action) => {
        const timer = { ms, action };
        scene.timers.add(timer);
        return () => scene.timers.delete(timer);
      },
      onPolled: () => {},
      onProblem: (problem) => scene.problems.push(problem),
      onManifest: ({ sequence }) => scene.manifests.push(sequence),
      onBytes: () => {},
      onFetched: ({ snapshot }) => scene.fetched.push(snapshot.id),
      onClock: (aheadMs) => scene.clocks.push(aheadMs),
      onForgotten: (problem) => scene.forgotten.push(problem),
      ...options,
      ...more,
    });
  const scene: Scene = {
    store,
    folder,
    timers: new Set(),
    problems: [],
    manifests: [],
    fetched: [],
    clocks: [],
    forgotten: [],
    nowMs: NOW_MS,
    follower: undefined as unknown as Follower,
    async poll() {
      const polls = scene.problems.length;
      if (isStarted) {
        const [next] = scene.timers;
        scene.timers.delete(next);
        next.action();
      } else scene.follower.start();
      isStarted = true;
      await until('the poll is over', () => scene.problems.length > polls && scene.timers.size === 1);
      return scene.problems.at(-1);
    },
    async restart(more = {}) {
      await scene.follower.stop();
      scene.timers.clear();
      scene.store.asked.length = 0;
      scene.store.sentBytes = 0;
      isStarted = false;
      scene.follower = make(more);
    },
  };
  scene.follower = make({});
  return scene;
}

function memoryIn({ folder }: Scene): Record<string, unknown> {
  return JSON.parse(readFileSync(join(folder, 'source.json'), 'utf8')) as Record<string, unknown>;
}

const filesIn = ({ folder }: Scene): string[] => readdirSync(folder).sort();

function refusedAs(code: string, pattern: RegExp) {
  return (problem: FollowProblem | undefined): void => {
    assert.equal(problem?.kind, 'refused');
    assert.equal(problem.code, code);
    assert.match(problem.message, pattern);
  };
}

test('the snapshot of the manifest comes into the folder, and is wanted before it has its name', async (t) => {
  const scene = sceneOf(t);
  publishTo(scene.store, FIRST);
  assert.equal(await scene.poll(), undefined);
  assert.deepEqual(filesIn(scene), [`fleet-${A}.vdx`, 'source.json']);
  assert.ok(readFileSync(join(scene.folder, `fleet-${A}.vdx`)).equals(BYTES));
  assert.deepEqual(memoryIn(scene).wanted, { id: A, file: `fleet-${A}.vdx` });
  assert.equal(memoryIn(scene).highest_sequence, 1);
  assert.deepEqual(scene.fetched, [A]);
});

test('a poll of an unchanged manifest, and a restart, read not a byte', async (t) => {
  const scene = sceneOf(t);
  publishTo(scene.store, FIRST);
  await scene.poll();
  scene.store.sentBytes = 0;
  assert.equal(await scene.poll(), undefined);
  assert.equal(scene.store.sentBytes, 0);
  await scene.restart();
  assert.equal(await scene.poll(), undefined);
  assert.equal(scene.store.sentBytes, 0);
  assert.deepEqual(scene.store.asked, [MANIFEST_NAME]);
  assert.deepEqual(scene.manifests, [1, 1], 'the manifest is recalled');
});

test('a download that was cut off goes on from there, also in another process', async (t) => {
  const scene = sceneOf(t);
  const { snapshot } = publishTo(scene.store, FIRST);
  scene.store.fault = (name, asked) =>
    name === snapshot.url ? scene.store.half(name, 4000, asked) : undefined;
  const problem = await scene.poll();
  assert.deepEqual(problem, { kind: 'store', message: 'the connection was lost' });
  assert.equal(statSync(join(scene.folder, `fleet-${A}.vdx.part`)).size, 4000);
  assert.equal(memoryIn(scene).wanted, null);
  await scene.restart();
  scene.store.fault = () => undefined;
  assert.equal(await scene.poll(), undefined);
  assert.deepEqual(scene.store.asked, [MANIFEST_NAME, `${snapshot.url} from 4000`]);
  assert.equal(scene.store.sentBytes, BYTES.length - 4000);
  assert.ok(readFileSync(join(scene.folder, `fleet-${A}.vdx`)).equals(BYTES));
});

test('a part of another object is thrown away', async (t) => {
  const scene = sceneOf(t);
  const { snapshot } = publishTo(scene.store, FIRST);
  scene.store.fault = (name, asked) =>
    name === snapshot.url ? scene.store.half(name, 4000, asked) : undefined;
  await scene.poll();
  scene.store.fault = () => undefined;
  publishTo(scene.store, SECOND);
  assert.equal(await scene.poll(), undefined);
  assert.deepEqual(filesIn(scene), [`fleet-${B}.vdx`, 'source.json']);
});

test('a part whose object was replaced under the same name begins anew', async (t) => {
  const scene = sceneOf(t);
  const lying = publishTo(scene.store, { ...FIRST, lie: { url: 'snapshots/one.vdx' } });
  scene.store.objects.set('snapshots/one.vdx', Buffer.alloc(BYTES.length, 'x'));
  scene.store.fault = (name, asked) =>
    name === lying.snapshot.url ? scene.store.half(name, 4000, asked) : undefined;
  await scene.poll();
  scene.store.fault = () => undefined;
  scene.store.objects.set('snapshots/one.vdx', BYTES);
  assert.equal(await scene.poll(), undefined);
  assert.ok(readFileSync(join(scene.folder, `fleet-${A}.vdx`)).equals(BYTES));
});

test('contents that are not what the manifest says are refused, and read at most three times', async (t) => {
  const scene = sceneOf(t);
  const { snapshot } = publishTo(scene.store, FIRST);
  scene.store.objects.set(snapshot.url, Buffer.alloc(BYTES.length, 'x'));
  for (let i = 0; i < 3; i++)
    refusedAs('wrong-hash', /its SHA-256 is \w{64}, and the manifest says/)(await scene.poll());
  assert.equal(scene.store.sentBytes, 3 * BYTES.length + scene.store.objects.get(MANIFEST_NAME)!.length);
  refusedAs('wrong-hash', /still another file than the manifest says/)(await scene.poll());
  assert.equal(scene.store.sentBytes, 3 * BYTES.length + scene.store.objects.get(MANIFEST_NAME)!.length);
  assert.deepEqual(filesIn(scene), ['source.json']);
  scene.store.objects.set(snapshot.url, BYTES);
  assert.equal(await scene.poll(), undefined);
});

test('a size that lies is refused before anything is read, or as soon as it shows', async (t) => {
  const scene = sceneOf(t);
  publishTo(scene.store, { ...FIRST, lie: { size: BYTES.length + 1 } });
  const before = scene.store.objects.get(MANIFEST_NAME)!.length;
  refusedAs('wrong-size', /it has 10500 bytes, and the manifest says 10501/)(await scene.poll());
  assert.ok(scene.store.sentBytes <= before + scene.store.chunkBytes);

  const { snapshot } = publishTo(scene.store, { ...FIRST, sequence: 2, lie: { size: 2500 } });
  scene.store.fault = (name) =>
    name !== snapshot.url
      ? undefined
      : {
          kind: 'found',
          etag: undefined,
          bytes: undefined,
          from: 0,
          body: (async function* () {
            for (;;) yield new Uint8Array(1000);
          })(),
        };
  refusedAs('wrong-size', /it has more bytes, and the manifest says 2500/)(await scene.poll());
  assert.deepEqual(filesIn(scene), ['source.json']);
});

test('an older sequence is refused, also after a restart', async (t) => {
  const scene = sceneOf(t);
  publishTo(scene.store, { ...SECOND, sequence: 7 });
  await scene.poll();
  publishTo(scene.store, { ...FIRST, sequence: 6 });
  const isOlder = refusedAs('older-sequence', /^manifest 6 is refused: manifest 7 was seen before/);
  isOlder(await scene.poll());
  await scene.restart();
  isOlder(await scene.poll());
  assert.deepEqual((memoryIn(scene).wanted as { id: string }).id, B);
});

test('an older build with a higher sequence is followed', async (t) => {
  const scene = sceneOf(t);
  publishTo(scene.store, FIRST);
  await scene.poll();
  publishTo(scene.store, SECOND);
  await scene.poll();
  scene.store.sentBytes = 0;
  publishTo(scene.store, { ...FIRST, sequence: 3 });
  assert.equal(await scene.poll(), undefined);
  assert.deepEqual(memoryIn(scene).wanted, { id: A, file: `fleet-${A}.vdx` });
  assert.deepEqual(memoryIn(scene).previous, { id: B, file: `fleet-${B}.vdx` });
  assert.ok(scene.store.sentBytes < 1000, 'the file is still there');
});

test('a manifest with its end in the past is refused; a clock ten minutes off refuses nothing', async (t) => {
  const scene = sceneOf(t);
  const expires = new Date(NOW_MS + MINUTE_MS).toISOString();
  publishTo(scene.store, { ...FIRST, change: { expires } });
  scene.nowMs = NOW_MS + 10 * MINUTE_MS;
  assert.equal(await scene.poll(), undefined);
  scene.nowMs = NOW_MS - 10 * MINUTE_MS;
  assert.equal(await scene.poll(), undefined);
  scene.nowMs = NOW_MS + HOUR_MS;
  const isExpired = refusedAs('expired', /^manifest 1 is refused: it ended at 2026-01-10T12:01:00.000Z/);
  isExpired(await scene.poll());
  assert.deepEqual(filesIn(scene), [`fleet-${A}.vdx`, 'source.json'], 'what is here stays');
  publishTo(scene.store, { ...SECOND, change: { expires } });
  isExpiredOf(2)(await scene.poll());
});

test('a download that was cut off is not continued for a manifest that has ended', async (t) => {
  const scene = sceneOf(t);
  const { snapshot } = publishTo(scene.store, FIRST);
  scene.store.fault = (name, asked) =>
    name === snapshot.url ? scene.store.half(name, 4000, asked) : undefined;
  await scene.poll();
  scene.store.fault = () => undefined;
  scene.nowMs += 60 * 24 * HOUR_MS;
  await scene.restart();
  isExpiredOf(1)(await scene.poll());
  assert.deepEqual(scene.store.asked, [MANIFEST_NAME]);
});

function isExpiredOf(sequence: number) {
  return refusedAs('expired', new RegExp(`^manifest ${sequence} is refused`));
}

test('how far the clock is ahead of the store is told', async (t) => {
  const scene = sceneOf(t);
  publishTo(scene.store, FIRST);
  scene.store.storeTimeMs = NOW_MS - 10 * MINUTE_MS;
  await scene.poll();
  await scene.poll();
  assert.deepEqual(scene.clocks, [10 * MINUTE_MS, 10 * MINUTE_MS]);
});

test('two manifests of one second are told apart, though their server’s tags are the same', async (t) => {
  const scene = sceneOf(t);
  scene.store.changedAtMs = NOW_MS;
  scene.store.storeTimeMs = NOW_MS + 1_000;
  publishTo(scene.store, FIRST);
  await scene.poll();
  publishTo(scene.store, SECOND);
  await scene.poll();
  assert.deepEqual(scene.manifests, [1, 2]);
  scene.store.storeTimeMs = NOW_MS + 2_000;
  await scene.poll();
  await scene.poll();
  assert.deepEqual(scene.manifests, [1, 2, 2], 'from then on the tag is believed');
});

const VERIFY_K1 = {
  parse: (text: string) => JSON.parse(text) as Manifest,
  verify: (text: string, signature: string) => {
    if (signature !== sign(text, 'k1')) throw new Error('another key');
  },
};

test('with a key, a manifest that is unsigned or signed by another key is refused', async (t) => {
  const scene = sceneOf(t, { reading: VERIFY_K1 });
  publishTo(scene.store, FIRST);
  refusedAs('unsigned', /the manifest has no signature signatures\/\w{64}\.minisig/)(await scene.poll());
  publishTo(scene.store, { ...FIRST, signedBy: 'k2' });
  refusedAs('bad-signature', /does not hold \(another key\)/)(await scene.poll());
  assert.deepEqual(filesIn(scene), [], 'nothing is remembered');
  publishTo(scene.store, { ...FIRST, signedBy: 'k1' });
  assert.equal(await scene.poll(), undefined);
});

test('a manifest that is replaced before its signature is read is read once more', async (t) => {
  const scene = sceneOf(t, { reading: VERIFY_K1 });
  publishTo(scene.store, { ...FIRST, signedBy: 'k1' });
  let hasChanged = false;
  scene.store.fault = (name) => {
    if (hasChanged || !name.startsWith('signatures/')) return undefined;
    hasChanged = true;
    for (const each of scene.store.objects.keys())
      if (each.startsWith('sig')) scene.store.objects.delete(each);
    publishTo(scene.store, { ...SECOND, signedBy: 'k1' });
    return undefined;
  };
  assert.equal(await scene.poll(), undefined);
  assert.deepEqual(scene.manifests, [2]);
});

test('after a restart without the key that signed it, what is remembered does not count', async (t) => {
  const scene = sceneOf(t, { reading: VERIFY_K1 });
  publishTo(scene.store, { ...FIRST, signedBy: 'k1' });
  await scene.poll();
  const verify = (): void => assert.fail('revoked');
  await scene.restart({ reading: { ...VERIFY_K1, verify } });
  refusedAs('bad-signature', /revoked/)(await scene.poll());
  assert.ok(existsSync(join(scene.folder, `fleet-${A}.vdx`)));
});

test('a manifest that is revoked by a later one is refused', async (t) => {
  const scene = sceneOf(t);
  publishTo(scene.store, { ...SECOND, sequence: 9, change: { revoked_sequence_below: 9 } });
  await scene.poll();
  publishTo(scene.store, { ...FIRST, sequence: 8 });
  refusedAs('revoked', /^manifest 8 is refused: its publisher has revoked all below 9/)(await scene.poll());
  await scene.restart();
  refusedAs('revoked', /revoked all below 9/)(await scene.poll());
  publishTo(scene.store, { ...FIRST, sequence: 9, change: { revoked_sequence_below: 12 } });
  refusedAs('revoked', /revoked all below 12/)(await scene.poll());
});

test('a manifest for a newer server, or with too large a snapshot, is refused', async (t) => {
  const scene = sceneOf(t, { maxSnapshotBytes: 10_000 });
  publishTo(scene.store, { ...SECOND, change: { min_server_version: '0.2.0-rc.1' } });
  refusedAs(
    'server-too-old',
    /requires version 0\.2\.0-rc\.1, and this is 0\.1\.0; install/,
  )(await scene.poll());
  publishTo(scene.store, FIRST);
  refusedAs('too-large', /10500 bytes, more than 10000; raise --max-snapshot-bytes/)(await scene.poll());
});

test('a web page in place of a manifest is named', async (t) => {
  const scene = sceneOf(t);
  scene.store.objects.set(MANIFEST_NAME, Buffer.from('<!doctype html><title>Sign in</title>'));
  refusedAs('not-a-manifest', /this is a web page and not a manifest; check --source/)(await scene.poll());
  scene.store.objects.set(MANIFEST_NAME, new Uint8Array(70_000));
  assert.match((await scene.poll())?.message ?? '', /the manifest: it has more than 65536 bytes/);
});

test('a store without a manifest or a snapshot is named', async (t) => {
  const scene = sceneOf(t);
  assert.match((await scene.poll())?.message ?? '', /there is no manifest; check --source/);
  const { snapshot } = publishTo(scene.store, FIRST);
  scene.store.objects.delete(snapshot.url);
  refusedAs('missing', /the manifest names it, and it is not there/)(await scene.poll());
});

test('a store that answers too slowly is given up for now', async (t) => {
  const scene = sceneOf(t);
  const { snapshot } = publishTo(scene.store, FIRST);
  scene.store.fault = (name, { signal }) =>
    name !== snapshot.url
      ? undefined
      : new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  scene.follower.start();
  await until('it waits', () => scene.store.asked.includes(snapshot.url));
  const [limit] = scene.timers;
  assert.equal(limit.ms, 10 * MINUTE_MS);
  limit.action();
  await until('the poll is over', () => scene.problems.length === 1);
  assert.match(scene.problems[0]?.message ?? '', /not complete after 600 s; it is continued from there/);
});

test('waits grow with failures in a row, and end with them', async (t) => {
  const scene = sceneOf(t);
  scene.store.fault = () => {
    throw new ObjectError('status 503', true);
  };
  const waits: number[] = [];
  for (let i = 0; i < 8; i++) {
    await scene.poll();
    waits.push([...scene.timers][0].ms / 1000);
  }
  assert.deepEqual(waits, [7.5, 15, 30, 60, 120, 240, 300, 300]);
  scene.store.fault = () => undefined;
  publishTo(scene.store, FIRST);
  await scene.poll();
  assert.equal([...scene.timers][0].ms, MINUTE_MS);
  publishTo(scene.store, { ...SECOND, sequence: 0 });
  for (let i = 0; i < 3; i++) await scene.poll();
  assert.equal([...scene.timers][0].ms, MINUTE_MS, 'a store that answers is asked as ever');
});

test('files that were fetched are removed when three newer ones are there, and nobody else’s ever', async (t) => {
  const ordered = `fleet-${'2'.repeat(16)}.vdx`;
  const scene = sceneOf(t, { isOrdered: (file) => file === ordered });
  const foreign = [`fleet-${'f'.repeat(16)}.vdx`, 'own.vdx'];
  for (const name of foreign) writeFileSync(join(scene.folder, name), 'x');
  for (let sequence = 1; sequence <= 6; sequence++) {
    publishTo(scene.store, { sequence, id: String(sequence).repeat(16), bytes: Buffer.from(`${sequence}`) });
    assert.equal(await scene.poll(), undefined);
  }
  const own = [ordered, ...['5', '6'].map((digit) => `fleet-${digit.repeat(16)}.vdx`)];
  assert.deepEqual(filesIn(scene), [...own, ...foreign, 'source.json'].sort());
});

test('a new time for the same snapshot is remembered without a download', async (t) => {
  const scene = sceneOf(t);
  const activate_at = new Date(NOW_MS + HOUR_MS).toISOString();
  publishTo(scene.store, { ...FIRST, change: { activate_at } });
  await scene.poll();
  assert.deepEqual(memoryIn(scene).wanted, { id: A, file: `fleet-${A}.vdx`, activate_at });
  publishTo(scene.store, { ...FIRST, sequence: 2 });
  scene.store.asked.length = 0;
  await scene.poll();
  assert.deepEqual(scene.store.asked, [MANIFEST_NAME]);
  assert.deepEqual(memoryIn(scene).wanted, { id: A, file: `fleet-${A}.vdx` });
});

test('while a snapshot waits for its time, the one before it is remembered', async (t) => {
  const scene = sceneOf(t);
  publishTo(scene.store, FIRST);
  await scene.poll();
  const activate_at = new Date(NOW_MS + HOUR_MS).toISOString();
  for (const [sequence, id] of [
    [2, B],
    [3, 'c'.repeat(16)],
  ] as const) {
    publishTo(scene.store, { sequence, id, bytes: Buffer.from(id), change: { activate_at } });
    await scene.poll();
    assert.deepEqual(memoryIn(scene).previous, { id: A, file: `fleet-${A}.vdx` });
  }
});

test('what is remembered of another source, or damaged, is of no use', async (t) => {
  const scene = sceneOf(t);
  publishTo(scene.store, { ...FIRST, sequence: 5 });
  await scene.poll();
  await scene.restart();
  scene.store.shownAs = 'memory://another/latest.json';
  publishTo(scene.store, { ...SECOND, sequence: 1 });
  assert.equal(await scene.poll(), undefined);
  assert.deepEqual(scene.forgotten, ['it is about another source, memory://store/latest.json']);
  await scene.restart();
  writeFileSync(join(scene.folder, 'source.json'), '{"format":1,"source":');
  assert.equal(await scene.poll(), undefined);
  assert.equal(scene.forgotten.at(-1), 'it is not what a server writes');
});

test('a folder that cannot be written is named', async (t) => {
  const scene = sceneOf(t, { folder: join(temporaryFolder(t), 'nowhere') });
  publishTo(scene.store, FIRST);
  const problem = await scene.poll();
  assert.equal(problem?.kind, 'system');
  assert.match(problem.message, /ENOENT/);
});

test('a stop in the middle of a download keeps what has arrived', async (t) => {
  const scene = sceneOf(t);
  const { snapshot } = publishTo(scene.store, FIRST);
  scene.store.fault = (name, asked) =>
    name !== snapshot.url
      ? undefined
      : {
          kind: 'found',
          etag: '"x"',
          bytes: BYTES.length,
          from: 0,
          body: (async function* () {
            yield BYTES.subarray(0, 3000);
            asked.signal.throwIfAborted();
            await new Promise((_, reject) => {
              asked.signal.addEventListener('abort', () => reject(asked.signal.reason));
            });
          })(),
        };
  scene.follower.start();
  const part = join(scene.folder, `fleet-${A}.vdx.part`);
  await until('it waits', () => existsSync(part) && statSync(part).size === 3000);
  await scene.follower.stop();
  assert.deepEqual(scene.problems, []);
  assert.equal(statSync(part).size, 3000);
});

test('a saved tag that cannot be sent, or is refused for good, is not sent again', async (t) => {
  const scene = sceneOf(t);
  publishTo(scene.store, FIRST);
  await scene.poll();
  const memory = memoryIn(scene) as { manifest: { etag?: string } };
  assert.ok(memory.manifest.etag);
  memory.manifest.etag = '"caf\u00e9"';
  writeFileSync(join(scene.folder, 'source.json'), JSON.stringify(memory));
  await scene.restart();
  const tags: (string | undefined)[] = [];
  let refuses = false;
  scene.store.fault = (name, { etag }) => {
    if (name !== MANIFEST_NAME) return undefined;
    tags.push(etag);
    if (refuses && etag !== undefined) throw new ObjectError('it could not be sent', false);
    return undefined;
  };
  assert.equal(await scene.poll(), undefined);
  refuses = true;
  assert.equal((await scene.poll())?.kind, 'store');
  assert.equal(await scene.poll(), undefined);
  assert.deepEqual(
    tags.map((tag) => tag !== undefined),
    [false, true, false],
  );
});

test('a snapshot with another id than the manifest says is a problem, and does not get its name', async (t) => {
  let id = B;
  const scene = sceneOf(t, { readId: () => id });
  publishTo(scene.store, FIRST);
  refusedAs('wrong-id', new RegExp(`its id is ${B}, and the manifest says ${A}`))(await scene.poll());
  assert.deepEqual([filesIn(scene), scene.fetched], [['source.json'], []]);
  id = A;
  assert.equal(await scene.poll(), undefined);
  assert.deepEqual(scene.fetched, [A]);
});

test('a file that the loader refuses is fetched again if it is damaged here, and only then', async (t) => {
  const scene = sceneOf(t);
  publishTo(scene.store, FIRST);
  await scene.poll();
  const path = join(scene.folder, `fleet-${A}.vdx`);
  scene.follower.suspect(`fleet-${A}.vdx`);
  await scene.poll();
  assert.deepEqual(scene.fetched, [A]);
  writeFileSync(path, Buffer.alloc(BYTES.length, 'x'));
  scene.follower.suspect(`fleet-${A}.vdx`);
  scene.store.fault = (name) => {
    if (name !== MANIFEST_NAME) throw new ObjectError('down', true);
    return undefined;
  };
  assert.equal((await scene.poll())?.kind, 'store');
  scene.store.fault = () => undefined;
  assert.equal(await scene.poll(), undefined);
  assert.deepEqual(scene.fetched, [A, A]);
  assert.ok(readFileSync(path).equals(BYTES));
  assert.deepEqual(filesIn(scene), [`fleet-${A}.vdx`, 'source.json']);
});

test('a sequence that leaps is refused, so that nobody can take the last one', async (t) => {
  const scene = sceneOf(t);
  publishTo(scene.store, FIRST);
  await scene.poll();
  for (const sequence of [1_000_002, Number.MAX_SAFE_INTEGER]) {
    publishTo(scene.store, { ...SECOND, sequence });
    refusedAs(
      'sequence-jump',
      /more than 1000000 above the highest seen, 1; .*its key has leaked/,
    )(await scene.poll());
    assert.equal(memoryIn(scene).highest_sequence, 1);
  }
  publishTo(scene.store, { ...SECOND, sequence: 1_000_001 });
  assert.equal(await scene.poll(), undefined);
});
