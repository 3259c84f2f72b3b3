// What the benches run on: a synthetic feed of a given size, always from the same seed, and its snapshot; and
// what a reader needs to repeat a run.

import { execFileSync } from 'node:child_process';
import { createReadStream, mkdirSync } from 'node:fs';
import { cpus } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { generateTo } from '../src/cli/generate.ts';
import { compileFeeds } from '../src/cli/sources/compile-feeds.ts';

export const SEED = 1;
export const BUILT_AT_MS = Date.UTC(2026, 0, 1);
const BATCH_LINES = 1_000;

export interface Corpus {
  /** Where all is, and what a bench makes of it. */
  readonly folder: string;
  readonly advisories: number;
  /** One JSON text per line. */
  readonly feedPath: string;
  readonly feedBytes: number;
  /** The folder that a server can watch, and the one file in it. */
  readonly snapshots: string;
  readonly snapshotPath: string;
  readonly snapshotBytes: number;
  readonly snapshotId: string;
}

/** Makes a feed and `snapshots/bench.vdx` below the folder. */
export async function makeCorpus(folder: string, advisories: number): Promise<Corpus> {
  const feedPath = join(folder, 'feed.ndjson');
  const { bytes: feedBytes } = await generateTo(feedPath, { advisories, seed: SEED });
  const snapshots = join(folder, 'snapshots');
  const snapshotPath = join(snapshots, 'bench.vdx');
  mkdirSync(snapshots);
  const plan = { feeds: [feedPath], out: snapshotPath, skipInvalid: false, builtAtMs: BUILT_AT_MS };
  const { totalBytes: snapshotBytes, id: snapshotId } = await compileFeeds(plan, console.error);
  return { folder, advisories, feedPath, feedBytes, snapshots, snapshotPath, snapshotBytes, snapshotId };
}

/**
 * Compiles with a build's own command: a build reads what it compiled itself, since formats differ. Throws if
 * that fails.
 */
export function compileWith(checkout: string, words: readonly string[], builtAtMs: number): void {
  const command = [join(checkout, 'dist', 'cli.js'), 'compile', ...words];
  execFileSync(process.execPath, [...command, '--built-at', new Date(builtAtMs).toISOString()], {
    encoding: 'utf8', // so that a failure's stderr is read as text
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

/** The corpus's snapshot as another build compiles it, in a folder of its own. Throws as above. */
export function compileAgainst(checkout: string, { feedPath, folder, snapshotPath }: Corpus): string {
  const out = join(folder, 'against', basename(snapshotPath));
  mkdirSync(dirname(out), { recursive: true });
  compileWith(checkout, ['--feed', feedPath, '--out', out], BUILT_AT_MS);
  return out;
}

/** The feed's lines in batches. A feed of a million advisories is longer than the longest string. */
export async function* feedLines({ feedPath }: Corpus): AsyncGenerator<string[]> {
  let batch: string[] = [];
  for await (const line of createInterface({ input: createReadStream(feedPath) })) {
    if (batch.push(line) < BATCH_LINES) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

/** The corpus, the machine and the command. Requires: this process runs the npm script of that name. */
export function describe(script: string, { advisories, snapshotId }: Corpus): string {
  const words = process.argv.slice(2).map((word) => ` ${word}`);
  return `${advisories.toLocaleString('en-US')} synthetic advisories, seed ${SEED}, snapshot ${snapshotId}.
${cpus().length} x ${cpus()[0].model.trim()}, Node ${process.version}. \`npm run ${script} --${words.join('')}\``;
}
