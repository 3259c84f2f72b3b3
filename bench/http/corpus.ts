// A snapshot of synthetic advisories in its own folder, as the server needs it. Other benches keep the feed's
// lines too; here nothing needs them, and a million do not fit into a string.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { compileFeeds } from '../../src/cli/compile-feeds.ts';
import { generateTo } from '../../src/cli/generate.ts';
import { SEED } from '../corpus.ts';

const BUILT_AT_MS = Date.UTC(2026, 0, 1);

/** Makes `snapshots/bench.vdx` below the folder; returns the path. */
export async function makeSnapshot(folder: string, advisories: number): Promise<string> {
  const feed = join(folder, 'feed.ndjson');
  const snapshots = join(folder, 'snapshots');
  const out = join(snapshots, 'bench.vdx');
  mkdirSync(snapshots);
  await generateTo(feed, { advisories, seed: SEED });
  const plan = { feeds: [feed], out, skipInvalid: false, builtAtMs: BUILT_AT_MS };
  await compileFeeds(plan, (line) => console.error(line));
  rmSync(feed);
  return out;
}
