// Sources to numbered records, for whatever is made of these: reads every source with its progress, assembles
// the records under the lock of the registry, reports what is wrong, keeps the rejects, and stops if there
// are too many.

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { collectGarbage } from '../../compiler/garbage.ts';
import { type HeldLock, LockedError, withFileLock } from '../../files/lock-file.ts';
import { Assembly, type AssemblyTotals } from '../../importers/assemble/assembly.ts';
import type { Preference } from '../../importers/assemble/preference.ts';
import { SourceCounts } from '../../importers/assemble/source-counts.ts';
import type { Line } from '../../importers/feed/lines.ts';
import { IdRegistry } from '../../importers/ids/id-registry.ts';
import { requireRegistry } from '../../importers/ids/registry-file.ts';
import { placeOf } from '../../importers/packed-draft.ts';
import { formatPlace, type Reject } from '../../importers/source.ts';
import type { SourceReader } from '../../importers/source-kind.ts';
import { CommandError } from '../command-error.ts';
import { counted, secondsSince } from '../figures.ts';
import { cleaningUp } from '../interruption.ts';
import { showProgress } from '../progress.ts';
import { requireFewRejects } from './reject-limit.ts';
import type { RejectsFile } from './rejects-file.ts';
import { LimitedReport } from './report-limit.ts';
import { nameSources, type OpenSource, type SourcePlan } from './sources.ts';

const RECORDS_PER_TURN = 256;
const BATCH_BYTES = 256 << 10;
/** Another import may be writing its snapshot. */
const LOCK_WAIT_MS = 120_000;
const LOCK_NOTICE_MS = 1000;

interface AssemblyPlan {
  readonly sources: readonly SourcePlan[];
  readonly preference: Preference;
  /** The registry of ids. */
  readonly idsPath: string;
  readonly maxRejectPercent: number;
  readonly strict: boolean;
  /** Reports every problem, not the first few of a kind, and what each source took. */
  readonly isVerbose: boolean;
  /** When records that are new today were first seen. */
  readonly builtAtMs: number;
}

export interface AssemblySummary extends AssemblyTotals {
  readonly sources: readonly SourceCounts[];
}

/** What `use` gets. */
interface AssembledRecords {
  /**
   * Every record as a line of a feed, in batches, which are the caller's. To be read once and to the end.
   * Throws CommandError if too many entries are rejected, after the last record.
   */
  lines(): AsyncGenerator<readonly Line[]>;
  /** Makes the ids permanent. Call it right before the records are published, and only then. */
  commit(): void;
}

interface Surroundings {
  /** For the scratch file. */
  readonly folder: string;
  readonly rejects: RejectsFile;
  /** For the rejects if there are too many. Undefined for standard output, which has no place for any. */
  readonly stoppedRejectsPath: string | undefined;
  /** Gets one line for every problem and warning; of many of a kind, the first few and their number. */
  readonly report: (line: string) => void;
  readonly open: OpenSource;
}

/**
 * What the sources say, in the order of the plan. Nothing is read before every source and the registry could
 * be opened.
 */
export async function assembleSources<Result>(
  plan: AssemblyPlan,
  { folder, rejects, stoppedRejectsPath, report, open }: Surroundings,
  use: (records: AssembledRecords) => Promise<Result>,
): Promise<{ readonly summary: AssemblySummary; readonly result: Result }> {
  requireRegistry(plan.idsPath);
  const readers: SourceReader[] = [];
  for (const source of plan.sources) readers.push(await open(source, { strict: plan.strict, report }));
  const names = nameSources(plan.sources);
  const counts = plan.sources.map(({ kind }, i) => new SourceCounts(names[i], kind.name, readers[i].label));
  const limited = new LimitedReport(report, plan.isVerbose);
  const keepReject = (reject: Reject): void => {
    for (const { field, message } of reject.problems) {
      limited.add(formatPlace(reject.place), `${field}: ${message}`);
    }
    rejects.add(reject);
  };
  const nowSeconds = Math.floor(plan.builtAtMs / 1000);
  const assembling: Assembling = { assembly: new Assembly(folder, counts, plan.preference) };
  let totals: AssemblyTotals | undefined;
  try {
    await readSources(readers, counts, assembling, keepReject, limited, plan.isVerbose ? report : () => {});
    collectGarbage();
    const result = await withLock(plan.idsPath, report, (lock) => {
      let commit: (() => void) | undefined;
      return use({
        async *lines() {
          const registry = new IdRegistry(plan.idsPath, nowSeconds);
          for (const warning of registry.warnings) report(warning);
          yield* linesOf(assembling, registry, keepReject, limited);
          limited.end();
          for (const each of counts) each.requireBalance();
          requireFewRejects(counts, plan.maxRejectPercent, rejects, stoppedRejectsPath);
          totals = release(assembling);
          commit = registry.changes();
        },
        commit: () => {
          assert(commit !== undefined, 'the records have not been taken');
          lock.requireHeld();
          commit();
        },
      });
    });
    if (stoppedRejectsPath !== undefined) rmSync(stoppedRejectsPath, { force: true }); // of an earlier run
    assert(totals !== undefined, 'the records have not been taken');
    return { summary: { ...totals, sources: counts }, result };
  } finally {
    limited.end();
    release(assembling);
  }
}

/**
 * Passed on in place of the assembly, whose tables are not needed while the records are compiled: a suspended
 * function keeps every argument alive that it has passed to another.
 */
interface Assembling {
  assembly: Assembly | undefined;
}

function release(assembling: Assembling): AssemblyTotals | undefined {
  const { assembly } = assembling;
  assembling.assembly = undefined;
  assembly?.close();
  return assembly?.totals;
}

async function readSources(
  readers: readonly SourceReader[],
  counts: readonly SourceCounts[],
  { assembly }: Assembling,
  keepReject: (reject: Reject) => void,
  limited: LimitedReport,
  onRead: (line: string) => void,
): Promise<void> {
  assert(assembly !== undefined);
  for (const [i, reader] of readers.entries()) {
    const startMs = performance.now();
    await readSource(reader, i, counts[i], assembly, keepReject, limited);
    const { name, label, read } = counts[i];
    onRead(`read ${counted(read, 'entry', 'entries')} of ${name} (${label}) in ${secondsSince(startMs)}`);
  }
}

async function readSource(
  reader: SourceReader,
  number: number,
  counts: SourceCounts,
  assembly: Assembly,
  keepReject: (reject: Reject) => void,
  limited: LimitedReport,
): Promise<void> {
  const { label, unit, total } = reader;
  const progress = showProgress({ label: `reading ${label}`, unit, ...(total ? { total } : {}) });
  try {
    const onProgress = (amount: number): void => progress.advance(amount);
    for await (const entries of reader.read(onProgress)) {
      for (const entry of entries) {
        counts.read++;
        if (entry.kind === 'skipped') counts.skip(entry.reason);
        else if (entry.kind === 'reject') {
          counts.reject(entry.reject);
          keepReject(entry.reject);
        } else {
          counts.warnings += entry.warnings.length;
          const where = entry.warnings.length === 0 ? '' : formatPlace(placeOf(entry.draft.row));
          for (const warning of entry.warnings) limited.add(`${where}: warning`, warning);
          const reject = assembly.add(number, entry.draft);
          if (reject !== undefined) keepReject(reject);
        }
      }
    }
  } finally {
    progress.end();
  }
}

/** Lines are numbered as they would be in a feed of them. */
async function* linesOf(
  { assembly }: Assembling,
  registry: IdRegistry,
  keepReject: (reject: Reject) => void,
  limited: LimitedReport,
): AsyncGenerator<readonly Line[]> {
  assert(assembly !== undefined, 'the records have been taken already');
  const progress = showProgress({ label: 'assembling', unit: 'records', total: assembly.draftCount });
  let lines: Line[] = [];
  let bytes = 0;
  let count = 0;
  let number = 0;
  try {
    for (const entry of assembly.records(registry)) {
      if (++count % RECORDS_PER_TURN === 0) await nextTurn(); // signals are handled there
      if (entry.kind === 'reject') keepReject(entry.reject);
      else if (entry.kind === 'warning') {
        entry.source.warnings++;
        limited.add(`${formatPlace(entry.place)}: warning`, entry.text);
      } else {
        lines.push({ number: ++number, bytes: entry.line });
        bytes += entry.line.length;
        progress.advance(1);
        if (bytes < BATCH_BYTES) continue;
        yield lines;
        lines = [];
        bytes = 0;
      }
    }
    if (lines.length > 0) yield lines;
  } finally {
    progress.end();
  }
}

/** A signal removes the lock too: it would otherwise stop the next command. */
async function withLock<Result>(
  idsPath: string,
  report: (line: string) => void,
  action: (lock: HeldLock) => Promise<Result>,
): Promise<Result> {
  const waiting = setTimeout(() => {
    report(`waiting for ${idsPath}: another command has locked it`);
  }, LOCK_NOTICE_MS);
  try {
    return await withFileLock(
      idsPath,
      (lock) => {
        clearTimeout(waiting);
        return cleaningUp(
          () => lock.release(),
          () => action(lock),
        );
      },
      { waitMs: LOCK_WAIT_MS, report },
    );
  } catch (error) {
    if (error instanceof LockedError) throw new CommandError(error.message, { cause: error });
    throw error;
  } finally {
    clearTimeout(waiting);
  }
}
