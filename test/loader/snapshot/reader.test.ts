import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  openSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { BLOCK_SECTION_NAMES } from '../../../src/index/columns.ts';
import { SnapshotError, type SnapshotErrorCode, type SnapshotFault } from '../../../src/loader/errors.ts';
import { FORMAT, formatHeader, HEADER_BYTES, MAGIC, SECTIONS } from '../../../src/loader/format.ts';
import { loadSnapshot } from '../../../src/loader/snapshot/load.ts';
import { readSnapshot, readSnapshotHeader } from '../../../src/loader/snapshot/reader.ts';
import { beforeReading, failWith } from '../../support/failing-system.ts';
import { temporaryFolder } from '../../support/folder.ts';
import {
  BUILT_AT_MS,
  compileRecords,
  forged,
  readBytes,
  resealed,
  sampleRecords,
  sectionBounds,
  withFlippedBit,
  writeBytes,
} from '../../support/snapshots/snapshots.ts';

const PNG = Uint8Array.of(
  0x89,
  0x50,
  0x4e,
  0x47,
  0x0d,
  0x0a,
  0x1a,
  0x0a,
  0,
  0,
  0,
  13,
  0x49,
  0x48,
  0x44,
  0x52,
);

const folder = temporaryFolder({ after });
let sound: Uint8Array;

before(async () => {
  sound = readBytes(await compileRecords(folder, sampleRecords()));
});

function refusalOf(path: string): SnapshotError {
  try {
    readSnapshot(path);
  } catch (error) {
    assert.ok(error instanceof SnapshotError, `not a SnapshotError: ${error}`);
    return error;
  }
  return assert.fail(`${path} was accepted`);
}

function assertRefused(bytes: Uint8Array, code: SnapshotErrorCode, where: Partial<SnapshotFault> = {}): void {
  const error = refusalOf(writeBytes(folder, 'damaged.vdx', bytes));
  const { section, offset } = error;
  assert.equal(error.code, code, error.message);
  assert.deepEqual({ section, offset, ...where }, { section, offset }, error.message);
}

/** A copy with one header field replaced and a matching checksum. */
function withHeader(change: (view: DataView) => void): Uint8Array {
  const copy = sound.slice();
  change(new DataView(copy.buffer));
  return resealed(copy);
}

test('an empty file is truncated', () => {
  assertRefused(new Uint8Array(0), 'truncated', { section: 'header', offset: 0 });
});

test('a file is truncated when it ends inside the header, even inside the magic', () => {
  for (const length of [1, 7, 8, 9, HEADER_BYTES - 1]) {
    assertRefused(sound.slice(0, length), 'truncated', { section: 'header', offset: length });
  }
});

test('a file is truncated when it ends at a section boundary, one byte before or one after', () => {
  const ends = SECTIONS.flatMap((name) => {
    const { offset, length } = sectionBounds(sound, name);
    return [offset, offset + length];
  });
  const lengths = ends.flatMap((end) => [end - 1, end, end + 1]).filter((length) => length < sound.length);
  for (const length of lengths) {
    if (length < HEADER_BYTES) continue;
    assertRefused(sound.slice(0, length), 'truncated', { section: 'file', offset: length });
  }
  assert.ok(lengths.length >= 15);
});

test('a file has a length mismatch when bytes were added', () => {
  assertRefused(Uint8Array.of(...sound, 0), 'length-mismatch', { section: 'file', offset: sound.length });
});

test('a PNG, a text, a wrong first byte and a flipped bit in the magic make a file foreign', () => {
  const texts = ['{"id":1}\n', 'x', '\u0089VDX'].map((text) => new TextEncoder().encode(text));
  for (const bytes of [PNG, ...texts]) assertRefused(bytes, 'foreign-file', { section: 'header', offset: 0 });
  MAGIC.forEach((_, at) => {
    assertRefused(withFlippedBit(sound, at, at % 8), 'foreign-file');
  });
});

test('a file is foreign after a text-mode transfer, however that changes line endings', () => {
  const latin1 = Buffer.from(sound).toString('latin1');
  const unixToDos = Buffer.from(latin1.replace(/\r?\n/g, '\r\n'), 'latin1');
  const dosToUnix = Buffer.from(latin1.replaceAll('\r\n', '\n'), 'latin1');
  const sevenBits = sound.map((byte) => byte & 0x7f);
  for (const bytes of [unixToDos, dosToUnix, sevenBits]) assertRefused(bytes, 'foreign-file');
});

test('a file is unreadable when it is missing, a folder, a pipe without a writer or a link to itself', (t) => {
  const nothing = join(folder, 'nothing.vdx');
  assert.match(refusalOf(nothing).message, /unreadable .*ENOENT/);
  mkdirSync(join(folder, 'folder.vdx'));
  assert.equal(refusalOf(join(folder, 'folder.vdx')).code, 'unreadable');
  symlinkSync('loop.vdx', join(folder, 'loop.vdx'));
  assert.equal(refusalOf(join(folder, 'loop.vdx')).code, 'unreadable');
  const pipe = join(folder, 'pipe.vdx');
  if (spawnSync('mkfifo', [pipe]).status !== 0) return t.diagnostic('no mkfifo here: pipes are not tested');
  assert.equal(refusalOf(pipe).code, 'unreadable');
});

test('a header of an unsupported format is refused, later or earlier, however long the file', () => {
  for (const format of [0, FORMAT - 1, FORMAT + 1, 0xffff_ffff]) {
    const bytes = withHeader((view) => view.setUint32(8, format, true));
    assertRefused(bytes, 'unsupported-format', { section: 'header', offset: 8 });
    assertRefused(bytes.slice(0, HEADER_BYTES), 'unsupported-format');
  }
});

test('a header with a bad layout is refused: its size, build time, or a section moved, too long or too short', () => {
  const cases: readonly (readonly [at: number, change: (view: DataView) => void])[] = [
    [12, (view) => view.setUint32(12, 64, true)],
    [24, (view) => view.setBigUint64(24, 253_402_300_800_000n, true)],
    [24, (view) => view.setBigInt64(24, -1n, true)],
    [112, (view) => view.setBigUint64(112, 200n, true)],
    [128, (view) => view.setBigUint64(120, view.getBigUint64(120, true) + 8n, true)],
    [128, (view) => view.setBigUint64(120, 0n, true)],
    [120, (view) => view.setBigUint64(120, 2n ** 53n, true)],
    [128, (view) => view.setBigUint64(120, 2n ** 32n, true)], // sections of blocks may be that long, the file is not
    [144, (view) => view.setBigUint64(136, 2n ** 32n, true)],
    [160, (view) => view.setBigUint64(152, 2n ** 32n, true)],
    [128, (view) => view.setBigUint64(128, 0n, true)],
    [160, (view) => view.setBigUint64(160, 2n ** 64n - 1n, true)],
    [168, (view) => view.setBigUint64(168, 2n ** 31n, true)],
    [176, (view) => view.setBigUint64(168, view.getBigUint64(168, true) + 8n, true)],
    [16, (view) => view.setBigUint64(184, view.getBigUint64(184, true) - 1n, true)],
    [16, (view) => view.setBigUint64(184, view.getBigUint64(184, true) + 8n, true)],
  ];
  for (const [offset, change] of cases) {
    assertRefused(withHeader(change), 'bad-layout', { section: 'header', offset });
  }
});

test('a header with keys of another revision of any scheme is refused', () => {
  for (const at of [64, 66, 68, 70]) {
    const bytes = withHeader((view) => view.setUint16(at, 9, true));
    assertRefused(bytes, 'scheme-revision', { section: 'header', offset: at });
  }
});

test('a flipped bit in any field of the header is caught', () => {
  for (let at = 0; at < HEADER_BYTES; at++) {
    const error = refusalOf(writeBytes(folder, 'damaged.vdx', withFlippedBit(sound, at, (at * 5) % 8)));
    assert.ok(expectedCodes(at).includes(error.code), `byte ${at}: ${error.message}`);
  }
});

function expectedCodes(at: number): readonly SnapshotErrorCode[] {
  if (at < 8) return ['foreign-file'];
  if (at < 12) return ['unsupported-format'];
  if (at < 16) return ['bad-layout'];
  if (at < 24) return ['truncated', 'length-mismatch'];
  // A time that RFC 3339 cannot express is refused before the checksum is checked.
  if (at < 32) return ['checksum-mismatch', 'bad-layout'];
  if (at < 112) return ['checksum-mismatch'];
  // A length may change within its padding and still fit the layout.
  return ['bad-layout', 'checksum-mismatch'];
}

test('a flipped bit at the start, in the middle or at the end of any section does not match the checksum', () => {
  for (const name of SECTIONS) {
    const { offset, length } = sectionBounds(sound, name);
    for (const at of [offset, offset + (length >> 1), offset + length - 1]) {
      assertRefused(withFlippedBit(sound, at, at % 8), 'checksum-mismatch', {
        section: 'header',
        offset: 32,
      });
    }
  }
});

test('changed contents are reported in one sentence: what, where, expected, got, and what to do', () => {
  const { offset } = sectionBounds(sound, 'details');
  const { message } = refusalOf(writeBytes(folder, 'damaged.vdx', withFlippedBit(sound, offset)));
  assert.match(
    message,
    /^snapshot rejected: checksum-mismatch in "header" at byte 32 \(expected [0-9a-f]{16}, got [0-9a-f]{16}\); fetch it again or recompile$/,
  );
});

test('the id of a sound file is the start of its hash', () => {
  const path = writeBytes(folder, 'sound.vdx', sound);
  const { id, header } = readSnapshot(path);
  assert.equal(id, Buffer.from(header.hash).toString('hex').slice(0, 16));
  assert.equal(header.builtAtMs, BUILT_AT_MS);
  assert.deepEqual(readSnapshotHeader(path), { id, header });
});

test('sections are held as they are in the file, and those that are not asked for are empty', () => {
  const path = writeBytes(folder, 'sound.vdx', sound);
  const { packed: _, ...expected } = readSnapshot(path);
  for (const held of [[], ['texts'], ['details', 'bodies'], BLOCK_SECTION_NAMES] as const) {
    const { packed, ...others } = readSnapshot(path, held);
    assert.deepEqual(others, expected);
    for (const name of BLOCK_SECTION_NAMES) {
      const { offset, length } = sectionBounds(sound, name);
      const isHeld = (held as readonly string[]).includes(name);
      const bytes = sound.slice(offset, isHeld ? offset + length : offset);
      assert.ok(Buffer.from(packed[name]).equals(bytes), name);
    }
  }
});

test('the index alone is refused if any section has changed', () => {
  for (const name of SECTIONS) {
    const { offset } = sectionBounds(sound, name);
    const path = writeBytes(folder, 'damaged.vdx', withFlippedBit(sound, offset));
    assert.throws(() => readSnapshot(path, []), { code: 'checksum-mismatch' });
  }
});

test('a large file is hashed before memory is allocated according to its header, without a helper thread', () => {
  const path = join(folder, 'sparse.vdx');
  const bytes = 640 << 20;
  const index = { offset: bytes - 8, length: 8 };
  const header = formatHeader(BUILT_AT_MS, bytes, {
    texts: { offset: HEADER_BYTES, length: 0 },
    details: { offset: HEADER_BYTES, length: index.offset - HEADER_BYTES },
    bodies: { offset: index.offset, length: 0 },
    index,
    origins: { offset: bytes, length: 0 },
  });
  writeFileSync(path, header);
  truncateSync(path, bytes); // takes no disk space
  const module = new URL('../../../src/loader/snapshot/reader.ts', import.meta.url).href;
  const script = `import(${JSON.stringify(module)}).then(({ readSnapshot }) => {
      require('node:os').setPriority(10); // as the loader of a server does after its first load
      const before = process.resourceUsage().maxRSS;
      try { readSnapshot(${JSON.stringify(path)}); } catch (error) { console.log(error.code); }
      console.log(process.resourceUsage().maxRSS - before);
    });`;
  const { stdout } = spawnSync(process.execPath, ['--import', 'tsx', '-e', script], { encoding: 'utf8' });
  const [code, grownKilobytes] = stdout.trim().split('\n');
  assert.equal(code, 'checksum-mismatch');
  assert.ok(Number(grownKilobytes) < 96 << 10, `${grownKilobytes} KB more`);
});

suite('a large file, whose hash is computed beside its checks', () => {
  let large: Uint8Array;

  before(() => {
    large = forged(sound, { details: new Uint8Array(64 << 20) }); // details that are no blocks
  });

  const path = (bytes: Uint8Array): string => writeBytes(folder, 'large.vdx', bytes);

  test('is held as it is in the file', () => {
    const { packed, columns } = readSnapshot(path(large));
    assert.deepEqual(
      columns.advisoryId,
      readSnapshot(writeBytes(folder, 'sound.vdx', sound)).columns.advisoryId,
    );
    for (const name of BLOCK_SECTION_NAMES) {
      const { offset, length } = sectionBounds(large, name);
      assert.ok(Buffer.from(packed[name]).equals(large.subarray(offset, offset + length)), name);
    }
  });

  test('is refused by its columns, but first by its hash', () => {
    assert.throws(() => loadSnapshot(path(large)), { code: 'bad-index', section: 'index.detailBlockStart' });
    for (const name of ['details', 'index'] as const) {
      const damaged = path(withFlippedBit(large, sectionBounds(large, name).offset + 8));
      assert.throws(() => loadSnapshot(damaged), { code: 'checksum-mismatch' }, name);
    }
  });

  const INDEX = 2; // the reads: the header, the index; for the hash the header again, then the rest
  const REST = 5;

  test('is refused when it is written to while it is read', (t) => {
    const changing = path(large);
    beforeReading(t, REST, () => utimesSync(changing, 1, 1));
    assert.throws(() => readSnapshot(changing), { code: 'changed-while-read' });
  });

  for (const [when, read, code] of [
    ['before its index is read', INDEX, 'truncated'],
    ['while it is hashed', REST, 'changed-while-read'],
  ] as const) {
    test(`is refused when it is cut ${when}`, (t) => {
      const cut = path(large);
      beforeReading(t, read, () => truncateSync(cut, large.length / 2));
      assert.throws(() => readSnapshot(cut), { code });
    });
  }
});

/** The section's first four bytes point at its table, whose first four point back at its list of fields. */
function withIndex(change: (view: DataView, table: number, fields: number) => void): Uint8Array {
  const copy = sound.slice();
  const { offset, length } = sectionBounds(copy, 'index');
  const view = new DataView(copy.buffer, offset, length);
  const table = view.getUint32(0, true);
  change(view, table, table - view.getInt32(table, true));
  return resealed(copy);
}

test('an index section that is empty is refused', () => {
  const { offset } = sectionBounds(sound, 'index');
  const origins = sectionBounds(sound, 'origins');
  const bytes = new Uint8Array(offset + origins.length);
  bytes.set(sound.subarray(0, offset));
  bytes.set(sound.subarray(origins.offset), offset);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(16, BigInt(bytes.length), true);
  view.setBigUint64(168, 0n, true);
  view.setBigUint64(176, BigInt(offset), true);
  assertRefused(resealed(bytes), 'bad-index', { section: 'index.runCounts' });
});

test('a section of origins that does not have one for each advisory is refused', () => {
  for (const length of [-8, 8]) {
    const bytes = new Uint8Array(sound.length + length);
    bytes.set(sound.subarray(0, bytes.length));
    const view = new DataView(bytes.buffer);
    view.setBigUint64(16, BigInt(bytes.length), true);
    view.setBigUint64(184, view.getBigUint64(184, true) + BigInt(length), true);
    assertRefused(resealed(bytes), 'bad-layout', { section: 'header', offset: 184 });
  }
});

test('an index section in which a column is missing is refused', () => {
  const bytes = withIndex((view, _, fields) => view.setUint16(fields + 4 + 2 * 6, 0, true));
  assertRefused(bytes, 'bad-index', { section: 'index.wideNumber' });
});

test('an index column outside, before or across the end of its section, or misaligned, is refused', () => {
  const fieldOf = (view: DataView, table: number, fields: number): number =>
    table + view.getUint16(fields + 4 + 2 * 1, true);
  for (const distance of [0x7fff_fff0, -0x7fff_fff0, 1 << 20]) {
    const bytes = withIndex((view, table, fields) =>
      view.setInt32(fieldOf(view, table, fields), distance, true),
    );
    assertRefused(bytes, 'bad-index', { section: 'index.advisoryId' });
  }
  const odd = withIndex((view, table, fields) => {
    const at = fieldOf(view, table, fields);
    view.setInt32(at, view.getInt32(at, true) + 1, true);
  });
  assertRefused(odd, 'bad-index', { section: 'index.advisoryId' });
  for (const length of [1 << 20, 0x7fff_ffff, 0xffff_ffff]) {
    const long = withIndex((view, table, fields) => {
      const at = fieldOf(view, table, fields);
      view.setUint32(at + view.getInt32(at, true), length, true);
    });
    assertRefused(long, 'bad-index', { section: 'index.advisoryId' });
  }
});

test('two index columns that share bytes are refused, as they could exceed the size of the file', () => {
  const bytes = withIndex((view, table, fields) => {
    const fieldOf = (n: number): number => table + view.getUint16(fields + 4 + 2 * n, true);
    const [id, psid] = [fieldOf(1), fieldOf(2)];
    view.setUint32(psid, view.getUint32(id, true) + id - psid, true);
  });
  assertRefused(bytes, 'bad-index', { section: 'index.advisoryPsid' });
});

test('an index section whose table is out of bounds is refused', () => {
  for (const root of [0, 0x7fff_ffff, 0x8000_0000, 0xffff_fff0]) {
    assert.equal(
      refusalOf(
        writeBytes(
          folder,
          'damaged.vdx',
          withIndex((view) => view.setUint32(0, root, true)),
        ),
      ).code,
      'bad-index',
    );
  }
});

test('a file that is written to while it is read is refused', (t) => {
  const path = writeBytes(folder, 'changing.vdx', sound);
  beforeReading(t, 4, () => utimesSync(path, 1, 1)); // the header, the hash, the texts
  assert.throws(() => readSnapshot(path), { code: 'changed-while-read', section: 'file' });
});

test('a file whose bytes change while it is read is refused, even with the same size and mtime', (t) => {
  const path = writeBytes(folder, 'changing.vdx', sound);
  utimesSync(path, 1, 1); // whole seconds, which can be set again exactly
  beforeReading(t, 3, () => {
    const fd = openSync(path, 'r+');
    writeSync(fd, Buffer.from('other'), 0, 5, sectionBounds(sound, 'texts').offset);
    closeSync(fd);
    utimesSync(path, 1, 1);
  });
  assert.throws(() => readSnapshot(path), { code: 'changed-while-read' });
});

test('a file is unreadable when a system call fails, and the error code is named', (t) => {
  const path = writeBytes(folder, 'failing.vdx', sound);
  failWith(t, 'readSync', 'EIO');
  assert.throws(() => readSnapshot(path), { code: 'unreadable', got: 'EIO' });
});

test('a rewrite that changes nothing is accepted', () => {
  const again = forged(sound, {});
  assert.equal(readSnapshot(writeBytes(folder, 'again.vdx', again)).header.totalBytes, again.length);
});
