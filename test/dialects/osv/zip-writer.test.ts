// Archives by this writer, read by the importer's own reader and by yauzl's streams.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import yauzl from 'yauzl';
import { deflateEntry, ZipWriter } from '../../../src/dialects/osv/zip-writer.ts';
import { filesInZip } from '../../../src/importers/osv/zip.ts';
import { temporaryFolder } from '../../support/folder.ts';

const allocate = (size: number): Uint8Array => new Uint8Array(new SharedArrayBuffer(size));

function archiveOf(count: number, contentOf: (i: number) => string): Uint8Array {
  const writer = new ZipWriter();
  for (let i = 0; i < count; i++) writer.add(deflateEntry(`R-${i}.json`, Buffer.from(contentOf(i))));
  return writer.finish(allocate);
}

/** Contents by name, as the importer reads them. */
async function read(t: TestContext, archive: Uint8Array): Promise<Map<string, string>> {
  const path = join(temporaryFolder(t), 'all.zip');
  writeFileSync(path, archive);
  const files = new Map<string, string>();
  for await (const batch of filesInZip(path, () => {})) {
    for (const file of batch) {
      assert.equal(file.kind, 'record');
      if (file.kind === 'record') files.set(String(file.place.entry), Buffer.from(file.bytes).toString());
    }
  }
  return files;
}

test('entries are read back as they were written', async (t) => {
  const contentOf = (i: number): string => `{"id":"R-${i}","details":"${'grüße '.repeat(i * 100)}"}`;
  const files = await read(t, archiveOf(40, contentOf));
  assert.equal(files.size, 40);
  for (let i = 0; i < 40; i++) assert.equal(files.get(`R-${i}.json`), contentOf(i));
});

test('another reader finds sizes, times and flags as expected', async () => {
  const zip = await yauzl.fromBufferPromise(Buffer.from(archiveOf(2, (i) => `{"id":"${i}"}`)));
  const names: string[] = [];
  for await (const entry of zip.eachEntry()) {
    names.push(entry.fileName);
    assert.equal(entry.uncompressedSize, 10);
    assert.equal(entry.compressionMethod, 8);
    assert.deepEqual(
      entry.getLastModDate({ forceDosFormat: true, timezone: 'UTC' }),
      new Date('1980-01-01T00:00:00Z'),
    );
  }
  assert.deepEqual(names, ['R-0.json', 'R-1.json']);
});

test('an archive without entries is an archive', async () => {
  const zip = await yauzl.fromBufferPromise(Buffer.from(archiveOf(0, () => '')));
  assert.equal(zip.entryCount, 0);
});

test('the same entries make the same bytes, of exactly that size and in shared memory', () => {
  const [a, b] = [archiveOf(20, String), archiveOf(20, String)];
  assert.deepEqual(Buffer.from(a), Buffer.from(b));
  assert.ok(a.buffer instanceof SharedArrayBuffer);
  assert.equal(a.length, a.buffer.byteLength);
});

test('more entries than 16 bits count are in ZIP64 form', async () => {
  const count = 65_536;
  const zip = await yauzl.fromBufferPromise(Buffer.from(archiveOf(count, () => '{}')));
  assert.equal(zip.entryCount, count);
  let last = '';
  for await (const { fileName } of zip.eachEntry()) last = fileName;
  assert.equal(last, `R-${count - 1}.json`);
});
