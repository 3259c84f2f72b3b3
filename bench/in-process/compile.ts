// How long a feed takes to become a snapshot: from scratch, and with the snapshot of the feed before one record in a
// hundred changed in place.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { megabytes } from '../../src/cli/figures.ts';
import { compileFeeds } from '../../src/cli/sources/compile-feeds.ts';
import { openPrevious } from '../../src/cli/sources/previous-snapshot.ts';
import { BUILT_AT_MS, type Corpus, feedLines } from '../corpus.ts';
import type { LongTask, Prepared } from './measure.ts';

const CHANGED_EVERY = 100;

export function prepareCompile({ feed, folder, snapshotPath, snapshotBytes, snapshotId }: Corpus): Prepared {
  const changedPath = join(folder, 'changed.ndjson');
  const out = join(folder, 'compiled.vdx');
  let at = 0;
  writeFileSync(changedPath, '');
  for (const lines of feedLines(feed)) {
    const changed = lines.map((line) =>
      at++ % CHANGED_EVERY === 0 ? line.replace('"title":"', '"title":"Updated: ') : line,
    );
    writeFileSync(changedPath, changed.map((line) => `${line}\n`).join(''), { flag: 'a' });
  }
  const ids = new Map([['from scratch', snapshotId]]);
  const task = (name: string, path: string, previousPath?: string): LongTask => ({
    name,
    asks: 'compile, per advisory',
    questions: feed.advisories,
    runOnce: async () => {
      const startMs = performance.now();
      const previous = previousPath === undefined ? undefined : openPrevious(previousPath, console.error);
      const plan = { feeds: [path], out, skipInvalid: false, builtAtMs: BUILT_AT_MS, previous };
      const { id } = await compileFeeds(plan, () => {});
      const ms = performance.now() - startMs;
      previous?.close();
      if (id !== (ids.get(name) ?? id)) throw new Error(`compiled ${id}, not ${ids.get(name)}`);
      ids.set(name, id);
      return ms;
    },
  });
  return {
    notes: [
      `${feed.advisories} advisories, feed ${megabytes(feed.bytes)}, snapshot ${megabytes(snapshotBytes)}`,
      `--previous: every ${CHANGED_EVERY}th record changed in place`,
    ],
    tasks: [task('from scratch', feed.path), task('with --previous', changedPath, snapshotPath)],
  };
}
