// A snapshot in the making: everything is written next to its target and then renamed, the rejects first, so
// that a snapshot never appears without them. What goes into it is decided by compile-feeds.ts and
// compile-sources.ts.

import { type CompiledSnapshot, SnapshotCompiler } from '../../compiler/compile.ts';
import type { PreviousSnapshot } from '../../compiler/previous.ts';
import { SnapshotWriter } from '../../compiler/writer.ts';
import { SourceError } from '../../download/source-error.ts';
import { sweepTemporaryFiles } from '../../files/temporary-file.ts';
import { RegistryError } from '../../importers/ids/registry-file.ts';
import { CommandError } from '../command-error.ts';
import { cleaningUp } from '../interruption.ts';
import { showProgress } from '../progress.ts';
import { RejectsFile } from '../sources/rejects-file.ts';
import { copyToOutput, requireRedirected, withScratchFolder } from '../standard-streams.ts';
import {
  type CompileTarget,
  explainWriting,
  findTarget,
  isStandardOutput,
  makeFolder,
  rejectsPathOf,
  scratchTarget,
} from './compile-target.ts';

/** Says that the sources are at fault, not the command: for whoever runs it unattended. */
export class NothingToCompileError extends CommandError {}

/** A complete snapshot that is not published yet. */
interface Candidate {
  readonly path: string;
  readonly id: string;
  /** Where it will be published. */
  readonly target: string;
}

/** Looks at a candidate; what it throws stops the compilation, with nothing published. */
export type Examine = (candidate: Candidate) => void;

interface OutputPlan {
  /**
   * A file, a folder (the snapshot is then named after its build time and id), or `-` for standard output.
   */
  readonly out: string;
  /** Rejects go next to the snapshot. */
  readonly keepsRejects: boolean;
  readonly builtAtMs: number;
  readonly examine?: Examine;
  /** Its advisories can be kept. */
  readonly previous?: PreviousSnapshot | undefined;
}

interface SnapshotParts {
  readonly target: CompileTarget;
  readonly compiler: SnapshotCompiler;
  readonly rejects: RejectsFile;
  /**
   * Writes and publishes what was added to the compiler. `beforePublish` is called when nothing else can
   * fail.
   */
  finish(beforePublish: () => void): Promise<FinishedSnapshot>;
}

interface FinishedSnapshot extends CompiledSnapshot {
  readonly rejectsPath: string | undefined;
}

/**
 * The result of `work`, which fills the parts and calls `finish` once. `check` is called before, when the
 * target is known to be writable. Leaves nothing behind if it fails, and throws CommandError for what the
 * user can fix.
 */
export async function withSnapshotOutput<Result extends FinishedSnapshot>(
  plan: OutputPlan,
  check: (target: CompileTarget) => void,
  work: (parts: SnapshotParts) => Promise<Result>,
): Promise<Result> {
  if (!isStandardOutput(plan.out)) {
    const target = findTarget(plan.out, plan.keepsRejects);
    explaining(() => check(target));
    makeFolder(target);
    return writeInto(target, plan, work);
  }
  requireRedirected('a snapshot');
  return withScratchFolder(async (folder) => {
    const target = scratchTarget(folder);
    explaining(() => check(target));
    const result = await writeInto(target, plan, work);
    await copyToOutput(result.path);
    return { ...result, path: plan.out };
  });
}

async function writeInto<Result>(
  target: CompileTarget,
  plan: OutputPlan,
  work: (parts: SnapshotParts) => Promise<Result>,
): Promise<Result> {
  const rejects = new RejectsFile(target.folder);
  let writer: SnapshotWriter | undefined;
  const abandon = (): void => {
    writer?.abandon();
    rejects.abandon();
  };
  try {
    return await cleaningUp(abandon, async () => {
      sweepTemporaryFiles(target.folder, Date.now());
      const created = new SnapshotWriter(target.folder);
      writer = created;
      const compiler = new SnapshotCompiler(target.folder, plan.previous);
      try {
        const finish = (beforePublish: () => void): Promise<FinishedSnapshot> =>
          finishSnapshot({ target, compiler, rejects }, created, plan, beforePublish);
        return await work({ target, compiler, rejects, finish });
      } finally {
        compiler.close();
      }
    });
  } catch (error) {
    throw explained(error, target.folder);
  } finally {
    abandon();
  }
}

async function finishSnapshot(
  { target, compiler, rejects }: Omit<SnapshotParts, 'finish'>,
  writer: SnapshotWriter,
  { builtAtMs, examine }: OutputPlan,
  beforePublish: () => void,
): Promise<FinishedSnapshot> {
  if (compiler.count === 0) {
    throw new NothingToCompileError('there are no valid advisories to compile; nothing was written');
  }
  const progress = showProgress({ label: 'compiling', unit: 'advisories', total: compiler.count });
  let rejectsPath: string | undefined;
  const nameOf = (id: string): string => {
    const path = target.pathOf(builtAtMs, id);
    examine?.({ path: writer.temporaryPath, id, target: path });
    beforePublish();
    rejectsPath = rejects.publish(rejectsPathOf(path));
    return path;
  };
  try {
    const written = await compiler.writeInTurns(writer, builtAtMs, nameOf, () => progress.advance(1));
    return { ...written, rejectsPath };
  } finally {
    progress.end();
  }
}

function explaining(action: () => void): void {
  try {
    action();
  } catch (error) {
    throw explained(error, '');
  }
}

/** User errors as a CommandError; internal errors unchanged. */
export function explained(error: unknown, folder: string): unknown {
  if (error instanceof SourceError || error instanceof RegistryError || error instanceof RangeError) {
    return new CommandError(error.message, { cause: error });
  }
  return explainWriting(error, folder);
}
