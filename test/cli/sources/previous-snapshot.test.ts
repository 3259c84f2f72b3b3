import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { addCompileCommand } from '../../../src/cli/compile.ts';
import { verifySnapshot } from '../../../src/loader/snapshot/verify-deep.ts';
import { type Ran, runCommand } from '../../support/command.ts';
import { feedRecord } from '../../support/feeds/advisories.ts';
import { temporaryFolder } from '../../support/folder.ts';

const FORMAT_OFFSET = 8;

/** A folder with a feed, its snapshot, and a command that compiles the feed again with `--previous`. */
async function workplace(t: TestContext) {
  const folder = temporaryFolder(t);
  const path = (name: string): string => join(folder, name);
  writeFileSync(path('feed.ndjson'), `${JSON.stringify(feedRecord(1))}\n${JSON.stringify(feedRecord(2))}\n`);
  const compile = (out: string, ...more: string[]): Promise<Ran> => {
    const words = [
      '--feed',
      path('feed.ndjson'),
      '--out',
      path(out),
      '--built-at',
      '2026-01-10T00:00:00Z',
      ...more,
    ];
    return runCommand(addCompileCommand, 'compile', ...words);
  };
  const first = await compile('first.vdx');
  assert.equal(first.error, undefined);
  return { path, compile, bytes: readFileSync(path('first.vdx')) };
}

test('with a previous snapshot of the same feed, the result has the same bytes', async (t) => {
  const { path, compile, bytes } = await workplace(t);
  const ran = await compile('second.vdx', '--previous', path('first.vdx'));
  assert.equal(ran.error, undefined);
  assert.equal(ran.err, '');
  assert.ok(readFileSync(path('second.vdx')).equals(bytes));
});

test('the previous snapshot may be the target', async (t) => {
  const { path, compile, bytes } = await workplace(t);
  assert.equal((await compile('first.vdx', '--previous', path('first.vdx'))).error, undefined);
  assert.ok(readFileSync(path('first.vdx')).equals(bytes));
});

for (const [what, damage, message] of [
  ['is missing', undefined, /no such file/],
  ['is foreign', () => Buffer.from('not a snapshot at all'), /foreign-file/],
  ['is truncated', (bytes: Buffer) => bytes.subarray(0, -1), /truncated/],
  [
    'is damaged',
    (bytes: Buffer) => Buffer.concat([bytes.subarray(0, -1), Buffer.from([(bytes.at(-1) ?? 0) ^ 1])]),
    /checksum-mismatch/,
  ],
  ['is of a later format', (bytes: Buffer) => withFormat(bytes, 99), /unsupported-format/],
] as const) {
  test(`a previous snapshot that ${what} is an error that names it, and nothing is written`, async (t) => {
    const { path, compile, bytes } = await workplace(t);
    if (damage !== undefined) writeFileSync(path('bad.vdx'), damage(bytes));
    const { error } = await compile('second.vdx', '--previous', path('bad.vdx'));
    assert.ok(error instanceof Error);
    assert.ok(error.message.includes(`${path('bad.vdx')}: `), error.message);
    assert.match(error.message, message);
    assert.throws(() => readFileSync(path('second.vdx')), { code: 'ENOENT' });
  });
}

test('a previous snapshot of an earlier format is ignored with a warning', async (t) => {
  const { path, compile, bytes } = await workplace(t);
  writeFileSync(path('old.vdx'), withFormat(bytes, 2));
  const ran = await compile('second.vdx', '--previous', path('old.vdx'));
  assert.equal(ran.error, undefined);
  assert.match(
    ran.err,
    /^\S+old\.vdx: warning: it is from an earlier release, so everything is compiled anew \(.+\)\n$/,
  );
  assert.ok(readFileSync(path('second.vdx')).equals(bytes));
  verifySnapshot(path('second.vdx'));
});

function withFormat(bytes: Buffer, format: number): Buffer {
  const changed = Buffer.from(bytes);
  changed.writeUInt32LE(format, FORMAT_OFFSET);
  return changed;
}
