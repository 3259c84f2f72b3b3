import assert from 'node:assert/strict';
import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import yauzl from 'yauzl';
import { SourceError } from '../../../src/download/source-error.ts';
import { Dice } from '../../../src/generator/dice.ts';
import { MAX_FILE_BYTES, type OsvFile } from '../../../src/importers/osv/osv-file.ts';
import { filesInZip } from '../../../src/importers/osv/zip.ts';
import { type EntryClaims, writeZip, ZipArchive } from '../../support/feeds/zip-archive.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { printedSeed } from '../../support/seed.ts';
import { volume } from '../../support/volume.ts';

type Entry = readonly [name: string, content: string | Uint8Array, claims?: EntryClaims];

function archiveOf(t: TestContext, entries: readonly Entry[]): string {
  const path = join(temporaryFolder(t), 'all.zip');
  const archive = new ZipArchive(path);
  for (const [name, content, claims] of entries) archive.add(name, content, claims);
  archive.finish();
  return path;
}

async function filesOf(path: string): Promise<OsvFile[]> {
  const files: OsvFile[] = [];
  let passed = 0;
  for await (const batch of filesInZip(path, (bytes) => {
    passed += bytes;
  })) {
    assert.ok(batch.length > 0, 'no batch is empty');
    // As they may be views of memory that is used again.
    files.push(
      ...batch.map((file) => (file.kind === 'record' ? { ...file, bytes: Buffer.from(file.bytes) } : file)),
    );
  }
  assert.equal(passed, statSync(path).size, 'progress ends at the size of the archive');
  return files;
}

/** `name content`, `name - reason` or `name ! problem`. */
function texts(files: readonly OsvFile[]): string[] {
  return files.map((file) => {
    const name = file.place.entry ?? '';
    if (file.kind === 'record') return `${name} ${Buffer.from(file.bytes).toString()}`;
    if (file.kind === 'known') return assert.fail('nothing was kept');
    return file.kind === 'skipped' ? `${name} - ${file.reason}` : `${name} ! ${file.problem}`;
  });
}

const ENTRIES = volume(3_000);

test('the entries of an archive are those of the zip library, whatever their sizes, methods, order and headers', async (t) => {
  const dice = new Dice(printedSeed(t));
  const entries: Entry[] = Array.from({ length: ENTRIES }, (_, at) => {
    // Most small, some longer than a run of neighbours, some empty.
    const length = dice.chance(0.003) ? dice.whole(1e6, 6e6) : dice.chance(0.05) ? 0 : dice.whole(1, 4000);
    const content = Buffer.alloc(length);
    for (let i = 0; i < length; i++) content[i] = dice.chance(0.5) ? 32 : dice.whole(0, 255);
    const claims: EntryClaims = {
      ...(dice.chance(0.2) ? { method: 0 } : {}),
      ...(dice.chance(0.3) ? { localExtra: dice.whole(0, 900) } : {}),
    };
    return [`npm/${at}-é.json`, content, claims];
  });
  const path = archiveOf(t, entries);
  const found = new Map((await filesOf(path)).map((file) => [file.place.entry, file]));
  let count = 0;
  const zip = await yauzl.openPromise(path);
  for await (const entry of zip.eachEntry()) {
    const expected = await buffer(await zip.openReadStreamPromise(entry));
    const file = found.get(entry.fileName);
    assert.ok(file?.kind === 'record', entry.fileName);
    assert.ok(expected.equals(file.bytes), entry.fileName);
    count++;
  }
  assert.deepEqual([count, found.size], [ENTRIES, ENTRIES]);
});

test('an archive may have more than 65,535 entries, in nested folders and not in the order of the directory', async (t) => {
  const path = join(temporaryFolder(t), 'all.zip');
  writeZip(
    path,
    Array.from({ length: 70_000 }, (_, at) => [`a/b/${at}.json`, String(at)] as const),
  );
  const files = await filesOf(path);
  assert.equal(files.length, 70_000);
  assert.ok(
    files.every(
      (file) =>
        texts([file])[0] === `${file.place.entry} ${Number.parseInt(file.place.entry?.slice(4) ?? '', 10)}`,
    ),
  );
  // Two entries whose headers stand in the directory in the other order.
  const start = 30 + '1.json'.length + 99; // of the second: behind the first's header, name and content
  const swapped = archiveOf(t, [
    ['1.json', 'x'.repeat(99), { method: 0, offset: start }],
    ['2.json', 'x'.repeat(99), { method: 0, offset: 0 }],
  ]);
  assert.deepEqual(
    (await filesOf(swapped)).map(({ place }) => place.entry),
    ['2.json', '1.json'],
  );
});

test('an entry that is not a record is left out, and named', async (t) => {
  const path = archiveOf(t, [
    ['npm/', ''],
    ['READ\n\u001b[2JME.md', 'x'],
    ['npm/A.JSON', '1'],
    ['npm/b.json', '2'],
  ]);
  assert.deepEqual(texts(await filesOf(path)), [
    'READ [2JME.md - not a .json file',
    'npm/A.JSON 1',
    'npm/b.json 2',
  ]);
});

test('a bad entry is refused alone: encrypted, of another method, too long, or not what the directory says', async (t) => {
  const big = Buffer.alloc(MAX_FILE_BYTES + 1, 32);
  const path = archiveOf(t, [
    ['encrypted.json', '{}', { flags: 1 }],
    ['zstd.json', '{}', { method: 93 }],
    ['long.json', big],
    ['bomb.json', big, { size: 1000 }],
    ['short.json', '{"a":1}', { size: 9 }],
    ['longer.json', '{"a":1}', { size: 5 }],
    ['crc.json', '{}', { crc: 7 }],
    ['method.json', '{"a":"\x00\xff"}', { method: 0 }],
    ['lost.json', '{}', { offset: 0xfffffff }],
    ['elsewhere.json', '{}', { offset: 3 }],
    ['good.json', '{}'],
  ]);
  const again = 'fetch the archive again';
  assert.deepEqual(texts(await filesOf(path)).toSorted(), [
    `bomb.json ! inflates to more than the 1000 bytes that the directory says; ${again}`,
    `crc.json ! is damaged: its checksum is wrong; ${again}`,
    `elsewhere.json ! does not begin with a local file header; ${again}`,
    'encrypted.json ! is encrypted; make the archive without a password',
    'good.json {}',
    `long.json ! has ${MAX_FILE_BYTES + 1} bytes; the limit for one OSV record is ${MAX_FILE_BYTES}; split the file into one record per file`,
    `longer.json ! inflates to more than the 5 bytes that the directory says; ${again}`,
    `lost.json ! begins beyond the end of the archive; ${again}`,
    'method.json {"a":"\x00\xff"}',
    `short.json ! has 7 bytes; the directory says 9; ${again}`,
    'zstd.json ! is compressed by method 93; only deflate is read',
  ]);
});

test('an entry is refused if its deflated bytes are damaged or end beyond the archive', async (t) => {
  const path = archiveOf(t, [['a.json', 'a'.repeat(400)]]);
  const bytes = readFileSync(path);
  bytes.fill(0xff, 36, 40); // in the content, which begins behind 30 bytes of header and 6 of name
  writeFileSync(path, bytes);
  assert.match(texts(await filesOf(path))[0], /^a\.json ! is damaged \(.+\); fetch the archive again$/);
  const cut = archiveOf(t, [
    ['a.json', 'a', { method: 0, localExtra: 9 }],
    ['b.json', 'b', { method: 0 }],
  ]);
  const text = readFileSync(cut);
  text.writeUInt16LE(60_000, 28); // the length of the extra field before the content of a.json
  writeFileSync(cut, text);
  assert.deepEqual(texts(await filesOf(cut)), [
    'a.json ! extends beyond the end of the archive; fetch the archive again',
    'b.json b',
  ]);
});

test('an archive that is cut off anywhere is not read', async (t) => {
  const path = archiveOf(t, [
    ['a.json', '{}'],
    ['b.json', '{}'],
  ]);
  const { size } = statSync(path);
  for (const length of [0, 4, 40, size - 60, size - 1]) {
    const cut = archiveOf(t, [
      ['a.json', '{}'],
      ['b.json', '{}'],
    ]);
    truncateSync(cut, length);
    await assert.rejects(filesOf(cut), (error) => {
      assert.ok(error instanceof SourceError);
      assert.match(
        error.message,
        /all\.zip: .+[^.]; the archive is truncated, damaged or not a zip file: fetch it again$/,
      );
      return true;
    });
  }
});

test('an archive with a name that leads out of it is not read', async (t) => {
  for (const name of ['../a.json', 'npm/../../a.json', '/etc/a.json', 'C:/a.json']) {
    const path = archiveOf(t, [
      ['good.json', '{}'],
      [name, '{}'],
    ]);
    await assert.rejects(filesOf(path), {
      name: 'SourceError',
      message: /; no OSV export has names that lead out of the archive/,
    });
  }
});

test('entries that share their bytes are not read, as they could be petabytes', async (t) => {
  const content = '{}'.repeat(5000);
  const path = archiveOf(t, [
    ['a.json', content, { method: 0 }],
    ...Array.from({ length: 9 }, (_, at): Entry => [`${at}.json`, '', { compressedSize: 10_000, offset: 0 }]),
  ]);
  await assert.rejects(filesOf(path), {
    name: 'SourceError',
    message: /the entries together have more bytes than the archive; .+ fetch it again from its source$/,
  });
});

test('an archive with any byte changed is read, refused entry by entry, or ends the reading', async (t) => {
  const dice = new Dice(printedSeed(t));
  const path = archiveOf(t, [
    ['a.json', '{"id":"a"}'.repeat(20)],
    ['b/', ''],
    ['b/c.json', '{"id":"c"}', { method: 0, localExtra: 4 }],
  ]);
  const sound = readFileSync(path);
  const outcomes = { read: 0, refused: 0, ended: 0 };
  for (let at = 0; at < sound.length; at++) {
    for (const value of [0, 255, dice.whole(0, 255)]) {
      const bytes = Buffer.from(sound);
      bytes[at] = value;
      writeFileSync(path, bytes);
      try {
        let isRefused = false;
        for await (const batch of filesInZip(path, () => {})) {
          isRefused ||= batch.some(({ kind }) => kind !== 'record');
        }
        outcomes[isRefused ? 'refused' : 'read']++;
      } catch (error) {
        assert.ok(error instanceof SourceError, `byte ${at} = ${value}: ${(error as Error).stack}`);
        outcomes.ended++;
      }
    }
  }
  assert.ok(
    Object.values(outcomes).every((count) => count > 50),
    JSON.stringify(outcomes),
  );
});
