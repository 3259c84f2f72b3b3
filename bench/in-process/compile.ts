// How long a feed takes to become a snapshot: from scratch, and with the snapshot of the feed before one record in a
// hundred changed in place. Each run is a process of its own, so that its peak of memory is its own too.

import { spawnSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { megabytes } from '../../src/cli/figures.ts';
import { type Corpus, feedLines } from '../corpus.ts';
import type { CompileOnce } from './compile-once.ts';
import type { LongTask, Prepared } from './measure.ts';

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
      const { ms, peakBytes, id } = compileOnce(words);
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

function compileOnce(words: readonly string[]): CompileOnce {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const script = fileURLToPath(new URL(`./compile-once.${extension}`, import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [...process.execArgv, script, ...words], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`compile-once ended with status ${status}:\n${stderr}`);
  return JSON.parse(stdout) as CompileOnce; // the script prints exactly this
}
