// Compares bytes on disk and on the wire with those pinned in test/fixtures/pinned. A failure is either a
// mistake or a change that needs a new revision number, for the sake of old snapshots and caches: see `npm
// run pin`.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { verifySnapshot } from '../../src/loader/snapshot/verify-deep.ts';
import { temporaryFolder } from '../support/folder.ts';
import {
  answersOf,
  contentsOf,
  currentNumbers,
  digestOf,
  PINNED_SNAPSHOT,
  pinnedRecords,
  readManifest,
  WORKED_EXAMPLE,
  workedRecords,
} from '../support/oracles/pinned.ts';
import { compileRecords, readBytes } from '../support/snapshots/snapshots.ts';

const manifest = readManifest();
const CHANGED =
  'these bytes are not those of snapshots that are already out there: raise FORMAT, or the revision of the scheme in ' +
  'SCHEME_REVISIONS, then `npm run pin`';

test("the pinned snapshot has this release's revision numbers", () => {
  const { format, schemeRevisions, responseRevision } = manifest;
  assert.deepEqual(
    { format, schemeRevisions, responseRevision },
    currentNumbers(),
    'a number was raised: rewrite the pinned snapshot and responses with `npm run pin`',
  );
  assert.equal(
    manifest.records,
    digestOf(JSON.stringify(pinnedRecords())),
    'the sample changed: `npm run pin`',
  );
});

for (const [name, path] of Object.entries({
  'the pinned snapshot': PINNED_SNAPSHOT,
  'the worked example': WORKED_EXAMPLE,
})) {
  test(`${name}, written earlier, passes every check, including recomputed keys`, () => {
    assert.doesNotThrow(() => verifySnapshot(path), CHANGED);
  });
}

test('the same records compile to the pinned columns and texts', async (t) => {
  const bytes = readBytes(await compileRecords(temporaryFolder(t), pinnedRecords()));
  assert.deepEqual(contentsOf(bytes), manifest.contents, CHANGED);
  assert.deepEqual(contentsOf(readBytes(PINNED_SNAPSHOT)), manifest.contents);
});

test('the worked example of the page compiles to the columns and texts of the pinned file', async (t) => {
  const page = readFileSync(new URL('../../docs/snapshot-format.md', import.meta.url), 'utf8');
  const records = workedRecords(page);
  assert.equal(records.length, 2);
  const bytes = readBytes(await compileRecords(temporaryFolder(t), records));
  assert.deepEqual(contentsOf(bytes), contentsOf(readBytes(WORKED_EXAMPLE)), CHANGED);
});

test('the pinned snapshot gives the pinned responses, unless REVISIONS.patchstack has changed', async (t) => {
  const answers = await answersOf(t, PINNED_SNAPSHOT);
  assert.deepEqual(
    answers,
    manifest.answers,
    'caches hold the old responses under an ETag that is still valid: raise REVISIONS.patchstack, then `npm run pin`',
  );
  // A sample without matches would pin little.
  const texts = new Set(Object.values(answers));
  assert.ok(texts.size > 60, `${texts.size} different answers`);
});
