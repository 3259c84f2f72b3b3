import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Command } from 'commander';
import { addPublishCommand } from '../../src/cli/publish.ts';
import { parseManifest, signatureName } from '../../src/fleet/manifest.ts';
import { verifyManifest } from '../../src/fleet/manifest-signature.ts';
import { parsePublicKey } from '../../src/fleet/minisign.ts';
import { readSnapshotHeader } from '../../src/loader/snapshot/reader.ts';
import { type Ran, runCommand } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { minisignFixture } from '../support/minisign.ts';
import {
  compileRecords,
  readBytes,
  sampleRecords,
  withFlippedBit,
  writeBytes,
} from '../support/snapshots/snapshots.ts';

const folder = temporaryFolder({ after });
let snapshot: string;
let key: string;

before(async () => {
  snapshot = await compileRecords(folder, sampleRecords());
  key = join(folder, 'minisign.key');
  writeFileSync(key, minisignFixture('plain.key'));
});

function publish(...words: readonly string[]): Promise<Ran> {
  return runCommand((program: Command) => addPublishCommand(program, '1.2.3'), 'publish', ...words);
}

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

test('a snapshot is published and told in one line', async (t) => {
  const store = join(temporaryFolder(t), 'store');
  const { out, err, error } = await publish(snapshot, '--to', store, '--key', key, '--activate-in', '90s');
  assert.equal(error, undefined);
  assert.equal(err, '');
  const { id } = readSnapshotHeader(snapshot);
  assert.match(
    out,
    new RegExp(
      `^published snapshot ${id} to ${store} \\(sequence 1, .* 1 object uploaded, signed, active at .*\\)\n$`,
    ),
  );
  const bytes = readFileSync(join(store, 'latest.json'));
  const manifest = parseManifest(bytes);
  assert.equal(manifest.snapshot.id, id);
  assert.equal(manifest.min_server_version, '1.2.3');
  assert.equal(Date.parse(manifest.activate_at ?? '') - Date.parse(manifest.published_at), 90_000);
  assert.equal(Date.parse(manifest.expires) - Date.parse(manifest.published_at), 7 * 86_400_000);
  assert.deepEqual(readFileSync(join(store, manifest.snapshot.url)), Buffer.from(readBytes(snapshot)));
  const signature = readFileSync(join(store, signatureName(sha256Of(bytes))), 'utf8');
  verifyManifest([parsePublicKey(minisignFixture('plain.pub'))], bytes, signature);
});

test('--json has the manifest and what was done; a dry run leaves no file', async (t) => {
  const store = join(temporaryFolder(t), 'store');
  const overlay = join(folder, 'overlay.json');
  writeFileSync(overlay, '{}');
  const words = [snapshot, '--to', store, '--object', `overlay=${overlay}`, '--json'];
  const dry = JSON.parse((await publish(...words, '--dry-run')).out) as Record<string, unknown>;
  assert.equal(dry.outcome, 'would-publish');
  assert.equal(existsSync(store), false);
  const done = JSON.parse((await publish(...words)).out) as Record<string, unknown>;
  assert.deepEqual(
    { ...done, manifest: undefined, took_ms: undefined },
    {
      outcome: 'published',
      manifest: undefined,
      signed: false,
      uploaded: [`snapshots/${sha256Of(readBytes(snapshot))}.vdx`, `objects/${sha256Of(Buffer.from('{}'))}`],
      present: [],
      removed: [],
      took_ms: undefined,
    },
  );
  assert.deepEqual(parseManifest(JSON.stringify(done.manifest)).objects[0].kind, 'overlay');
});

test('a damaged snapshot is not published', async (t) => {
  const store = join(temporaryFolder(t), 'store');
  const damaged = writeBytes(folder, 'damaged.vdx', withFlippedBit(readBytes(snapshot), 200));
  const { error } = await publish(damaged, '--to', store);
  assert.match(String(error?.message), /damaged\.vdx: snapshot rejected: checksum-mismatch/);
  assert.equal(existsSync(store), false);
});

test('what is missing or does not fit is refused by name, before anything is sent', async (t) => {
  const inside = temporaryFolder(t);
  const store = join(inside, 'store');
  const empty = join(inside, 'empty');
  writeFileSync(empty, '');
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [[snapshot], /--to <place>' not specified/],
    [['-', '--to', store], /published from a file/],
    [[join(inside, 'none.vdx'), '--to', store], /no such file/],
    [[snapshot, '--to', store, '--expires', '0d'], /--expires.*positive/],
    [[snapshot, '--to', store, '--expires', '9999d'], /--expires.*at most 3650d/],
    [[snapshot, '--to', store, '--min-server-version', 'new'], /--min-server-version.*version such as/],
    [[snapshot, '--to', store, '--revoke-below', '0'], /--revoke-below.*whole number/],
    [[snapshot, '--to', store, '--revoke-below', '9'], /name at most 1/],
    [[snapshot, '--to', store, '--keep', '0'], /--keep.*whole number/],
    [[snapshot, '--to', store, '--object', 'overlay'], /--object.*KIND=FILE/],
    [[snapshot, '--to', store, '--object', 'a=x', '--object', 'a=y'], /a already/],
    [[snapshot, '--to', store, '--object', `a=${join(inside, 'none')}`], /none: cannot be read \(ENOENT\)/],
    [[snapshot, '--to', store, '--object', `a=${empty}`], /the file is empty/],
    [[snapshot, '--to', store, '--key', join(inside, 'none')], /--key .*cannot be read \(ENOENT\)/],
    [[snapshot, '--to', store, '--key', empty], /--key .*not a secret key/],
    [[snapshot, '--to', store, '--key-password-file', empty], /there is no --key/],
    [[snapshot, '--to', store, '--activate-at', '2020-01-01', '--expires', '1d'], /--activate-at.*RFC 3339/],
    [[snapshot, '--to', store, '--activate-in', '2d', '--expires', '1d'], /raise --expires/],
    [
      [snapshot, '--to', store, '--activate-in', '1s', '--activate-at', '2020-01-01T00:00:00Z'],
      /cannot be used with/,
    ],
    [[snapshot, '--to', store, '--ca', key], /--ca: --to is a folder/],
    [[snapshot, '--to', 'ftp://host/x'], /--to ftp:.*expected a folder/],
    [[snapshot, '--to', 's3://'], /not the place of a bucket/],
    [[snapshot, '--to', 'https://files.example/'], /--to https:.*expected a folder or s3:/],
    [[snapshot, '--to', join(inside, 'none/store')], /ENOENT.*check the folder/],
  ];
  for (const [words, message] of cases) {
    const { error } = await publish(...words);
    assert.match(String(error?.message), message, words.join(' '));
  }
  assert.deepEqual(readdirSync(inside), ['empty']);
});

test('an outcome that failed is told as JSON too', async (t) => {
  const store = join(temporaryFolder(t), 'store');
  writeFileSync(store, 'a file in its place');
  const { out, error } = await publish(snapshot, '--to', store, '--json');
  const { outcome, message } = JSON.parse(out) as { outcome: string; message: string };
  assert.equal(outcome, 'failed');
  assert.equal(message, error?.message);
  assert.match(message, /ENOTDIR/);
});
