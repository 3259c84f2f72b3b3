// What the preparer thread makes.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { osv } from '../../../src/dialects/osv/osv.ts';
import type { Dialect } from '../../../src/http/routing/dialect.ts';
import { loadSnapshot } from '../../../src/loader/snapshot/load.ts';
import type { PostedGeneration, Prepared } from '../../../src/serve/messages.ts';
import { HaltedError, prepareData } from '../../../src/serve/snapshots/prepare-data.ts';
import { feedRecord } from '../../support/feeds/advisories.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { pluck } from '../../support/pluck.ts';
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

function messagesOf(dialects: readonly Dialect[]): Prepared[] {
  const messages: Prepared[] = [];
  const data = { neighbours: [{ previous, next }], files: next, halt: new Int32Array(1) };
  prepareData(data, dialects, (message) => messages.push(message));
  return messages;
}

test('changes come before files, which take longer', () => {
  const [changes, files, ...others] = messagesOf([toyWithFiles]);
  assert.deepEqual(others, [{ kind: 'finished', failures: [] }]);
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

test('once it is no longer wanted it ends at the next record it reads', () => {
  const halt = new Int32Array(1);
  const kinds: string[] = [];
  const data = { neighbours: [{ previous, next }], files: next, halt };
  const post = ({ kind }: Prepared): void => {
    kinds.push(kind);
    halt[0] = 1;
  };
  assert.throws(() => prepareData(data, [osv], post), HaltedError);
  assert.deepEqual(kinds, ['changes']);
});

/** A dialect that makes one file and then fails with this message. */
function failing(message: string): Dialect {
  return {
    ...toyWithFiles,
    name: 'failing',
    prepare: function* () {
      yield [
        'failing/first.txt',
        { contentType: 'text/plain', plain: Buffer.of(0), gzip: undefined, etag: '"1"', headers: [] },
      ];
      throw new Error(message);
    },
  };
}

test('files that cannot be made are named, all those of their dialect, and take no others down', () => {
  const [, files, finished] = messagesOf([failing('a bad record'), toyWithFiles]);
  assert.ok(files.kind === 'files' && finished.kind === 'finished');
  assert.deepEqual(
    files.files.files.map(([name]) => name),
    ['toy/all.txt', 'toy/none.zip'],
  );
  const [{ what, reason }, ...others] = finished.failures;
  assert.deepEqual([what, others], ['failing', []]);
  assert.match(reason, /^Error: a bad record\n/);
});

test('changes that cannot be computed are named, and files are made', () => {
  const { parts } = previous;
  const columns = {
    ...parts.columns,
    detailBlockStart: new Float64Array(parts.columns.detailBlockStart.length),
  };
  const damaged = { ...previous, parts: { ...parts, columns } };
  const messages: Prepared[] = [];
  const data = {
    neighbours: [{ previous: damaged, next }],
    files: next,
    halt: new Int32Array(1),
  };
  prepareData(data, [toyWithFiles], (message) => messages.push(message));
  const [files, finished] = messages;
  assert.ok(files.kind === 'files' && finished.kind === 'finished');
  assert.deepEqual(pluck(finished.failures, 'what'), ['changes']);
});

test('a want of memory ends the thread, which is started again', () => {
  const message = 'Array buffer allocation failed';
  assert.throws(() => messagesOf([failing(message)]), { message });
});
