import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { guardAgainstLoss, LossError, type LossGuard } from '../../../src/cli/guards/loss-guard.ts';
import { openPrevious } from '../../../src/cli/sources/previous-snapshot.ts';
import { SnapshotError } from '../../../src/loader/errors.ts';
import { type FeedJson, feedRecord } from '../../support/feeds/advisories.ts';
import { temporaryFolder } from '../../support/folder.ts';
import {
  compileRecords,
  copyColumns,
  forged,
  readBytes,
  withFlippedBit,
  writeBytes,
} from '../../support/snapshots/snapshots.ts';

const LIMITS = { maxWithdrawn: 10, maxShrink: 20 };

/** `count` records; those of the ids in `changes` differ. */
function records(count: number, changes: { readonly [id: number]: FeedJson } = {}): FeedJson[] {
  return Array.from({ length: count }, (_, i) =>
    feedRecord(i + 1, { sources: [{ name: i < 5 ? 'Small\nsource' : 'Large' }], ...changes[i + 1] }),
  );
}

async function makeGuard(
  t: TestContext,
  previous: readonly FeedJson[],
  next: readonly FeedJson[],
): Promise<LossGuard> {
  const folder = temporaryFolder(t);
  const previousPath = await compileRecords(folder, previous, { name: 'previous.vdx' });
  const nextPath = await compileRecords(folder, next, { name: 'next.vdx' });
  return { previousPath, nextPath, ...LIMITS };
}

/** The lines reported, and the message of the refusal. */
function run(guard: LossGuard): { readonly lines: readonly string[]; readonly message: string | undefined } {
  const lines: string[] = [];
  try {
    guardAgainstLoss(guard, (line) => lines.push(line));
  } catch (error) {
    if (!(error instanceof LossError)) throw error;
    return { lines, message: error.message };
  }
  return { lines, message: undefined };
}

test('a snapshot within the limits passes without a word', async (t) => {
  const withdrawn_at = '2026-02-01T00:00:00Z';
  const guard = await makeGuard(t, records(60), records(60, { 60: { withdrawn_at }, 59: { withdrawn_at } }));
  assert.deepEqual(run(guard), { lines: [], message: undefined });
});

test('a refusal says how much was lost, of which source, and names some advisories', async (t) => {
  const withdrawn_at = '2026-02-01T00:00:00Z';
  const next = records(40, { 3: { withdrawn_at, title: 'Later title' } });
  const guard = await makeGuard(t, records(60, { 60: { title: 'Red \u001b[31m' } }), next);
  const keepRefusedAs = join(guard.previousPath, '..', '.refused.vdx');
  const { lines, message } = run({ ...guard, keepRefusedAs });
  assert.deepEqual(lines, [
    'published advisories: 39 after 60, 35.0 % fewer (--max-shrink 20 refuses 20 % and more)',
    'all sources: 21 of 60 published advisories lost, 35.0 % (1 withdrawn, 20 gone; --max-withdrawn 10 allows up to 10 %)',
    '  60 gone: Red  [31m',
    '  59 gone: Advisory 59',
    '  58 gone: Advisory 58',
    '  57 gone: Advisory 57',
    '  56 gone: Advisory 56',
    'source Large: 20 of 55 published advisories lost, 36.4 % (0 withdrawn, 20 gone; --max-withdrawn 10 allows up to 10 %)',
    '  60 gone: Red  [31m',
    '  59 gone: Advisory 59',
    '  58 gone: Advisory 58',
    '  57 gone: Advisory 57',
    '  56 gone: Advisory 56',
    'source Small source: 1 of 5 published advisories lost, 20.0 % (1 withdrawn, 0 gone; --max-withdrawn 10 allows up to 10 %)',
    '  3 withdrawn: Advisory 3',
  ]);
  assert.equal(
    message,
    `refused: the new snapshot lost too much of ${guard.previousPath}; nothing was published; ` +
      `look at it with: vulndex diff ${guard.previousPath} ${keepRefusedAs}; ` +
      'if the loss is intended, run this again with --max-withdrawn 37 --max-shrink 37',
  );
  assert.ok(existsSync(keepRefusedAs));
  assert.ok(!existsSync(guard.nextPath));
});

test('the options that the message names are the lowest that let the snapshot pass', async (t) => {
  for (const [before, after] of [
    [10, 7],
    [7, 3],
    [60, 1],
    [3, 2],
  ]) {
    const guard = await makeGuard(t, records(before), records(after));
    const options = /--max-withdrawn (\d+) --max-shrink (\d+)$/.exec(run(guard).message ?? '');
    assert.ok(options !== null, `${before} ${after}`);
    const [maxWithdrawn, maxShrink] = [Number(options[1]), Number(options[2])];
    assert.equal(run({ ...guard, maxWithdrawn, maxShrink }).message, undefined);
    assert.ok(run({ ...guard, maxWithdrawn: maxWithdrawn - 1, maxShrink }).message);
    assert.ok(run({ ...guard, maxWithdrawn, maxShrink: maxShrink - 1 }).message);
  }
});

test('without a place to keep it, a refused snapshot stays where it is', async (t) => {
  const guard = await makeGuard(t, records(10), records(1));
  assert.match(run(guard).message ?? '', /; nothing was published; if the loss is intended/);
  assert.ok(existsSync(guard.nextPath));
});

test('a previous snapshot that is open is not read again, unless the file has become another', async (t) => {
  const guard = await makeGuard(t, records(60), records(40));
  const opened = openPrevious(guard.previousPath, (line) => assert.fail(line));
  assert.ok(opened);
  const read = run(guard);
  let calls = 0;
  const termAt = (term: number): unknown => {
    calls++;
    return opened.termAt(term);
  };
  assert.deepEqual(run({ ...guard, opened: { ...opened, termAt } }), read);
  assert.ok(calls > 0);
  calls = 0;
  const other = { ...guard, previousPath: guard.nextPath };
  assert.deepEqual(run({ ...other, opened: { ...opened, termAt } }), run(other));
  assert.equal(calls, 0);
});

test('a damaged previous snapshot is an error, not an empty one', async (t) => {
  const guard = await makeGuard(t, records(10), records(10));
  const bytes = readBytes(guard.previousPath);
  const folder = temporaryFolder(t);
  const forge = (name: string, file: Uint8Array): string => writeBytes(folder, name, file);
  const terms = copyColumns(bytes).termBytes.fill(0xc1); // a byte that MessagePack never uses
  for (const previousPath of [
    forge('flipped.vdx', withFlippedBit(bytes, bytes.length - 20)),
    forge('terms.vdx', forged(bytes, { columns: () => ({ termBytes: terms }) })),
  ]) {
    assert.throws(
      () => guardAgainstLoss({ ...guard, previousPath }, () => {}),
      (error) => error instanceof SnapshotError,
    );
  }
});
