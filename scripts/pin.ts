// Writes test/fixtures/pinned: a small snapshot, the worked example of docs/snapshot-format.md with its
// figures on that page, and hashes of the answers. `npm run pin` refuses when bytes changed but no number was
// raised, because old snapshots would then be misread, or caches would keep old answers. `npm run pin --
// --accept` is for changes that are fine: the compiler makes a different choice for the same feed, and its
// earlier output is still read correctly.

import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { recordAnswers, writeRecorded } from '../test/support/answers/recorded.ts';
import { columnLines, headerLines, replaceBlock } from '../test/support/answers/worked-page.ts';
import { temporaryFolder } from '../test/support/folder.ts';
import {
  answersOf,
  contentsOf,
  currentNumbers,
  digestOf,
  MANIFEST,
  type Manifest,
  PINNED_SNAPSHOT,
  pinnedRecords,
  readManifest,
  WORKED_EXAMPLE,
  workedRecords,
} from '../test/support/oracles/pinned.ts';
import { compileRecords, readBytes } from '../test/support/snapshots/snapshots.ts';

const PAGE = 'docs/snapshot-format.md';
const cleanings: (() => void)[] = [];
const owner = { after: (clean: () => void) => void cleanings.push(clean) };

function refuse(what: string, raise: string): never {
  console.error(`${what} changed but no number was raised: raise ${raise} and try again.`);
  console.error('If all earlier output is still read correctly, run `npm run pin -- --accept`.');
  process.exit(1);
}

/** Ends the process if bytes changed without a raised number. */
function check(before: Manifest, after: Manifest): void {
  if (before.records !== after.records) return; // a different sample: nothing to compare with
  const isSame = (key: 'format' | 'schemeRevisions'): boolean => isDeepStrictEqual(before[key], after[key]);
  // Every snapshot gets a new id, and so a new tag.
  if (!isSame('format') || !isSame('schemeRevisions')) return;
  if (!isDeepStrictEqual(before.contents, after.contents)) {
    const changed = Object.keys(after.contents).filter(
      (name) => before.contents[name] !== after.contents[name],
    );
    refuse(`the bytes of ${changed.join(', ')}`, 'FORMAT or the revision of a scheme in SCHEME_REVISIONS');
  }
  if (
    before.responseRevision === after.responseRevision &&
    !isDeepStrictEqual(before.answers, after.answers)
  ) {
    const changed = Object.keys(after.answers).filter((name) => before.answers[name] !== after.answers[name]);
    refuse(
      `${changed.length} answers (the first to ${changed[0]})`,
      'REVISIONS.patchstack in src/dialects/etags.ts',
    );
  }
}

try {
  const folder = temporaryFolder(owner);
  const snapshot = await compileRecords(folder, pinnedRecords(), { name: 'pinned.vdx' });
  const manifest: Manifest = {
    ...currentNumbers(),
    records: digestOf(JSON.stringify(pinnedRecords())),
    contents: contentsOf(readBytes(snapshot)),
    answers: await answersOf(owner, snapshot),
  };
  if (existsSync(MANIFEST) && !process.argv.includes('--accept')) check(readManifest(), manifest);

  const page = readFileSync(PAGE, 'utf8');
  const worked = await compileRecords(folder, workedRecords(page), { name: 'worked.vdx' });
  const bytes = readBytes(worked);
  mkdirSync(dirname(MANIFEST), { recursive: true });
  copyFileSync(snapshot, PINNED_SNAPSHOT);
  copyFileSync(worked, WORKED_EXAMPLE);
  writeFileSync(MANIFEST, `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(PAGE, replaceBlock(replaceBlock(page, headerLines(bytes)), columnLines(bytes)));
  writeRecorded(await recordAnswers(owner));
  console.log(`pinned in ${join(dirname(MANIFEST))}, figures of section 14 in ${PAGE}`);
} finally {
  for (const clean of cleanings) clean();
}
