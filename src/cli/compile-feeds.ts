// Compiles feeds into a snapshot, and writes bad lines to a rejects file. Everything is written next to its target and
// then renamed, the rejects first, so that a snapshot never appears without them.

import { statSync } from 'node:fs';
import { type CompiledSnapshot, SnapshotCompiler } from '../compiler/compile.ts';
import { SnapshotWriter } from '../compiler/writer.ts';
import { sweepTemporaryFiles } from '../files/temporary-file.ts';
import { FeedImporter } from '../importers/feed/feed.ts';
import { requireReadable } from '../importers/feed/lines.ts';
import { formatProblem, SourceError } from '../importers/source.ts';
import { WITHDRAWN_RUN } from '../index/columns.ts';
import { CommandError, UsageError } from './command-error.ts';
import {
  type CompileTarget,
  explainWriting,
  findTarget,
  isStandardOutput,
  makeFolder,
  scratchTarget,
} from './compile-target.ts';
import { counted } from './figures.ts';
import { cleaningUp } from './interruption.ts';
import { showProgress } from './progress.ts';
import { RejectsFile } from './rejects-file.ts';
import { copyToOutput, requireRedirected, STANDARD_STREAM, withScratchFolder } from './standard-streams.ts';

export interface CompilePlan {
  /** Files; `-` is standard input. */
  readonly feeds: readonly string[];
  /** A file, a folder (the snapshot is then named after its build time and id), or `-` for standard output. */
  readonly out: string;
  readonly skipInvalid: boolean;
  /** A member that the feed format does not have makes the line bad; otherwise it is a warning. */
  readonly strict?: boolean;
  readonly builtAtMs: number;
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
 * Compiles and publishes. `report` gets one line for every problem and warning. Throws CommandError, with nothing
 * written, on a bad line without `skipInvalid`, on a feed that cannot be read, or when there is nothing to compile.
 */
export async function compileFeeds(
  plan: CompilePlan,
  report: (line: string) => void,
): Promise<CompileResult> {
  if (!isStandardOutput(plan.out)) {
    const target = findTarget(plan.out, plan.skipInvalid);
    checkFeeds(plan.feeds);
    makeFolder(target);
    return compileInto(target, plan, report);
  }
  if (plan.skipInvalid) {
    throw new UsageError(
      '--skip-invalid writes the bad lines next to the snapshot, which is not possible with standard output: give --out a file or a folder',
    );
  }
  requireRedirected('a snapshot');
  checkFeeds(plan.feeds);
  return withScratchFolder(async (folder) => {
    const result = await compileInto(scratchTarget(folder), plan, report);
    await copyToOutput(result.path);
    return { ...result, path: plan.out };
  });
}

/** What can be known of the feeds without reading them: a second one that is missing must not cost the first. */
function checkFeeds(feeds: readonly string[]): void {
  if (feeds.indexOf(STANDARD_STREAM) !== feeds.lastIndexOf(STANDARD_STREAM)) {
    throw new UsageError('--feed -: standard input can be read only once; name it once');
  }
  try {
    for (const feed of feeds) requireReadable(feed);
  } catch (error) {
    throw explain(error, '');
  }
}

async function compileInto(
  target: CompileTarget,
  plan: CompilePlan,
  report: (line: string) => void,
): Promise<CompileResult> {
  const rejects = new RejectsFile(target.folder);
  let writer: SnapshotWriter | undefined;
  const abandon = (): void => {
    writer?.abandon();
    rejects.abandon();
  };
  try {
    return await cleaningUp(abandon, async () => {
      sweepTemporaryFiles(target.folder, Date.now());
      writer = new SnapshotWriter(target.folder);
      return await compileWith(writer, rejects, target, plan, report);
    });
  } catch (error) {
    throw explain(error, target.folder);
  } finally {
    abandon();
  }
}

async function compileWith(
  writer: SnapshotWriter,
  rejects: RejectsFile,
  target: CompileTarget,
  plan: CompilePlan,
  report: (line: string) => void,
): Promise<CompileResult> {
  const compiler = new SnapshotCompiler(target.folder);
  try {
    const { feedBytes, withdrawn } = await importFeeds(plan, compiler, rejects, report);
    if (rejects.count > 0 && !plan.skipInvalid) {
      throw new CommandError(
        `${counted(rejects.count, 'bad line')}; nothing was written. Fix the feed, or compile the rest with --skip-invalid`,
      );
    }
    if (compiler.count === 0)
      throw new CommandError('there are no valid advisories to compile; nothing was written');
    const progress = showProgress({ label: 'compiling', unit: 'advisories', total: compiler.count });
    let rejectsPath: string | undefined;
    const nameOf = (id: string): string => {
      const path = target.pathOf(plan.builtAtMs, id);
      rejectsPath = rejects.publish(path);
      return path;
    };
    try {
      const written = await compiler.writeInTurns(writer, plan.builtAtMs, nameOf, () => progress.advance(1));
      const counts = { advisories: compiler.count, withdrawn, feedBytes, rejects: rejects.count };
      return { ...written, ...counts, rejectsPath };
    } finally {
      progress.end();
    }
  } finally {
    compiler.close();
  }
}

/** `feedBytes`: bytes read from all feeds, compressed if they are. */
async function importFeeds(
  plan: CompilePlan,
  compiler: SnapshotCompiler,
  rejects: RejectsFile,
  report: (line: string) => void,
): Promise<{ readonly feedBytes: number; readonly withdrawn: number }> {
  const importer = new FeedImporter({ strict: plan.strict === true });
  let feedBytes = 0;
  let withdrawn = 0;
  for (const feed of plan.feeds) {
    const total = findSize(feed);
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
  }
  for (const warning of importer.warnings()) report(warning);
  return { feedBytes, withdrawn };
}

/** Undefined when the size is not known in advance. */
function findSize(path: string): number | undefined {
  return path === STANDARD_STREAM ? undefined : statSync(path, { throwIfNoEntry: false })?.size;
}

/** User errors as a CommandError; internal errors unchanged. */
function explain(error: unknown, folder: string): unknown {
  if (error instanceof SourceError || error instanceof RangeError) {
    return new CommandError(error.message, { cause: error });
  }
  return explainWriting(error, folder);
}
