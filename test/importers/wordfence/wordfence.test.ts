import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { SourceError } from '../../../src/download/source-error.ts';
import { KEPT_BYTES } from '../../../src/importers/json-cutter.ts';
import { formatProblem, type SourceEntry } from '../../../src/importers/source.ts';
import { openWordfence } from '../../../src/importers/wordfence/wordfence.ts';
import { MAX_RECORD_BYTES } from '../../../src/index/items/detail-record.ts';
import type { FeedJson } from '../../support/feeds/advisories.ts';
import { entriesOf } from '../../support/feeds/drafts.ts';
import {
  inventedWordfence,
  scannerRecord,
  software,
  wordfenceId,
  wordfenceJson,
  wordfenceRecord,
} from '../../support/feeds/wordfence-feed.ts';

const folder = mkdtempSync(join(tmpdir(), 'vulndex-wordfence-'));
after(() => rmSync(folder, { recursive: true }));

let files = 0;
function fileOf(content: string | Uint8Array): string {
  const path = join(folder, `${++files}.json`);
  writeFileSync(path, content);
  return path;
}

function entriesIn(content: string | Uint8Array): Promise<SourceEntry[]> {
  return entriesOf(openWordfence(fileOf(content)));
}

/** Each entry in one line: its kind, and its id or its problems. */
async function outcomesOf(content: string | Uint8Array): Promise<string[]> {
  const entries = await entriesIn(content);
  return entries.map((entry) => {
    if (entry.kind === 'draft') return `draft ${entry.draft.sourceId}`;
    if (entry.kind === 'skipped') return `skipped ${entry.place.entry} ${entry.reason}`;
    return formatProblem(entry.reject)
      .join('; ')
      .replace(/^.*\.json: /, '');
  });
}

const A = wordfenceRecord(1);
const B = wordfenceRecord(2);

test('the Wordfence feed yields a draft with its place for each product of each record', async () => {
  const entries = await entriesIn(wordfenceJson([A, B]));
  assert.deepEqual(
    entries.map((entry) => {
      assert.ok(entry.kind === 'draft');
      const { place, sourceId } = entry.draft;
      return [place.entry, sourceId, place.file.startsWith(folder), entry.warnings.length];
    }),
    [1, 2].map((number) => [wordfenceId(number), wordfenceId(number), true, 0]),
  );
});

test('the Wordfence feed may be compressed, and may be the scanner variant', async () => {
  const plain = await outcomesOf(wordfenceJson([A, B]));
  assert.deepEqual(await outcomesOf(gzipSync(wordfenceJson([A, B]))), plain);
  assert.deepEqual(await outcomesOf(wordfenceJson([scannerRecord(A), scannerRecord(B)])), plain);
  assert.deepEqual(await outcomesOf(JSON.stringify(JSON.parse(wordfenceJson([A, B])), null, 2)), plain);
});

test('the Wordfence feed counts its progress in bytes of the file', async () => {
  const path = fileOf(gzipSync(wordfenceJson([...inventedWordfence(500, 7)])));
  const source = openWordfence(path);
  let read = 0;
  for await (const _ of source.read((bytes) => (read += bytes)));
  assert.deepEqual([source.label, source.unit], [path, 'bytes']);
  assert.equal(source.total, statSync(path).size);
  assert.equal(read, source.total);
});

const GOOD = `"good":${JSON.stringify(A)}`;

test('a bad record is a reject with its bytes and its reason, and costs no other record', async () => {
  const text = `{"a":"oops",${GOOD},"b":{"title":}, "c":null}`;
  const [a, x, b, c] = await outcomesOf(text);
  assert.deepEqual(
    [a, x, c],
    ['a: record: must be an object (got "oops")', 'draft good', 'c: record: must be an object (got null)'],
  );
  assert.match(b, /^b: record: is not valid JSON \(.+\)$/);
  const [first] = await entriesIn(text);
  assert.ok(first.kind === 'reject');
  assert.equal(Buffer.from(first.reject.bytes).toString(), '"oops"');
  assert.equal(first.reject.place.entry, 'a');
});

test('a record whose copies for each product would fill the memory is one reject, and costs no other', async () => {
  const products = (count: number, changes: FeedJson) =>
    Array.from({ length: count }, (_, i) => software(`p${i}`, ['[*, 1.5]'], changes));
  const long = { description: 'x'.repeat(1_000_000) };
  const drafts = wordfenceRecord(3, { ...long, software: products(20, { remediation: 'x' }) });
  const rejects = wordfenceRecord(4, { ...long, software: products(20, { affected_versions: {} }) });
  const problem = 'names so many products that the copies of its text have more than 16777216 bytes';
  assert.deepEqual(await outcomesOf(wordfenceJson([drafts, rejects, A])), [
    `${wordfenceId(3)}: software: ${problem}`,
    `${wordfenceId(4)}: software: ${problem}`,
    `draft ${wordfenceId(1)}`,
  ]);
  const many = wordfenceRecord(5, { software: products(2000, {}) });
  assert.equal((await entriesIn(wordfenceJson([many]))).length, 2000);
});

test('a record with an id that was used before is rejected', async () => {
  const twice = `{"x":${JSON.stringify(A)},"x":${JSON.stringify(B)}}`;
  assert.deepEqual(await outcomesOf(twice), ['draft x', 'x: id: "x" was already used in this file']);
});

test('a record with a name twice in one object is rejected', async () => {
  const text = JSON.stringify(A).replace('"informational":false', '"title":"b","informational":false');
  assert.deepEqual(await outcomesOf(`{"x":${text}}`), ['x: record: has an object with the same name twice']);
});

test('a record that is not UTF-8 is rejected', async () => {
  const text = `{"x":${JSON.stringify(A)},${GOOD}}`;
  const at = text.indexOf('What 1');
  const bytes = Buffer.concat([
    Buffer.from(text.slice(0, at)),
    Buffer.of(0xc3, 0x28),
    Buffer.from(text.slice(at)),
  ]);
  assert.match((await outcomesOf(bytes))[0], /^x: record: is not valid UTF-8$/);
});

test('a record that is too long is rejected, and only its beginning is kept', async () => {
  const long = `{"title":"${'x'.repeat(MAX_RECORD_BYTES)}"}`;
  const outcomes = await outcomesOf(`{"x":${long},${GOOD}}`);
  assert.deepEqual(outcomes, [
    `x: record: has ${long.length} bytes; the limit is ${MAX_RECORD_BYTES} (only its first ${KEPT_BYTES} are kept with this reject)`,
    'draft good',
  ]);
});

async function failureOf(content: string | Uint8Array): Promise<string> {
  const path = fileOf(content);
  const reading = (async () => {
    for await (const _ of openWordfence(path).read(() => {}));
  })();
  let message = '';
  await assert.rejects(reading, (error) => {
    assert.ok(error instanceof SourceError);
    message = error.message.replace(path, 'FILE');
    return true;
  });
  return message;
}

test('a file that is not the feed is refused with what it is and what to do', async () => {
  const remedy = 'the feed is one JSON object with a record under each id; check that it is the right file';
  assert.equal(
    await failureOf('<!DOCTYPE html>'),
    `FILE: the file begins with "<!DOCTYPE html>", not with {; ${remedy}`,
  );
  assert.equal(await failureOf('[]'), `FILE: the file begins with "[]", not with {; ${remedy}`);
  assert.equal(await failureOf(''), 'FILE: the file contains no JSON object; fetch the file again');
  assert.equal(await failureOf('{}'), 'FILE: the feed has no records; check that it is the right file');
  assert.equal(
    await failureOf('{} {}'),
    'FILE: the file has "{}" at byte 3 instead of the end of the file; this is not valid JSON; fetch the file again',
  );
});

test('a file that ends too early is refused after its whole records were read', async () => {
  const text = wordfenceJson([A, B]);
  const cut = text.slice(0, text.length - 20);
  const problem = `FILE: the file ends after ${cut.length} bytes, inside the object; fetch the file again`;
  assert.equal(await failureOf(cut), problem);
  const compressed = gzipSync(text);
  assert.match(await failureOf(compressed.subarray(0, -20)), /the gzip content ends too early/);
});

test('a file that is missing or a folder is refused before it is read', () => {
  assert.throws(() => openWordfence(join(folder, 'missing')), { name: 'FeedFileError', code: 'unreadable' });
  assert.throws(() => openWordfence(folder), { name: 'FeedFileError', code: 'unreadable' });
});

test('a large feed adds up: one entry for each product', async () => {
  const records = [...inventedWordfence(2000, 11)];
  const products = records.flatMap(({ software }) => software as readonly unknown[]).length;
  const entries = await entriesIn(wordfenceJson(records));
  assert.equal(entries.length, products);
  assert.ok(entries.every(({ kind }) => kind === 'draft'));
});
