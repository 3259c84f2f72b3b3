import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { addVerifyCommand } from '../../src/cli/verify.ts';
import { FORMAT } from '../../src/loader/format.ts';
import { runCommand } from '../support/command.ts';
import { realDataOptions } from '../support/feeds/real-data.ts';
import { temporaryFolder } from '../support/folder.ts';
import { builtProgram } from '../support/process/built-program.ts';
import { realSnapshot } from '../support/snapshots/generation.ts';
import {
  compileRecords,
  forged,
  readBytes,
  sampleRecords,
  withFlippedBit,
  writeBytes,
} from '../support/snapshots/snapshots.ts';

const folder = temporaryFolder({ after });
let path: string;
let sound: Uint8Array;

before(async () => {
  path = await compileRecords(folder, sampleRecords());
  sound = readBytes(path);
});

test('a sound file gets one line that says ok and what it is', async () => {
  const { out, err, error } = await runCommand(addVerifyCommand, 'verify', path);
  assert.equal(error, undefined);
  assert.equal(err, '');
  const size = sound.length.toLocaleString('en-US');
  assert.ok(out.startsWith(`ok: ${path} (id `), out);
  assert.match(out, /^[^\n]+ s\)\n$/);
  assert.ok(
    out.includes(
      `, format ${FORMAT}, built 2026-01-10T00:00:00.000Z, 11 advisories (2 withdrawn), ${size} bytes, `,
    ),
    out,
  );
});

test('an unsound file gets one line that says why, whether or not a server would notice', async () => {
  const cases: readonly (readonly [Uint8Array, RegExp])[] = [
    [withFlippedBit(sound, 4), /foreign-file/],
    [withFlippedBit(sound, 200), /checksum-mismatch/],
    [forged(sound, { columns: ({ advisoryFlags }) => void advisoryFlags.fill(0) }), /index\.advisoryFlags/],
    [forged(sound, { columns: ({ advisoryId }) => void advisoryId.set([106], 10) }), /index\.advisoryId/],
  ];
  for (const [bytes, message] of cases) {
    const file = writeBytes(folder, 'bad.vdx', bytes);
    const { out, error } = await runCommand(addVerifyCommand, 'verify', file);
    assert.equal(out, '');
    assert.equal(error?.name, 'CommandError');
    assert.match(error?.message ?? '', message);
    assert.ok(error?.message.startsWith(`${file}: snapshot rejected: `), error?.message);
    assert.ok(!error?.message.includes('\n'));
  }
});

test('as a process it exits with 0 or 1', () => {
  const missing = join(folder, 'missing.vdx');
  for (const [file, status] of [
    [path, 0],
    [missing, 1],
  ] as const) {
    const words = [builtProgram(), 'verify', file];
    const ran = spawnSync(process.execPath, words, { encoding: 'utf8' });
    assert.equal(ran.status, status, ran.stderr);
    const [said, silent] = status === 0 ? [ran.stdout, ran.stderr] : [ran.stderr, ran.stdout];
    assert.match(said, status === 0 ? /^ok: / : /^vulndex: \S+missing\.vdx: no such file; check the path\n$/);
    assert.equal(said.split('\n').length, 2);
    assert.equal(silent, '');
  }
});

test('as JSON it says whether the file is sound, what it is, or what is wrong with it', async () => {
  const good = await runCommand(addVerifyCommand, 'verify', path, '--json');
  assert.equal(good.error, undefined);
  const { id, took_ms: tookMs, ...rest } = JSON.parse(good.out);
  assert.match(id, /^[0-9a-f]{16}$/);
  assert.ok(tookMs >= 0);
  assert.deepEqual(rest, {
    file: path,
    sound: true,
    format: FORMAT,
    built_at: '2026-01-10T00:00:00.000Z',
    advisories: 11,
    withdrawn: 2,
    total_bytes: sound.length,
  });

  const file = writeBytes(folder, 'bad.vdx', withFlippedBit(sound, 200));
  const bad = await runCommand(addVerifyCommand, 'verify', file, '--json');
  const { message, expected, got, ...fault } = JSON.parse(bad.out);
  assert.deepEqual(fault, { file, sound: false, code: 'checksum-mismatch', section: 'header', offset: 32 });
  assert.match(message, /^snapshot rejected: checksum-mismatch in "header" at byte 32 /);
  assert.notEqual(expected, got);
  assert.equal(bad.error?.message, `${file}: ${message}`);

  const missing = await runCommand(addVerifyCommand, 'verify', join(folder, 'missing.vdx'), '--json');
  assert.equal(missing.out, ''); // nothing was verified, so nothing is said about a snapshot
  assert.match(missing.error?.message ?? '', /no such file/);
});

test('--quiet prints nothing about a sound snapshot', async () => {
  assert.deepEqual(await runCommand(addVerifyCommand, 'verify', path, '--quiet'), {
    ...{ out: '', err: '', error: undefined },
  });
});

test('progress is shown on a terminal, from the first record to the last', async (t) => {
  const said: string[] = [];
  const { isTTY } = process.stderr;
  let nowMs = 0;
  t.mock.method(performance, 'now', () => {
    nowMs += 60; // every look at the clock is later, so that a small file has something to show
    return nowMs;
  });
  t.mock.method(process.stderr, 'write', (text: string) => said.push(text) > 0);
  process.stderr.isTTY = true;
  try {
    await runCommand(addVerifyCommand, 'verify', path);
  } finally {
    process.stderr.isTTY = isTTY;
  }
  assert.ok(
    said.some((text) => /verifying \d+ %/.test(text)),
    said.join('|'),
  );
  assert.equal(said.at(-1), '\r\u001b[K');
});

test('snapshots compiled from the real feeds are sound', realDataOptions, async () => {
  const { out: said, error } = await runCommand(
    addVerifyCommand,
    'verify',
    await realSnapshot('wordpress', 'npm'),
  );
  assert.equal(error, undefined);
  assert.match(said, /^ok: .* 25,721 advisories/);
});
