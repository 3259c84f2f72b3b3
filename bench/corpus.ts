// What the benches run on: a synthetic feed of a given size, always from the same seed, and its snapshot. Both are
// in a temporary folder that is removed at the end.

import { closeSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileFeeds } from '../src/cli/compile-feeds.ts';
import { generateTo } from '../src/cli/generate.ts';

export const SEED = 1;
const BUILT_AT_MS = Date.UTC(2026, 0, 1);
const READ_BYTES = 1 << 20;
const NEWLINE = 10;

export interface Corpus {
  readonly advisories: number;
  readonly feedBytes: number;
  readonly snapshotBytes: number;
  readonly snapshotId: string;
  readonly snapshotPath: string;
  /** One JSON text per line; removed if `keepFeed` was false. */
  readonly feedPath: string;
}

/** Creates a corpus, passes it to `use`, and removes it. */
export async function withCorpus<Result>(
  advisories: number,
  keepFeed: boolean,
  use: (corpus: Corpus) => Promise<Result> | Result,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'vulndex-bench-'));
  try {
    const feedPath = join(folder, 'feed.ndjson');
    const snapshotPath = join(folder, 'bench.vdx');
    const { bytes: feedBytes } = await generateTo(feedPath, { advisories, seed: SEED });
    const plan = { feeds: [feedPath], out: snapshotPath, skipInvalid: false, builtAtMs: BUILT_AT_MS };
    const { totalBytes: snapshotBytes, id: snapshotId } = await compileFeeds(plan, (line) =>
      console.error(line),
    );
    if (!keepFeed) rmSync(feedPath);
    return await use({ advisories, feedBytes, snapshotBytes, snapshotId, snapshotPath, feedPath });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The feed's lines in batches. A feed of a million advisories is longer than the longest string. */
export function* feedLines({ feedPath }: Corpus, batchLines: number): Generator<string[]> {
  const file = openSync(feedPath, 'r');
  try {
    let lines: string[] = [];
    let rest: Buffer = Buffer.alloc(0);
    for (;;) {
      const chunk = Buffer.allocUnsafe(READ_BYTES);
      const bytes = readSync(file, chunk, 0, READ_BYTES, null);
      if (bytes === 0) break;
      const block = Buffer.concat([rest, chunk.subarray(0, bytes)]);
      let start = 0;
      for (let end = block.indexOf(NEWLINE); end >= 0; end = block.indexOf(NEWLINE, start)) {
        lines.push(block.toString('utf8', start, end));
        start = end + 1;
        if (lines.length < batchLines) continue;
        yield lines;
        lines = [];
      }
      rest = block.subarray(start);
    }
    if (lines.length > 0) yield lines;
  } finally {
    closeSync(file);
  }
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
