// A snapshot of invented advisories in a folder of its own, as the server wants it. Other benches hold the feed's
// lines too; a million of them fit into no string, and nobody here asks for them.

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
