import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { addInspectCommand } from '../../src/cli/inspect.ts';
import { SCHEME_REVISIONS } from '../../src/index/versions/version-key.ts';
import { FORMAT, HEADER_BYTES } from '../../src/loader/format.ts';
import { runCommand } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { runProgram } from '../support/process/program.ts';
import {
  compileRecords,
  copyColumns,
  forged,
  readBytes,
  sampleRecords,
  sectionBounds,
  withFlippedBit,
  writeBytes,
} from '../support/snapshots/snapshots.ts';
import { typeCounts } from '../support/snapshots/type-counts.ts';

const folder = temporaryFolder({ after });
let path: string;
let sound: Uint8Array;

before(async () => {
  path = await compileRecords(folder, sampleRecords());
  sound = readBytes(path);
});

test('as JSON it gives header, counts and sizes', async () => {
  const { out, err, error } = await runCommand(addInspectCommand, 'inspect', path, '--json');
  assert.equal(error, undefined);
  assert.equal(err, '');
  const { largest_columns: largest, ...rest } = JSON.parse(out);
  const columns = copyColumns(sound);
  assert.deepEqual(rest, {
    file: path,
    format: FORMAT,
    id: Buffer.from(sound.subarray(32, 40)).toString('hex'),
    built_at: '2026-01-10T00:00:00.000Z',
    total_bytes: sound.length,
    scheme_revisions: SCHEME_REVISIONS,
    fixes: { followed: 0, dropped: 0 },
    counts: {
      ...typeCounts({ plugin: 3, theme: 1, wordpress: 2, npm: 3 }),
      withdrawn: 2,
      products: 6,
      spans: 14,
      versions: columns.versionTextStart.length - 1,
      terms: columns.termStart.length - 1,
      aliases: columns.aliasStart.length - 1,
      bodies: 2,
      epss: 2,
      kev: 2,
    },
    section_bytes: {
      texts: sectionBounds(sound, 'texts').length,
      details: sectionBounds(sound, 'details').length,
      bodies: sectionBounds(sound, 'bodies').length,
      index: sectionBounds(sound, 'index').length,
      origins: sectionBounds(sound, 'origins').length,
    },
  });
  assert.equal(largest.length, 10);
  const bytes = largest.map((column: { readonly bytes: number }) => column.bytes);
  assert.deepEqual(
    bytes,
    [...bytes].sort((a, b) => b - a),
  );
  assert.ok(bytes[0] === Math.max(...Object.values(columns).map((column) => column.byteLength)));
  for (const column of largest) assert.match(column.name, /^[a-z]+(_[a-z]+)*$/);
});

test('as text it prints the same in tables with right-aligned numbers', async () => {
  const { out, error } = await runCommand(addInspectCommand, 'inspect', path);
  assert.equal(error, undefined);
  assert.match(out, /^built at {6}2026-01-10T00:00:00\.000Z$/m);
  assert.match(out, new RegExp(`^size {10}${sound.length.toLocaleString('en-US')} bytes$`, 'm'));
  const revisions = Object.entries(SCHEME_REVISIONS).map((each) => each.join(' '));
  assert.match(out, new RegExp(`^version keys {2}${revisions.join(', ')}$`, 'm'));
  const counts = out.split('\n').filter((line) => /^ {2}(plugin|withdrawn|spans|aliases) /.test(line));
  assert.equal(counts.length, 4);
  assert.equal(new Set(counts.map((line) => line.length)).size, 1);
});

test('a file that a server would refuse is refused with the same message', async () => {
  const cases: readonly (readonly [Uint8Array, RegExp])[] = [
    [
      sound.slice(0, HEADER_BYTES + 1),
      /snapshot rejected: truncated in "file" at byte 193 \(.*\); it may still/,
    ],
    [withFlippedBit(sound, sound.length - 1), /snapshot rejected: checksum-mismatch in "header"/],
    [
      forged(sound, { columns: ({ runCounts }) => void runCounts.fill(0) }),
      /snapshot rejected: bad-index in "index\.runCounts"/,
    ],
  ];
  for (const [bytes, message] of cases) {
    const file = writeBytes(folder, 'bad.vdx', bytes);
    const { out, error } = await runCommand(addInspectCommand, 'inspect', file, '--json');
    assert.equal(out, '');
    assert.equal(error?.name, 'CommandError');
    assert.match(error?.message ?? '', message);
    assert.ok(error?.message.startsWith(`${file}: `) && !error.message.includes('\n'));
  }
});

test('a missing file or a folder without a snapshot is reported in plain words', async (t) => {
  for (const [file, message] of [
    [join(folder, 'nofile'), /nofile: no such file; check the path$/],
    [temporaryFolder(t), /: no snapshot in this folder; name a file$/],
    [join(path, 'x.vdx'), /x\.vdx: no such file: part of the path is not a folder; check the path$/],
  ] as const) {
    const { error } = await runCommand(addInspectCommand, 'inspect', file);
    assert.equal(error?.name, 'CommandError');
    assert.match(error?.message ?? '', message);
  }
});

test('a snapshot can come from standard input', async () => {
  const { stdout } = await runProgram(['inspect', '-', '--json'], { input: sound });
  const { file, total_bytes: bytes } = JSON.parse(stdout.toString());
  assert.deepEqual([file, bytes], ['-', sound.length]);
});
