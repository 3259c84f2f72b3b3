import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  formatRollBack,
  MarkerError,
  MarkerWatch,
  parseAccept,
  parseRollBack,
  readMarker,
  writeMarker,
} from '../../../src/loader/live/markers.ts';
import { beforeOpening, failWith } from '../../support/failing-system.ts';
import { temporaryFolder } from '../../support/folder.ts';

const ORDER = {
  file: 'old.vdx',
  id: '0123456789abcdef',
  newerThan: { id: 'fedcba9876543210', builtAtMs: Date.UTC(2026, 0, 2, 3, 4, 5, 678) },
  orderedAtMs: Date.UTC(2026, 1, 2),
};

test('a roll-back order is read back as written', () => {
  assert.deepEqual(parseRollBack(formatRollBack(ORDER)), ORDER);
});

test('an invalid order is refused with what is wrong', () => {
  const document = JSON.parse(formatRollBack(ORDER)) as Record<string, unknown>;
  for (const [changes, why] of [
    [{ file: '../old.vdx' }, /file is not the name of a snapshot: "\.\.\/old\.vdx"/],
    [{ file: '.old.vdx' }, /file is not the name/],
    [{ file: 7 }, /file is not the name/],
    [{ id: '0123' }, /id is not a snapshot id of 16 hex digits: "0123"/],
    [{ newer_than: null }, /newer_than is not an object/],
    [{ newer_than: { id: ORDER.id, built_at: 'soon' } }, /newer_than\.built_at is not a time/],
    [{ ordered_at: undefined }, /ordered_at is not a time/],
  ] as const) {
    assert.throws(() => parseRollBack(JSON.stringify({ ...document, ...changes })), {
      name: 'MarkerError',
      message: why,
    });
  }
  for (const text of ['', '{', '[]', 'null', '"x"']) assert.throws(() => parseRollBack(text), MarkerError);
  assert.throws(() => parseAccept('yes'), MarkerError);
});

test('a marker that is a folder, a pipe or too large is refused without waiting', (t) => {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'folder'));
  writeFileSync(join(folder, 'large'), 'x'.repeat(5_000));
  spawnSync('mkfifo', [join(folder, 'pipe')]);
  for (const [name, why] of [
    ['folder', /not a regular file/],
    ['pipe', /not a regular file/],
    ['large', /larger than 4096 bytes/],
    ['missing', /cannot be read \(ENOENT\)/],
  ] as const) {
    assert.throws(() => readMarker(join(folder, name)), { name: 'MarkerError', message: why });
  }
});

test('writing a marker leaves no other file behind', (t) => {
  const folder = temporaryFolder(t);
  writeMarker(join(folder, 'x.accept-shrink'), 'one');
  writeMarker(join(folder, 'x.accept-shrink'), 'two');
  assert.equal(readMarker(join(folder, 'x.accept-shrink')), 'two');
  assert.deepEqual(readdirSync(folder), ['x.accept-shrink']);
});

test('a marker that the system fails to read is reported once and read once possible', (t) => {
  const path = join(temporaryFolder(t), 'x.accept-shrink');
  writeFileSync(path, `${ORDER.id}\n`);
  const problems: string[] = [];
  const watch = new MarkerWatch(path, parseAccept, (_, problem) => problems.push(problem));
  const failure = failWith(t, 'readSync', 'EIO');
  assert.deepEqual([watch.look().kind, watch.look().kind], ['bad', 'bad']);
  failure.end();
  assert.deepEqual(watch.look(), { kind: 'read', value: ORDER.id });
  assert.deepEqual(problems, ['it cannot be read (EIO)']);
});

test('a marker that the system failed to read is absent once it is deleted', (t) => {
  const path = join(temporaryFolder(t), 'x.accept-shrink');
  writeFileSync(path, `${ORDER.id}\n`);
  const watch = new MarkerWatch(path, parseAccept, () => {});
  const failure = failWith(t, 'openSync', 'EACCES');
  assert.equal(watch.look().kind, 'bad');
  failure.end();
  rmSync(path);
  assert.deepEqual([watch.look().kind, watch.look().kind], ['none', 'none']);
});

test('a marker that is deleted between the stat and the read is absent at the next look', (t) => {
  const path = join(temporaryFolder(t), 'x.accept-shrink');
  writeFileSync(path, `${ORDER.id}\n`);
  const watch = new MarkerWatch(path, parseAccept, () => {});
  beforeOpening(t, 1, () => rmSync(path));
  assert.deepEqual([watch.look().kind, watch.look().kind], ['bad', 'none']);
});
