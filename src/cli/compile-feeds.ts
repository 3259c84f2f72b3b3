// Feeds to a snapshot, and the lines that became none to a rejects file. Everything is written beside its target
// and renamed, the rejects before the snapshot, so that a snapshot never stands without them.

import { randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type CompiledSnapshot, SnapshotCompiler } from '../compiler/compile.ts';
import { isFolder, SnapshotWriter } from '../compiler/writer.ts';
import { FeedImporter, formatProblem, formatReject, type Reject } from '../importers/feed.ts';
import { FeedFileError } from '../importers/lines.ts';
import { SNAPSHOT_SUFFIX } from '../loader/format.ts';
import { CommandError } from './command-error.ts';
import { counted } from './figures.ts';
import { showProgress } from './progress.ts';

export interface CompilePlan {
  readonly feeds: readonly string[];
  /** A file, or a folder in which the snapshot is named after its time and id. */
  readonly out: string;
  readonly skipInvalid: boolean;
  readonly builtAtMs: number;
}

export interface CompileResult extends CompiledSnapshot {
  readonly advisories: number;
  readonly feedBytes: number;
  readonly rejects: number;
  readonly rejectsPath: string | undefined;
}

/**
 * Compiles and publishes. `report` hears one line for every problem. Throws CommandError, with nothing written,
 * when a line is bad and not to be skipped, when a feed cannot be read, or when nothing is left to compile.
 */
export async function compileFeeds(
  plan: CompilePlan,
  report: (line: string) => void,
): Promise<CompileResult> {
  const folder = isFolder(plan.out) ? plan.out : dirname(plan.out);
  try {
    mkdirSync(folder, { recursive: true });
    return await compileInto(folder, plan, report);
  } catch (error) {
    throw explain(error, folder);
  }
}

async function compileInto(
  folder: string,
  plan: CompilePlan,
  report: (line: string) => void,
): Promise<CompileResult> {
  const compiler = new SnapshotCompiler(folder);
  const rejects = new RejectsFile(folder);
  const writer = new SnapshotWriter(folder);
  try {
    const feedBytes = await importFeeds(plan, compiler, rejects, report);
    if (rejects.count > 0 && !plan.skipInvalid) {
      throw new CommandError(
        `${counted(rejects.count, 'bad line')}; nothing was written. Mend the feed, or compile the rest with --skip-invalid`,
      );
    }
    if (compiler.count === 0) throw new CommandError('no advisory is left to compile; nothing was written');
    const progress = showProgress({ label: 'compiling', unit: 'advisories', total: compiler.count });
    let rejectsPath: string | undefined;
    const nameOf = (id: string): string => {
      const path = isFolder(plan.out) ? join(plan.out, snapshotName(plan.builtAtMs, id)) : plan.out;
      rejectsPath = rejects.publish(path);
      return path;
    };
    try {
      const written = compiler.write(writer, plan.builtAtMs, nameOf, () => progress.advance(1));
      return { ...written, advisories: compiler.count, feedBytes, rejects: rejects.count, rejectsPath };
    } finally {
      progress.end();
    }
  } finally {
    writer.abandon();
    rejects.abandon();
    compiler.close();
  }
}

/** Bytes read of all feeds, as they lie on the disk. */
async function importFeeds(
  plan: CompilePlan,
  compiler: SnapshotCompiler,
  rejects: RejectsFile,
  report: (line: string) => void,
): Promise<number> {
  const importer = new FeedImporter();
  let feedBytes = 0;
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
  return feedBytes;
}

/** Undefined when the file cannot be looked at; reading it will say why. */
function findSize(path: string): number | undefined {
  try {
    return statSync(path).size;
  } catch {
    return undefined;
  }
}

/** The bad lines of a compilation, in a temporary file that is made with the first of them. */
class RejectsFile {
  readonly #temporaryPath: string;
  #fd: number | undefined;
  #count = 0;

  constructor(folder: string) {
    this.#temporaryPath = join(folder, `.rejects-${randomUUID()}.tmp`);
  }

  get count(): number {
    return this.#count;
  }

  add(reject: Reject): void {
    this.#fd ??= openSync(this.#temporaryPath, 'w', 0o644);
    writeSync(this.#fd, `${formatReject(reject)}\n`);
    this.#count++;
  }

  /** Puts the file beside the snapshot it belongs to; undefined when there is nothing to put. */
  publish(snapshotPath: string): string | undefined {
    const path = `${snapshotPath}.rejects.ndjson`;
    if (this.#fd === undefined) {
      rmSync(path, { force: true }); // those of an earlier compilation to the same name
      return undefined;
    }
    closeSync(this.#fd);
    this.#fd = undefined;
    renameSync(this.#temporaryPath, path);
    return path;
  }

  abandon(): void {
    if (this.#count === 0) return;
    if (this.#fd !== undefined) closeSync(this.#fd);
    rmSync(this.#temporaryPath, { force: true }); // still there, closed or not, when publishing failed
  }
}

function snapshotName(builtAtMs: number, id: string): string {
  const time = new Date(builtAtMs).toISOString().replace(/[-:]|\.\d+/g, '');
  return `vulndex-${time}-${id}${SNAPSHOT_SUFFIX}`;
}

const UNWRITABLE: ReadonlySet<string> = new Set([
  'EACCES',
  'EEXIST',
  'EISDIR',
  'ELOOP',
  'ENAMETOOLONG',
  'ENOENT',
  'ENOTDIR',
  'ENOTEMPTY',
  'EPERM',
  'EROFS',
]);

/** What a person can mend, as a CommandError; our own mistakes as they are. */
function explain(error: unknown, folder: string): unknown {
  if (error instanceof FeedFileError) return new CommandError(error.message, { cause: error });
  if (error instanceof RangeError) return new CommandError(error.message, { cause: error });
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOSPC') {
    return new CommandError(`${folder}: the disk is full; nothing was written`, { cause: error });
  }
  if (code !== undefined && UNWRITABLE.has(code)) {
    return new CommandError(`${folder}: cannot write there (${code}); choose another --out`, {
      cause: error,
    });
  }
  return error;
}
