// How long a feed takes to become a snapshot: from scratch, and with the snapshot of the feed before one
// record in a hundred changed in place.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { megabytes } from '../../src/cli/figures.ts';
import { compileFeeds } from '../../src/cli/sources/compile-feeds.ts';
import { openPrevious } from '../../src/cli/sources/previous-snapshot.ts';
import { BUILT_AT_MS, type Corpus, feedLines } from '../corpus.ts';
import type { Prepared, Task } from './measure.ts';

const CHANGED_EVERY = 100;

export async function prepareCompile(corpus: Corpus): Promise<Prepared> {
  const { folder, advisories, feedPath, feedBytes, snapshotPath, snapshotBytes, snapshotId } = corpus;
  const changedPath = join(folder, 'changed.ndjson');
  const out = join(folder, 'compiled.vdx');
  let at = 0;
  writeFileSync(changedPath, '');
  for await (const lines of feedLines(corpus)) {
    const changed = lines.map((line) =>
      at++ % CHANGED_EVERY === 0 ? line.replace('"title":"', '"title":"Updated: ') : line,
    );
    writeFileSync(changedPath, changed.map((line) => `${line}\n`).join(''), { flag: 'a' });
  }
  const task = (name: string, path: string, previousPath?: string): Task => ({
    name,
    asks: 'compile, per advisory',
    questions: advisories,
    run: async () => {
      const startMs = performance.now();
      const previous = previousPath === undefined ? undefined : openPrevious(previousPath, console.error);
      const plan = { feeds: [path], out, skipInvalid: false, builtAtMs: BUILT_AT_MS, previous };
      const { id } = await compileFeeds(plan, () => {});
      const overriddenDuration = performance.now() - startMs;
      if ((id === snapshotId) !== (path === feedPath)) throw new Error(`${name}: compiled ${id}`);
      return { overriddenDuration };
    },
  });
  return {
    notes: [
      `${advisories} advisories, feed ${megabytes(feedBytes)}, snapshot ${megabytes(snapshotBytes)} (id ${snapshotId})`,
      `--previous: every ${CHANGED_EVERY}th record changed in place`,
    ],
    tasks: [task('from scratch', feedPath), task('with --previous', changedPath, snapshotPath)],
  };
}
