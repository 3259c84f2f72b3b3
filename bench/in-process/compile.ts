// How long a feed takes to become a snapshot: from scratch, and with the snapshot of the feed before one record in a
// hundred changed in place. Each run is a process of its own, so that its peak of memory is its own too.

import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { megabytes } from '../../src/cli/figures.ts';
import { type Corpus, feedLines } from '../corpus.ts';
import type { LongTask, Prepared } from './measure.ts';
import { inOwnProcess } from './own-process.ts';

const CHANGED_EVERY = 100;

export function prepareCompile({ feed, snapshots, snapshotPath, snapshotBytes }: Corpus): Prepared {
  const changedPath = join(snapshots, '..', 'changed.ndjson');
  const out = join(snapshots, '..', 'compiled.vdx');
  let at = 0;
  for (const lines of feedLines(feed)) {
    const changed = lines.map((line) =>
      at++ % CHANGED_EVERY === 0 ? line.replace('"title":"', '"title":"Updated: ') : line,
    );
    appendFileSync(changedPath, changed.map((line) => `${line}\n`).join(''));
  }
  const task = (name: string, asks: string, words: readonly string[]): LongTask => ({
    name,
    asks,
    questions: feed.advisories,
    runOnce: () => {
      const { ms, peakBytes, id } = inOwnProcess('compile-once', words);
      console.error(`${name}: ${(ms / 1000).toFixed(1)} s, peak ${megabytes(peakBytes)}, id ${id}`);
      return ms;
    },
  });
  return {
    notes: [
      `${feed.advisories} advisories, feed ${megabytes(feed.bytes)}, snapshot ${megabytes(snapshotBytes)}`,
      `--previous: every ${CHANGED_EVERY}th record changed in place`,
    ],
    tasks: [
      task('from scratch', 'compile, per advisory', [feed.path, out]),
      task('--previous', 'compile again, per advisory', [changedPath, out, snapshotPath]),
    ],
  };
}
