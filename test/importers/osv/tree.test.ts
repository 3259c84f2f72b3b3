import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { MAX_FILE_BYTES, type OsvFile } from '../../../src/importers/osv/osv-file.ts';
import { filesBelow, readingError, readRecordFile } from '../../../src/importers/osv/tree.ts';
import { countReads } from '../../support/counted.ts';
import { temporaryFolder } from '../../support/folder.ts';

function treeOf(t: TestContext, paths: readonly string[]): string {
  const folder = temporaryFolder(t);
  for (const path of paths) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), path);
  }
  return folder;
}

function textsBelow(folder: string): string[] {
  return [...filesBelow(folder, () => {})].map((file) => {
    const path = file.place.file.slice(folder.length + 1);
    if (file.kind === 'record') {
      assert.equal(Buffer.from(file.bytes).toString(), path);
      return path;
    }
    if (file.kind === 'known') return assert.fail('nothing was kept');
    return file.kind === 'skipped' ? `${path} - ${file.reason}` : `${path} ! ${file.problem}`;
  });
}

test('the files of a tree are its .json files at any depth, in the order of their names', (t) => {
  const ghsa = 'advisories/github-reviewed/2021/05/GHSA-35jh-r3h4-6jhm/GHSA-35jh-r3h4-6jhm.json';
  const folder = treeOf(t, [
    'b.json',
    'a/z.JSON',
    'a/b/c.json',
    'a.json',
    'B.json',
    ghsa,
    'README.md',
    'a/x.jsonl',
  ]);
  assert.deepEqual(textsBelow(folder), ['B.json', 'a/b/c.json', 'a/z.JSON', 'a.json', ghsa, 'b.json']);
});

test('the files of a tree do not include those below a name that begins with a dot', (t) => {
  assert.deepEqual(textsBelow(treeOf(t, ['.git/a.json', '.a.json', 'b.json', 'c/.d/e.json'])), ['b.json']);
});

test('the files of a tree are not followed through symbolic links, in or out of the tree', (t) => {
  const outside = treeOf(t, ['secret.json']);
  const folder = treeOf(t, ['a.json', 'b/c.json']);
  symlinkSync(join(outside, 'secret.json'), join(folder, 'link.json'));
  symlinkSync(outside, join(folder, 'out'));
  symlinkSync(folder, join(folder, 'b/self'));
  const reason = 'symbolic link or special file';
  assert.deepEqual(textsBelow(folder), [
    'a.json',
    'b/c.json',
    `b/self - ${reason}`,
    `link.json - ${reason}`,
    `out - ${reason}`,
  ]);
});

test('a file longer than a record can be is refused without being read', (t) => {
  const folder = treeOf(t, ['a.json', 'large.json']);
  truncateSync(join(folder, 'large.json'), MAX_FILE_BYTES + 1);
  const reads = countReads(t);
  const allocated = t.mock.method(Buffer, 'allocUnsafe').mock;
  const files: OsvFile[] = [...filesBelow(folder, () => {})];
  assert.equal(reads.bytes(), 'a.json'.length);
  assert.deepEqual(
    allocated.calls.map((call) => call.arguments[0]),
    ['a.json'.length],
  );
  const [, large] = files;
  assert.ok(large.kind === 'unreadable');
  assert.equal(
    large.problem,
    `has ${MAX_FILE_BYTES + 1} bytes; the limit for one OSV record is ${MAX_FILE_BYTES}; split the file into one record per file`,
  );
});

test('the files of a tree count with their bytes', (t) => {
  const sizes: number[] = [];
  assert.equal([...filesBelow(treeOf(t, ['a.json', 'bb/c.json']), (bytes) => sizes.push(bytes))].length, 2);
  assert.deepEqual(sizes, ['a.json'.length, 'bb/c.json'.length]);
});

test('a file that cannot be read ends the reading, as what it says would be lost', () => {
  const messages = ['EACCES', 'EIO'].map(
    (code) => readingError('a.json', Object.assign(new Error('disk fault'), { code })).message,
  );
  assert.deepEqual(messages, [
    'a.json: no permission to read it; check its permissions',
    'a.json: reading failed (disk fault); try again',
  ]);
});

test('a missing file ends the reading', (t) => {
  const path = join(temporaryFolder(t), 'a.json');
  assert.throws(() => readRecordFile(path, () => {}), {
    name: 'SourceError',
    message: `${path}: no such file or folder; check the path`,
  });
});
