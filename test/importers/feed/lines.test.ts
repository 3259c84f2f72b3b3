import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { MAX_LINE_BYTES, readLines } from '../../../src/importers/feed/lines.ts';

const folder = mkdtempSync(join(tmpdir(), 'vulndex-lines-'));
after(() => rmSync(folder, { recursive: true }));

let files = 0;
function fileOf(content: string | Uint8Array): string {
  const path = join(folder, `${++files}.ndjson`);
  writeFileSync(path, content);
  return path;
}

async function linesOf(path: string, onBytes?: (bytes: number) => void): Promise<string[]> {
  const lines: string[] = [];
  for await (const batch of readLines(path, onBytes)) {
    assert.ok(batch.length > 0, 'no batch is empty');
    for (const { number, bytes } of batch) lines.push(`${number} ${Buffer.from(bytes).toString('latin1')}`);
  }
  return lines;
}

test('lines of a file are numbered from 1, and the last needs no line feed', async () => {
  assert.deepEqual(await linesOf(fileOf('a\nb\nc')), ['1 a', '2 b', '3 c']);
  assert.deepEqual(await linesOf(fileOf('a\nb\n')), ['1 a', '2 b']);
});

test('lines of a file lose the carriage return of a CRLF, but only one', async () => {
  assert.deepEqual(await linesOf(fileOf('a\r\nb\r\r\nc\r')), ['1 a', '2 b\r', '3 c']);
});

test('blank lines of a file are skipped but counted', async () => {
  assert.deepEqual(await linesOf(fileOf('\n\r\n \t\na\n\n')), ['4 a']);
});

test('lines of a file lose a byte order mark at the start of the file and keep one elsewhere', async () => {
  assert.deepEqual(await linesOf(fileOf('\ufeffa\n\ufeffb')), ['1 a', '2 \u00ef\u00bb\u00bfb']);
});

test('blank lines in a row are refused when they have too many bytes, in gzip too, and not all of them are read', async () => {
  const blanks = '\n'.repeat(10);
  const read = async (content: string | Uint8Array): Promise<number[]> => {
    const numbers: number[] = [];
    for await (const batch of readLines(fileOf(content), undefined, 10)) {
      numbers.push(...batch.map(({ number }) => number));
    }
    return numbers;
  };
  assert.deepEqual(await read(`${blanks}a\n${blanks}b\n${blanks}`), [11, 22]);
  assert.deepEqual(await read(' \t \r\n \t \r\na'), [3]);
  for (const [content, first, last] of [
    [`${blanks}\na`, 1, 11],
    [`a\n${blanks}\n`, 2, 12],
    [`a\n${' '.repeat(10)}\nb`, 2, 2],
    [gzipSync(`a\n${'\n'.repeat(1_000_000)}`), 2, 12],
  ] as const) {
    await assert.rejects(read(content), (error: Error & { code?: string }) => {
      assert.equal(error.code, 'blank');
      const expected =
        `ndjson:${last}: the lines from ${first} to here are blank and have more than 10 bytes; expected an ` +
        `advisory, got nothing: check that it is the right file, or remove the blank lines`;
      assert.equal(error.message.replace(/^.*\/\d+\./, ''), expected);
      return true;
    });
  }
});

test('by default, a mebibyte of blank lines in a row is enough', async () => {
  const wide = `${' '.repeat(2 ** 16 - 1)}\n`;
  assert.deepEqual(await linesOf(fileOf(`${wide.repeat(16)}a`)), ['17 a']);
  await assert.rejects(linesOf(fileOf(gzipSync(`${wide.repeat(17)}a`))), { code: 'blank', message: /:17: / });
});

test('a file without lines is refused', async () => {
  for (const content of ['', gzipSync(''), '\n']) {
    await assert.rejects(linesOf(fileOf(content)), { name: 'FeedFileError', code: 'no-advisory' });
  }
});

test('lines of a file are complete when they span the chunks of a large file', async () => {
  const long = 'x'.repeat(700_000);
  const lines = await linesOf(fileOf(`${long}1\n${long}2\n\n${long}4`));
  assert.deepEqual(lines, [`1 ${long}1`, `2 ${long}2`, `4 ${long}4`]);
});

test('a line of a file may have 16 MiB and no more', async () => {
  const longest = 'x'.repeat(MAX_LINE_BYTES);
  assert.equal((await linesOf(fileOf(`${longest}\r\na`))).length, 2);
  await assert.rejects(linesOf(fileOf(`a\n${longest}y\na`)), {
    code: 'line-too-long',
    message: /:2: .*16777216/,
  });
  await assert.rejects(linesOf(fileOf(`a\n${longest}yy`)), { code: 'line-too-long' });
});

test('lines of a file are counted in bytes of the file while it is read', async () => {
  const content = gzipSync('a\n'.repeat(100_000));
  let bytes = 0;
  await linesOf(fileOf(content), (more) => {
    bytes += more;
  });
  assert.equal(bytes, content.length);
});

test('a gzip file is recognised by its first bytes, whatever its name', async () => {
  assert.deepEqual(await linesOf(fileOf(gzipSync('a\nb'))), ['1 a', '2 b']);
});

test('a gzip file may be several members in a row', async () => {
  const members = Buffer.concat([gzipSync('a\nb'), gzipSync('c\n'), gzipSync('d')]);
  assert.deepEqual(await linesOf(fileOf(members)), ['1 a', '2 bc', '3 d']);
});

test('a gzip file that is cut off anywhere is an error', async () => {
  const whole = gzipSync('some advisory\nand another\n');
  for (let length = 2; length < whole.length; length++) {
    await assert.rejects(
      linesOf(fileOf(whole.subarray(0, length))),
      { code: 'truncated' },
      `${length} bytes`,
    );
  }
});

test('a gzip file with a flipped byte in its content is an error', async () => {
  const whole = gzipSync('some advisory\nand another\n'.repeat(50));
  for (let at = 10; at < whole.length; at++) {
    const damaged = Buffer.from(whole);
    damaged[at] ^= 0xff;
    await assert.rejects(linesOf(fileOf(damaged)), { name: 'FeedFileError' }, `byte ${at}`);
  }
});

test('a gzip file followed by anything else is an error, even where zlib would stop silently', async () => {
  const member = gzipSync('a\n');
  const padded = Buffer.concat([member, Buffer.alloc(8), member]);
  await assert.rejects(linesOf(fileOf(padded)), { code: 'corrupt', message: /after the gzip content/ });
  await assert.rejects(linesOf(fileOf(Buffer.concat([member, Buffer.from('b\n')]))), { code: 'corrupt' });
});

test('a file that cannot be read gives an error that names it and says what to do', async () => {
  const missing = join(folder, 'missing.ndjson');
  await assert.rejects(linesOf(missing), {
    name: 'FeedFileError',
    code: 'unreadable',
    file: missing,
    message: `${missing}: no such file; check the path`,
  });
  await assert.rejects(linesOf(folder), { code: 'unreadable', message: /folder/ });
});
