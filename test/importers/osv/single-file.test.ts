import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { MAX_FILE_BYTES } from '../../../src/importers/osv/osv-file.ts';
import { elementsOf, filesInFile } from '../../../src/importers/osv/single-file.ts';
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

async function* inPieces(text: string, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < text.length; at += size) yield Buffer.from(text.slice(at, at + size));
}

/** Each element as text with its place, cut from pieces of this size. */
async function elements(text: string, size = 7): Promise<string[]> {
  const found: string[] = [];
  for await (const files of elementsOf('a.json', inPieces(text, size))) {
    for (const file of files) {
      const what = file.kind === 'record' ? Buffer.from(file.bytes).toString().trim() : file.kind;
      found.push(`${file.place.entry} ${what}`);
    }
  }
  return found;
}

test('elements are cut wherever the pieces end, and what is in strings closes nothing', async () => {
  const list = '[ {"a":"]}\\"\\\\"},\n{"b":[1,[2]],"c":{}} , 7,"x,y" ]\n';
  const expected = ['[0] {"a":"]}\\"\\\\"}', '[1] {"b":[1,[2]],"c":{}}', '[2] 7', '[3] "x,y"'];
  for (const size of [1, 2, 3, 7, 100]) assert.deepEqual(await elements(list, size), expected, `${size}`);
});

test('an empty list has no elements', async () => {
  assert.deepEqual(await elements('[]'), []);
  assert.deepEqual(await elements(' [ \n ] '), []);
});

test('a list that does not end, or is not all, is an error that says so', async () => {
  await assert.rejects(elements('[{"a":1},{'), {
    name: 'SourceError',
    message: /a\.json: the list ends after 10 bytes, inside the list; fetch the file again/,
  });
  await assert.rejects(elements('[{}] {}'), {
    name: 'SourceError',
    message: /the list has "\{\}" at byte 5 instead of the end of the file; it must be all of the file/,
  });
});

test('an element that is too long is not held', async () => {
  const list = `[{"a":"${'x'.repeat(MAX_FILE_BYTES)}"},{}]`;
  assert.deepEqual(await elements(list, 1 << 20), ['[0] unreadable', '[1] {}']);
});
