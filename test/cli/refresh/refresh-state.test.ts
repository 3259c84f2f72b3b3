import assert from 'node:assert/strict';
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { combine, fingerprintOf, readState, writeState } from '../../../src/cli/refresh/refresh-state.ts';
import { temporaryFolder } from '../../support/folder.ts';

test('a state is read as it was written; a damaged or missing one is none', (t) => {
  const folder = temporaryFolder(t);
  assert.equal(readState(folder), undefined);
  const sources = [{ source: 's', fingerprint: 'f', changedAtMs: Date.UTC(2026, 0, 1) }];
  const state = { fingerprint: 'f', snapshot: '0123456789abcdef', sources };
  writeState(folder, state);
  assert.deepEqual(readState(folder), state);
  for (const text of ['', '{', 'null', '{"fingerprint": 1}', '{"fingerprint": "f", "snapshot": 7}']) {
    writeFileSync(join(folder, 'refresh.json'), text);
    assert.equal(readState(folder), undefined, text);
  }
});

test('a state with sources that are unknown or damaged is one without them', (t) => {
  const folder = temporaryFolder(t);
  for (const sources of ['', ', "sources": 1', ', "sources": [{"source": "s", "changed_at": "then"}, {}]']) {
    writeFileSync(join(folder, 'refresh.json'), `{"fingerprint": "f", "snapshot": "s"${sources}}`);
    assert.deepEqual(readState(folder), { fingerprint: 'f', snapshot: 's', sources: [] });
  }
});

test('parts are told apart when they are combined', () => {
  assert.equal(combine(['a', 'b']), combine(['a', 'b']));
  assert.notEqual(combine(['a', 'b']), combine(['ab']));
  assert.notEqual(combine(['a', 'b']), combine(['b', 'a']));
});

test('the fingerprint of a file is one of its content', async (t) => {
  const file = join(temporaryFolder(t), 'a');
  writeFileSync(file, 'one');
  const one = await fingerprintOf(file);
  utimesSync(file, 1, 1);
  assert.equal(await fingerprintOf(file), one);
  writeFileSync(file, 'two');
  assert.notEqual(await fingerprintOf(file), one);
});

test('the fingerprint of a folder changes with any file in it', async (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, 'deep', 'a.json');
  mkdirSync(join(folder, 'deep'));
  writeFileSync(file, 'one');
  symlinkSync('nowhere', join(folder, 'link'));
  const seen = new Set([await fingerprintOf(folder)]);
  assert.ok(seen.has(await fingerprintOf(folder)));
  const changes: readonly (() => void)[] = [
    () => writeFileSync(file, 'longer'),
    () => utimesSync(file, 1, 1),
    () => writeFileSync(join(folder, 'deep', 'b.json'), ''),
    () => rmSync(file),
  ];
  for (const change of changes) {
    change();
    const next = await fingerprintOf(folder);
    assert.ok(!seen.has(next));
    seen.add(next);
  }
});

test('a fingerprint needs a file that can be read', async (t) => {
  const file = join(temporaryFolder(t), 'nothing');
  await assert.rejects(fingerprintOf(file), {
    name: 'SourceError',
    message: /nothing: cannot be read \(ENOENT\)/,
  });
});
