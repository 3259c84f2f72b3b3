// Feeds to a snapshot, and the lines that became none to a rejects file. Everything is written beside its target
// and renamed, the rejects before the snapshot, so that a snapshot never stands without them.

import { statSync } from 'node:fs';
import { type CompiledSnapshot, SnapshotCompiler } from '../compiler/compile.ts';
import { sweepTemporaryFiles } from '../compiler/temporary-file.ts';
import { SnapshotWriter } from '../compiler/writer.ts';
import { FeedImporter, formatProblem } from '../importers/feed.ts';
import { FeedFileError, requireReadable } from '../importers/lines.ts';
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
  /** A file, a folder in which the snapshot is named after its time and id, or `-` for standard output. */
  readonly out: string;
  readonly skipInvalid: boolean;
  /** A member that the feed format does not have makes a bad line; otherwise it is a warning. */
  readonly strict?: boolean;
  readonly builtAtMs: number;
}

export interface CompileResult extends CompiledSnapshot {
  readonly advisories: number;
  /** How many of the advisories. */
  readonly withdrawn: number;
  readonly feedBytes: number;
  readonly rejects: number;
  readonly rejectsPath: string | undefined;
}

/**
 * Compiles and publishes. `report` hears one line for every problem and warning. Throws CommandError, with nothing written,
 * when a line is bad and not to be skipped, when a feed cannot be read, or when nothing is left to compile.
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
      '--skip-invalid keeps the bad lines beside the snapshot, and standard output has no such place: name a file or a folder with --out',
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
    if (compiler.count === 0) throw new CommandError('no advisory is left to compile; nothing was written');
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

/** `feedBytes`: read of all feeds, as they lie on the disk. */
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
      for await (const entries of importer.read(feed, onBytes)) {
        for (const entry of entries) {
          if (entry.kind === 'advisory') {
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

/** Undefined when it is not known beforehand. */
function findSize(path: string): number | undefined {
  return path === STANDARD_STREAM ? undefined : statSync(path, { throwIfNoEntry: false })?.size;
}

/** What a person can fix, as a CommandError; internal errors as they are. */
function explain(error: unknown, folder: string): unknown {
  if (error instanceof FeedFileError || error instanceof RangeError) {
    return new CommandError(error.message, { cause: error });
  }
  return explainWriting(error, folder);
}
