import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { filesInFile } from '../../../src/importers/osv/single-file.ts';
import { temporaryFolder } from '../../support/folder.ts';

/** Where each record stands, and its text. */
async function records(t: TestContext, text: string): Promise<unknown[]> {
  const path = join(temporaryFolder(t), 'a');
  writeFileSync(path, text);
  const found: unknown[] = [];
  for await (const files of filesInFile(path, () => {})) {
    for (const file of files) {
      const { line, entry } = file.place;
      found.push([
        line ?? entry ?? 'file',
        file.kind === 'record' ? Buffer.from(file.bytes).toString() : file.kind,
      ]);
    }
  }
  return found;
}

test('one record is a file, over any number of lines', async (t) => {
  for (const text of ['{"id":"a"}', '{\n  "id": "a"\n}\n', '{"id":\n"a"}\n', '{', '', 'x', '\ufeff{}']) {
    assert.deepEqual(await records(t, text), [['file', text]]);
  }
});

test('records on lines are known by the second one, also if the first is damaged', async (t) => {
  assert.deepEqual(await records(t, '{"id":"a"}\r\n\n{"id":"b"}\n'), [
    [1, '{"id":"a"}'],
    [3, '{"id":"b"}'],
  ]);
  assert.deepEqual(await records(t, '{"id":\n{"id":"b"}'), [
    [1, '{"id":'],
    [2, '{"id":"b"}'],
  ]);
});

test('a list gives its elements', async (t) => {
  assert.deepEqual(await records(t, ' [{"id":"a"},{"id":"b"}]'), [
    ['[0]', '{"id":"a"}'],
    ['[1]', '{"id":"b"}'],
  ]);
});
