// What the preparer thread makes.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Dialect } from '../../../src/http/dialect.ts';
import { OpenRecords } from '../../../src/index/items/detail-record.ts';
import { loadSnapshot } from '../../../src/loader/load.ts';
import type { FromPreparer, PostedGeneration } from '../../../src/serve/messages.ts';
import { EndedError, prepareData } from '../../../src/serve/snapshots/prepare-data.ts';
import { feedRecord } from '../../support/feeds/advisories.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { toyWithFiles } from '../../support/serving/toy-dialect.ts';
import { compileRecords } from '../../support/snapshots/snapshots.ts';

const folder = temporaryFolder({ after });
let previous: PostedGeneration;
let next: PostedGeneration;

async function post(name: string, titles: readonly string[]): Promise<PostedGeneration> {
  const records = titles.map((title, i) => feedRecord(i + 1, { title }));
  const file = await compileRecords(folder, records, { name });
  const { generation, packed, fileBytes, format } = loadSnapshot(join(folder, name));
  return { parts: generation.parts, packed, file, fileBytes, format, loadedAtMs: 0, tookMs: 0 };
}

before(async () => {
  previous = await post('1.vdx', ['a', 'b']);
  next = await post('2.vdx', ['a', 'c', 'd']);
});

function messagesOf(dialects: readonly Dialect[]): FromPreparer[] {
  const messages: FromPreparer[] = [];
  const data = { neighbours: [{ previous, next }], files: next, end: new Int32Array(1) };
  prepareData(data, dialects, (message) => messages.push(message));
  return messages;
}

test('changes come before files, which take longer', () => {
  const [changes, files, ...others] = messagesOf([toyWithFiles]);
  assert.deepEqual(others, []);
  assert.ok(changes.kind === 'changes' && files.kind === 'files');
  const { from, to, ids } = changes.changes;
  assert.deepEqual([from, to], [previous.parts.id, next.parts.id]);
  assert.deepEqual(Array.from(ids[0]), [3, 2]);
  assert.equal(files.files.snapshot, next.parts.id);
});

test('files are posted by name with all their bytes in shared memory, and the sum of these', () => {
  const [, message] = messagesOf([toyWithFiles]);
  assert.ok(message.kind === 'files');
  const { files, bytes } = message.files;
  assert.deepEqual(
    files.map(([name]) => name),
    ['toy/all.txt', 'toy/none.zip'],
  );
  let sum = 0;
  for (const [, { plain, gzip }] of files) {
    for (const part of gzip === undefined ? [plain] : [plain, gzip]) {
      assert.ok(part.buffer instanceof SharedArrayBuffer);
      sum += part.length;
    }
  }
  assert.equal(bytes, sum);
  assert.match(Buffer.from(files[0][1].plain).toString(), /^3 toys\n/);
});

test('a thread that is told to end does so with the next record that it reads', () => {
  const end = new Int32Array(1);
  let names = 0;
  const reading: Dialect = {
    ...toyWithFiles,
    *prepare(generation) {
      const open = new OpenRecords();
      for (const [name, file] of toyWithFiles.prepare?.(generation) ?? []) {
        generation.records.detailAt(0, open);
        names++;
        end[0] = 1;
        yield [name, file];
      }
    },
  };
  const posted: FromPreparer[] = [];
  const data = { neighbours: [], files: next, end };
  assert.throws(() => prepareData(data, [reading], (message) => posted.push(message)), EndedError);
  assert.deepEqual([names, posted], [1, []]);
});
