import assert from 'node:assert/strict';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { LossError } from '../../../src/cli/guards/loss-guard.ts';
import {
  examineLosses,
  type PublicationGuard,
  requirePrevious,
} from '../../../src/cli/guards/publication-guard.ts';
import { type FeedJson, feedRecord } from '../../support/feeds/advisories.ts';
import { temporaryFolder } from '../../support/folder.ts';
import {
  BUILT_AT_MS,
  compileRecords,
  readBytes,
  withFlippedBit,
  writeBytes,
} from '../../support/snapshots/snapshots.ts';

const LIMITS = { maxWithdrawn: 10, maxShrink: 20 };

const records = (count: number): FeedJson[] => Array.from({ length: count }, (_, i) => feedRecord(i + 1));

interface Scene {
  readonly folder: string;
  /** Writes a snapshot of that many advisories into the folder; later calls make newer ones. */
  add(name: string, count: number): Promise<string>;
  /** What is said when a snapshot of that many advisories is about to be published there. */
  examine(
    count: number,
    guard?: Partial<PublicationGuard>,
    target?: string,
  ): Promise<{ readonly lines: readonly string[]; readonly error: unknown }>;
}

function makeScene(t: TestContext): Scene {
  const folder = temporaryFolder(t);
  const elsewhere = temporaryFolder(t);
  let made = 0;
  return {
    folder,
    add: async (name, count) => {
      const builtAtMs = BUILT_AT_MS + made++;
      const path = await compileRecords(folder, records(count), { name, builtAtMs });
      rmSync(`${path}.ndjson`);
      return path;
    },
    examine: async (count, guard, target = join(folder, 'next.vdx')) => {
      const path = await compileRecords(elsewhere, records(count), { name: 'candidate.vdx' });
      const lines: string[] = [];
      const place = { kind: 'folder', path: folder } as const;
      try {
        examineLosses({ previous: undefined, place, ...LIMITS, ...guard }, { path, target }, (line) =>
          lines.push(line),
        );
        return { lines, error: undefined };
      } catch (error) {
        return { lines, error };
      }
    },
  };
}

test('the first snapshot of a folder is compared with nothing', async (t) => {
  const { folder, examine } = makeScene(t);
  assert.deepEqual(await examine(1), { lines: [], error: undefined });
  const place = { kind: 'folder', path: join(folder, 'not-yet') } as const;
  assert.deepEqual(await examine(1, { place }), { lines: [], error: undefined });
});

test('in a folder, the newest snapshot counts, whatever the names', async (t) => {
  const { add, examine } = makeScene(t);
  await add('z.vdx', 1000);
  await add('a.vdx', 10);
  assert.equal((await examine(10)).error, undefined);
  assert.ok((await examine(5)).error instanceof LossError);
});

test('for a file, the one that it replaces counts, and no other in its folder', async (t) => {
  const { folder, add, examine } = makeScene(t);
  const path = await add('one.vdx', 10);
  await add('two.vdx', 1000);
  const file = (name: string) => ({ kind: 'file', path: join(folder, name) }) as const;
  assert.equal((await examine(10, { place: file('one.vdx') }, path)).error, undefined);
  assert.ok((await examine(5, { place: file('one.vdx') }, path)).error instanceof LossError);
  assert.equal((await examine(5, { place: file('new.vdx') })).error, undefined);
});

test('a named snapshot counts before all others, also for standard output', async (t) => {
  const { add, examine } = makeScene(t);
  const previous = await add('named.vdx', 10);
  await add('newest.vdx', 1000);
  assert.equal((await examine(10, { previous })).error, undefined);
  assert.equal((await examine(10, { previous, place: undefined })).error, undefined);
  assert.ok((await examine(5, { previous, place: undefined })).error instanceof LossError);
});

test('a refused snapshot is kept under a name that servers ignore, until one is published', async (t) => {
  const { folder, add, examine } = makeScene(t);
  const path = await add('one.vdx', 10);
  await examine(5);
  assert.deepEqual(readdirSync(folder).toSorted(), ['.refused.vdx', 'one.vdx']);
  await examine(10);
  assert.deepEqual(readdirSync(folder), ['one.vdx']);
  const { error } = await examine(5, { place: { kind: 'file', path } }, path);
  assert.match(String(error), /vulndex diff \S*\/one\.vdx \S*\/\.one\.refused\.vdx; /);
  assert.ok(existsSync(join(folder, '.one.refused.vdx')));
});

test('a damaged snapshot in the folder is passed over with a warning, and the next older one counts', async (t) => {
  const { folder, add, examine } = makeScene(t);
  await add('older.vdx', 10);
  const newest = await add('newest.vdx', 10);
  const bytes = readBytes(newest);
  writeBytes(folder, 'newest.vdx', withFlippedBit(bytes, bytes.length - 9));
  writeFileSync(join(folder, 'foreign.vdx'), 'hello');
  const { lines, error } = await examine(5);
  assert.ok(error instanceof LossError);
  assert.match(
    lines[0],
    /^warning: .*foreign\.vdx: snapshot rejected: foreign-file.*; not compared with it$/,
  );
  assert.match(
    lines[1],
    /^warning: .*newest\.vdx: snapshot rejected: checksum-mismatch.*; not compared with it$/,
  );
  assert.match(lines[2], /^published advisories: 5 after 10, 50\.0 % fewer/);
});

test('a named snapshot must be sound', async (t) => {
  const { folder, add, examine } = makeScene(t);
  const previous = await add('named.vdx', 10);
  await requirePrevious(undefined);
  await requirePrevious(previous);
  await assert.rejects(requirePrevious('-'), { name: 'UsageError' });
  await assert.rejects(requirePrevious(folder), { name: 'CommandError', message: /this is a folder/ });
  const bytes = readBytes(previous);
  writeBytes(folder, 'named.vdx', withFlippedBit(bytes, bytes.length - 9));
  const { error } = await examine(10, { previous });
  assert.match(String(error), /^CommandError: .*named\.vdx: snapshot rejected: checksum-mismatch/);
  const missing = join(folder, 'nothing.vdx');
  await assert.rejects(requirePrevious(missing), {
    name: 'CommandError',
    message: /nothing\.vdx: no such file/,
  });
});

test('a named snapshot of another release is passed over with a warning', async (t) => {
  const { folder, add, examine } = makeScene(t);
  const previous = await add('named.vdx', 10);
  const bytes = readBytes(previous).slice();
  bytes[8]--; // the format number
  writeBytes(folder, 'named.vdx', bytes);
  await requirePrevious(previous);
  const { lines, error } = await examine(5, { previous });
  assert.equal(error, undefined);
  assert.equal(lines.length, 1);
  assert.match(
    lines[0],
    /^warning: .*named\.vdx: snapshot rejected: unsupported-format.*; not compared with it$/,
  );
});

test('a new snapshot that does not read back is not taken for a fault of the previous one', async (t) => {
  const { folder, add } = makeScene(t);
  const previous = await add('named.vdx', 10);
  const bytes = readBytes(previous);
  const path = writeBytes(folder, '.next', withFlippedBit(bytes, bytes.length - 9));
  const place = { kind: 'folder', path: folder } as const;
  assert.throws(
    () =>
      examineLosses(
        { previous: undefined, place, ...LIMITS },
        { path, target: join(folder, 'x.vdx') },
        () => {},
      ),
    { name: 'CommandError', message: /\.next: the new snapshot cannot be read back .*; check the disk$/ },
  );
});
