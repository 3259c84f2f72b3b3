import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { UsageError } from '../../src/cli/command-error.ts';
import { checkFollowOptions, type FollowOptions, followedSource } from '../../src/cli/follow-options.ts';
import { temporaryFolder } from '../support/folder.ts';

const KEY = 'RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3';
const NONE: FollowOptions = {
  source: undefined,
  sourceInterval: 60,
  sourceKey: [],
  sourcePlainHttp: false,
  sourceCa: undefined,
};

test('a source is checked before the server starts, and its folder of snapshots is made', async (t) => {
  const snapshots = join(temporaryFolder(t), 'live');
  const given = { ...NONE, snapshots, maxSnapshotBytes: 1, source: 'oci://ghcr.io/a/b', sourceKey: [KEY] };
  const followed = await followedSource(given);
  assert.equal(followed?.shownAs, 'oci://ghcr.io/a/b:latest');
  assert.deepEqual([followed.data.keys, followed.data.intervalMs], [[KEY], 60_000]);
  assert.ok(existsSync(snapshots));
  assert.equal(await followedSource({ ...given, source: undefined }), undefined);
  for (const [change, pattern] of [
    [{ source: 'http://data.example/latest.json' }, /not encrypted/],
    [{ source: 'ftp://data.example' }, /this is not a source/],
    [{ source: snapshots }, /--source and --snapshots are both/],
    [{ sourceKey: ['nowhere.pub'] }, /--source-key nowhere\.pub: it cannot be read/],
    [{ source: 'https://x.example/', sourceCa: 'nowhere.pem' }, /nowhere\.pem: .*cannot be read/],
  ] as const) {
    await assert.rejects(followedSource({ ...given, ...change }), (error: Error) => {
      assert.match(error.message, pattern);
      return error instanceof UsageError;
    });
  }
});

test('what says nothing without a source is refused', () => {
  checkFollowOptions(NONE);
  assert.throws(
    () => checkFollowOptions({ ...NONE, sourceKey: ['x'] }),
    /--source-key has no effect without/,
  );
  assert.throws(() => checkFollowOptions({ ...NONE, sourceCa: 'x' }), /--source-ca has no effect without/);
});
