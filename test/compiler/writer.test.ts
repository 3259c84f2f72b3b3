import assert from 'node:assert/strict';
import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { SnapshotWriter } from '../../src/compiler/writer.ts';
import { HEADER_BYTES, parseHeader, SECTIONS, SNAPSHOT_SUFFIX } from '../../src/loader/format.ts';
import { temporaryFolder } from '../support/folder.ts';
import { BUILT_AT_MS } from '../support/snapshots/snapshots.ts';

function writeSections(writer: SnapshotWriter, lengths: readonly number[]): void {
  SECTIONS.forEach((name, i) => {
    writer.append(new Uint8Array(lengths[i]).fill(i + 1));
    writer.endSection(name);
  });
}

test('sections begin at multiples of 8, with zeros between, and the last ends the file', (t) => {
  const folder = temporaryFolder(t);
  const writer = new SnapshotWriter(folder);
  writeSections(writer, [5, 8, 3, 4, 8]);
  const written = writer.publish(BUILT_AT_MS, () => join(folder, 'x.vdx'));
  const bytes = new Uint8Array(readFileSync(written.path));
  assert.deepEqual(written.sections, {
    texts: { offset: 192, length: 5 },
    details: { offset: 200, length: 8 },
    bodies: { offset: 208, length: 3 },
    index: { offset: 216, length: 4 },
    origins: { offset: 224, length: 8 },
  });
  assert.deepEqual(parseHeader(bytes).sections, written.sections);
  assert.equal(bytes.length, 232);
  assert.equal(written.totalBytes, 232);
  assert.deepEqual(
    [...bytes.subarray(HEADER_BYTES)].join(''),
    `${'1'.repeat(5)}000${'2'.repeat(8)}33300000444400005555${'5'.repeat(4)}`,
  );
});

test('a server would ignore the file while it is being written', (t) => {
  const folder = temporaryFolder(t);
  const writer = new SnapshotWriter(folder);
  writeSections(writer, [1, 1, 1, 1, 1]);
  for (const name of readdirSync(folder)) {
    assert.ok(name.startsWith('.') && !name.endsWith(SNAPSHOT_SUFFIX), name);
  }
  writer.abandon();
  assert.deepEqual(readdirSync(folder), []);
});

test('the name is requested with the id when everything is on disk; an error there leaves the target unchanged', (t) => {
  const folder = temporaryFolder(t);
  const target = join(folder, 'x.vdx');
  writeFileSync(target, 'what was there');
  const writer = new SnapshotWriter(folder);
  writeSections(writer, [1, 1, 1, 1, 1]);
  const refuse = (id: string): string => {
    assert.match(id, /^[0-9a-f]{16}$/);
    throw new Error('refused');
  };
  assert.throws(() => writer.publish(BUILT_AT_MS, refuse), /refused/);
  writer.abandon();
  assert.deepEqual(readdirSync(folder), ['x.vdx']);
  assert.equal(readFileSync(target, 'utf8'), 'what was there');
});

test('when the name is requested, the temporary file is what will be published', (t) => {
  const folder = temporaryFolder(t);
  const writer = new SnapshotWriter(folder);
  writeSections(writer, [1, 1, 1, 1, 1]);
  let seen: Buffer | undefined;
  const { path } = writer.publish(BUILT_AT_MS, () => {
    seen = readFileSync(writer.temporaryPath);
    return join(folder, 'x.vdx');
  });
  assert.deepEqual(readFileSync(path), seen);
});

test('a target that cannot be replaced leaves nothing behind', (t) => {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'x.vdx'));
  const writer = new SnapshotWriter(folder);
  writeSections(writer, [1, 1, 1, 1, 1]);
  assert.throws(() => writer.publish(BUILT_AT_MS, () => join(folder, 'x.vdx')), { code: 'EISDIR' });
  writer.abandon();
  assert.deepEqual(readdirSync(folder), ['x.vdx']);
});

test('a folder that is a file or does not exist cannot be written to', (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'file'), '');
  assert.throws(() => new SnapshotWriter(join(folder, 'file')), { code: 'ENOTDIR' });
  assert.throws(() => new SnapshotWriter(join(folder, 'nothing')), { code: 'ENOENT' });
});

test('aborting after publishing does not close a reused descriptor', (t) => {
  const folder = temporaryFolder(t);
  const writer = new SnapshotWriter(folder);
  writeSections(writer, [1, 1, 1, 1, 1]);
  const { path } = writer.publish(BUILT_AT_MS, () => join(folder, 'x.vdx'));
  const descriptor = openSync(path, 'r'); // takes the lowest free number: the writer's
  writer.abandon();
  assert.doesNotThrow(() => fstatSync(descriptor));
  closeSync(descriptor);
});
