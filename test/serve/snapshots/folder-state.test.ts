import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type FolderState, SnapshotFolder } from '../../../src/loader/live/snapshot-folder.ts';
import { postedFolderState } from '../../../src/serve/snapshots/folder-state.ts';
import { temporaryFolder } from '../../support/folder.ts';

/** What one look at that folder finds. */
function stateOf(path: string): FolderState {
  const folder = new SnapshotFolder(path, () => {});
  folder.look(true);
  return folder.state;
}

function emptyFolder(t: TestContext): string {
  return join(temporaryFolder(t), '.');
}

test('a folder that does not exist is named by its whole path, with what to do', (t) => {
  const path = emptyFolder(t);
  rmSync(path, { recursive: true });
  const reason = 'the folder does not exist';
  assert.deepEqual(postedFolderState(stateOf(path), relative('.', path), false), {
    kind: 'unreadable',
    reason,
    message: `${path}: ${reason}; create it, or compile a snapshot into it with \`vulndex compile --out ${path}/\``,
  });
  assert.deepEqual(postedFolderState(stateOf(path), path, true), {
    kind: 'unreadable',
    reason,
    message: `${path}: ${reason}; create it`,
  });
});

test('a folder without snapshots is named, with how to make one, or that the source will', (t) => {
  const path = emptyFolder(t);
  const lacks = `${path} has no file that ends in .vdx`;
  assert.deepEqual(postedFolderState(stateOf(path), path, false), {
    kind: 'empty',
    message: `${lacks}: copy one there, or compile one with \`vulndex compile --out ${path}/\``,
  });
  assert.deepEqual(postedFolderState(stateOf(path), path, true), {
    kind: 'empty',
    message: `${lacks}: the first snapshot of the source will be stored there`,
  });
  writeFileSync(join(path, 'a.vdx'), '');
  assert.deepEqual(postedFolderState(stateOf(path), path, false), { kind: 'filled' });
});

test('a file in the place of the folder, and any other refusal of the system, are told apart', (t) => {
  const path = join(emptyFolder(t), 'file');
  writeFileSync(path, '');
  assert.deepEqual(postedFolderState(stateOf(path), path, false), {
    kind: 'unreadable',
    reason: 'a file is where the folder should be',
    message: `${path}: a file is where the folder should be; move it away and create the folder`,
  });
  const refusals = [
    ['EACCES', 'this process may not read the folder'],
    ['EIO', 'the system refused (EIO)'],
  ] as const;
  for (const [code, reason] of refusals) {
    const error = Object.assign(new Error(`${code}: an error, scandir`), { code });
    const state = postedFolderState({ kind: 'unreadable', error }, '/data', false);
    assert.ok(state.kind === 'unreadable');
    assert.equal(state.reason, reason);
    assert.ok(state.message.startsWith(`/data: ${reason}; `), state.message);
  }
});
