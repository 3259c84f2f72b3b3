// Compiles feeds alone into a snapshot: their records are numbered and each stands for itself, so they go
// straight to the compiler. Bad lines stop it, or go to a rejects file.

import type { CompiledSnapshot, SnapshotCompiler } from '../../compiler/compile.ts';
import type { PreviousSnapshot } from '../../compiler/previous.ts';
import { FeedImporter } from '../../importers/feed/feed.ts';
import { requireReadable, sizeOf } from '../../importers/feed/lines.ts';
import { formatProblem } from '../../importers/source.ts';
import { WITHDRAWN_RUN } from '../../index/columns.ts';
import { CommandError, UsageError } from '../command-error.ts';
import { counted } from '../figures.ts';
import { isStandardOutput, stoppedPathOf } from '../output/compile-target.ts';
import { type Examine, withSnapshotOutput } from '../output/snapshot-output.ts';
import { showProgress } from '../progress.ts';
import { STANDARD_STREAM } from '../standard-streams.ts';
import { requireFewRejects } from './reject-limit.ts';
import type { RejectsFile } from './rejects-file.ts';

interface CompilePlan {
  /** Files; `-` is standard input. */
  readonly feeds: readonly string[];
  /**
   * A file, a folder (the snapshot is then named after its build time and id), or `-` for standard output.
   */
  readonly out: string;
  readonly skipInvalid: boolean;
  /** With `skipInvalid`: bad lines beyond this share stop the compilation all the same. */
  readonly maxRejectPercent?: number;
  /** A member that the feed format does not have makes the line bad; otherwise it is a warning. */
  readonly strict?: boolean;
  readonly builtAtMs: number;
  readonly examine?: Examine;
  /** What its lines became is kept. */
  readonly previous?: PreviousSnapshot | undefined;
}

export interface CompileResult extends CompiledSnapshot {
  readonly advisories: number;
  /** How many of the advisories are withdrawn. */
  readonly withdrawn: number;
  readonly feedBytes: number;
  readonly rejects: number;
  readonly rejectsPath: string | undefined;
}

/**
 * Compiles and publishes. `report` gets one line for every problem and warning. Throws CommandError, with
 * nothing written, on a bad line without `skipInvalid`, on a feed that cannot be read, or when there is
 * nothing to compile.
 */
export async function compileFeeds(
  plan: CompilePlan,
  report: (line: string) => void,
): Promise<CompileResult> {
  const { out, skipInvalid, builtAtMs, examine, previous } = plan;
  if (isStandardOutput(out) && skipInvalid) {
    throw new UsageError(
      '--skip-invalid writes the bad lines next to the snapshot, which is not possible with standard output: give --out a file or a folder',
    );
  }
  const output = { out, keepsRejects: skipInvalid, builtAtMs, previous, ...(examine ? { examine } : {}) };
  return withSnapshotOutput(
    output,
    () => checkFeeds(plan.feeds),
    async ({ compiler, rejects, finish }) => {
      const { feedBytes, withdrawn, counts: ofFeeds } = await importFeeds(plan, compiler, rejects, report);
      requireFewBadLines(plan, ofFeeds, rejects);
      const counts = { advisories: compiler.count, withdrawn, feedBytes, rejects: rejects.count };
      return { ...(await finish(() => {})), ...counts };
    },
  );
}

function requireFewBadLines(
  { out, skipInvalid, maxRejectPercent }: CompilePlan,
  counts: readonly FeedCounts[],
  rejects: RejectsFile,
): void {
  const bad = rejects.count;
  if (bad > 0 && !skipInvalid) {
    throw new CommandError(
      `${counted(bad, 'bad line')}; nothing was written. Fix the feed, or compile the rest with --skip-invalid`,
    );
  }
  if (maxRejectPercent === undefined) return;
  requireFewRejects(counts, maxRejectPercent, rejects, stoppedPathOf(out));
}

/**
 * What can be known of the feeds without reading them: a second one that is missing must not cost the first.
 */
function checkFeeds(feeds: readonly string[]): void {
  if (feeds.indexOf(STANDARD_STREAM) !== feeds.lastIndexOf(STANDARD_STREAM)) {
    throw new UsageError('--feed -: standard input can be read only once; name it once');
  }
  for (const feed of feeds) requireReadable(feed);
}

interface FeedCounts {
  /** As given. */
  readonly name: string;
  readonly read: number;
  readonly rejected: number;
}

/** `feedBytes`: bytes read from all feeds, compressed if they are. */
async function importFeeds(
  plan: CompilePlan,
  compiler: SnapshotCompiler,
  rejects: RejectsFile,
  report: (line: string) => void,
): Promise<{
  readonly feedBytes: number;
  readonly withdrawn: number;
  readonly counts: readonly FeedCounts[];
}> {
  const importer = new FeedImporter({ strict: plan.strict === true, previous: plan.previous });
  let feedBytes = 0;
  let withdrawn = 0;
  const counts: FeedCounts[] = [];
  for (const feed of plan.feeds) {
    const [countBefore, rejectsBefore] = [compiler.count, rejects.count];
    const total = sizeOf(feed);
    const progress = showProgress({ label: `reading ${feed}`, unit: 'bytes', ...(total ? { total } : {}) });
    const onBytes = (count: number): void => {
      feedBytes += count;
      progress.advance(count);
    };
    try {
      for await (const entries of importer.readPacked(feed, onBytes)) {
        for (const entry of entries) {
          if (entry.kind === 'packed') {
            compiler.addPacked(entry.packed);
            if (entry.packed.run === WITHDRAWN_RUN) withdrawn++;
          } else if (entry.kind === 'kept') {
            if (compiler.addKept(entry.ordinal) === WITHDRAWN_RUN) withdrawn++;
          } else if (entry.kind === 'advisory') {
            compiler.add(entry.advisory);
            if (entry.advisory.withdrawnAt !== null) withdrawn++;
          } else {
            for (const line of formatProblem(entry.reject)) report(line);
            rejects.add(entry.reject);
          }
        }
      }
    } finally {
      progress.end();
    }
    const rejected = rejects.count - rejectsBefore;
    counts.push({ name: feed, read: compiler.count - countBefore + rejected, rejected });
  }
  for (const warning of importer.warnings()) report(warning);
  return { feedBytes, withdrawn, counts };
}
