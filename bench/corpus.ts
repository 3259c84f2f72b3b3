// What the benches run on: an invented feed of a given size, always from the same seed, and its snapshot. Both lie
// in a temporary folder that goes away at the end.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileFeeds } from '../src/cli/compile.ts';
import { generateTo } from '../src/cli/generate.ts';

export const SEED = 1;
const BUILT_AT_MS = Date.UTC(2026, 0, 1);

export interface Corpus {
  readonly advisories: number;
  readonly feedBytes: number;
  readonly snapshotBytes: number;
  readonly snapshotPath: string;
  /** The feed's lines, one JSON text each. */
  readonly lines: readonly string[];
}

/** Makes a corpus, hands it to `use`, and takes it away again. */
export async function withCorpus<Result>(
  advisories: number,
  use: (corpus: Corpus) => Promise<Result> | Result,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'vulndex-bench-'));
  try {
    const feed = join(folder, 'feed.ndjson');
    const snapshotPath = join(folder, 'bench.vdx');
    const { bytes: feedBytes } = await generateTo(feed, { advisories, seed: SEED });
    const plan = { feeds: [feed], out: snapshotPath, skipInvalid: false, builtAtMs: BUILT_AT_MS };
    const { totalBytes } = await compileFeeds(plan, (line) => console.error(line));
    const lines = readFileSync(feed, 'utf8').trimEnd().split('\n');
    return await use({ advisories, feedBytes, snapshotBytes: totalBytes, snapshotPath, lines });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
