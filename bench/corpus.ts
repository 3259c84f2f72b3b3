// What the benches run on: a synthetic feed of a given size, always from the same seed, and its snapshot.

import { closeSync, mkdirSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { generateTo } from '../src/cli/generate.ts';
import { compileFeeds } from '../src/cli/sources/compile-feeds.ts';

export const SEED = 1;
export const BUILT_AT_MS = Date.UTC(2026, 0, 1);
const READ_BYTES = 1 << 20;
const NEWLINE = 10;

export interface Feed {
  readonly advisories: number;
  /** One JSON text per line. */
  readonly path: string;
  readonly bytes: number;
}

export interface Corpus {
  /** Where all is, and what a bench makes of it. */
  readonly folder: string;
  readonly feed: Feed;
  /** The folder that a server can watch, and the one file in it. */
  readonly snapshots: string;
  readonly snapshotPath: string;
  readonly snapshotBytes: number;
  readonly snapshotId: string;
}

/** Makes a feed and `snapshots/bench.vdx` below the folder. */
export async function makeCorpus(folder: string, advisories: number): Promise<Corpus> {
  const path = join(folder, 'feed.ndjson');
  const { bytes } = await generateTo(path, { advisories, seed: SEED });
  const feed = { advisories, path, bytes };
  const snapshots = join(folder, 'snapshots');
  const snapshotPath = join(snapshots, 'bench.vdx');
  mkdirSync(snapshots);
  const plan = { feeds: [path], out: snapshotPath, skipInvalid: false, builtAtMs: BUILT_AT_MS };
  const { totalBytes: snapshotBytes, id: snapshotId } = await compileFeeds(plan, console.error);
  return { folder, feed, snapshots, snapshotPath, snapshotBytes, snapshotId };
}

/** The feed's lines in batches. A feed of a million advisories is longer than the longest string. */
export function* feedLines({ path }: Feed): Generator<string[]> {
  const file = openSync(path, 'r');
  const chunk = Buffer.allocUnsafe(READ_BYTES);
  let rest: Buffer = Buffer.alloc(0);
  try {
    for (let bytes = readSync(file, chunk); bytes > 0; bytes = readSync(file, chunk)) {
      const block = Buffer.concat([rest, chunk.subarray(0, bytes)]);
      const lines: string[] = [];
      let start = 0;
      for (let end = block.indexOf(NEWLINE); end >= 0; end = block.indexOf(NEWLINE, start)) {
        lines.push(block.toString('utf8', start, end));
        start = end + 1;
      }
      rest = block.subarray(start);
      yield lines;
    }
  } finally {
    closeSync(file);
  }
}
