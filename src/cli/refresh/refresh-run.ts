// One refresh: makes the sources ready, and if anything is new compiles them, compares the result with the
// newest snapshot, publishes it, and removes old ones. One refresh of a folder runs at a time.

import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SourceError } from '../../download/source-error.ts';
import { type HeldLock, LockedError, withFileLock } from '../../files/lock-file.ts';
import { PreferenceError, parsePreference } from '../../importers/assemble/preference.ts';
import { FORMAT } from '../../loader/format.ts';
import type { SnapshotAge } from '../../loader/live/snapshot-age.ts';
import {
  CommandError,
  EXIT_BUSY,
  EXIT_FAILED,
  EXIT_REFUSED,
  EXIT_SOURCE,
  UsageError,
} from '../command-error.ts';
import { LossError } from '../guards/loss-guard.ts';
import { examineLosses } from '../guards/publication-guard.ts';
import { cleaningUp } from '../interruption.ts';
import { explainWriting } from '../output/compile-target.ts';
import { NothingToCompileError } from '../output/snapshot-output.ts';
import { snapshotsIn } from '../snapshots-in.ts';
import { compileSources, type SourcesResult } from '../sources/compile-sources.ts';
import { openFirstSound } from '../sources/previous-snapshot.ts';
import { TooManyRejectsError } from '../sources/reject-limit.ts';
import { areFeedsAlone, nameSources } from '../sources/sources.ts';
import { removeOldSnapshots } from './old-snapshots.ts';
import type { RefreshConfig } from './refresh-config.ts';
import { type ReadySources, readySources } from './refresh-sources.ts';
import { combine, readState, writeState } from './refresh-state.ts';
import { type SourceStatus, SourceStatuses } from './source-status.ts';

interface RefreshPlan {
  readonly config: RefreshConfig;
  /** Does everything but publish: no snapshot, no new ids, nothing removed. */
  readonly isDryRun: boolean;
  readonly isVerbose: boolean;
  /** Of this program: another release may make other data of the same sources. */
  readonly version: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Called with what became of each source when fetching has ended, well or not. */
  readonly onSources: (statuses: readonly SourceStatus[]) => void;
}

export type RefreshOutcome =
  | {
      readonly kind: 'published';
      readonly result: SourcesResult;
      /** Paths of old snapshots. */
      readonly removed: readonly string[];
    }
  /** In a dry run. */
  | { readonly kind: 'would-publish'; readonly id: string }
  /** The newest snapshot has all that the sources say. */
  | { readonly kind: 'unchanged'; readonly snapshot: SnapshotAge };

type RefreshFailure = 'refused' | 'source-failed' | 'busy' | 'failed';

const STATUSES: Readonly<Record<RefreshFailure, number>> = {
  refused: EXIT_REFUSED,
  'source-failed': EXIT_SOURCE,
  busy: EXIT_BUSY,
  failed: EXIT_FAILED,
};

/** Nothing was published; `outcome` says why not. */
export class RefreshError extends CommandError {
  override readonly name = 'RefreshError';
  readonly outcome: RefreshFailure;
  override readonly exitStatus: number;

  constructor(outcome: RefreshFailure, cause: Error) {
    super(cause.message, { cause });
    this.outcome = outcome;
    this.exitStatus = STATUSES[outcome];
  }
}

/**
 * `report` gets one line for every problem and warning. Throws RefreshError, or UsageError for the
 * configuration.
 */
export async function runRefresh(plan: RefreshPlan, report: (line: string) => void): Promise<RefreshOutcome> {
  try {
    const { snapshots, cache, ids } = plan.config;
    for (const folder of [snapshots, cache, dirname(ids)]) makeFolder(folder);
    // Not *.vdx, so that a server ignores its lock.
    return await withFileLock(
      join(snapshots, '.refresh'),
      (lock) =>
        cleaningUp(
          () => lock.release(),
          () => refresh(plan, lock, report),
        ),
      { waitMs: 0, report },
    );
  } catch (error) {
    throw explained(error);
  }
}

async function refresh(
  plan: RefreshPlan,
  lock: HeldLock,
  report: (line: string) => void,
): Promise<RefreshOutcome> {
  const { config } = plan;
  const preference = preferenceOf(config); // may be wrong, so before any work
  const state = readState(config.cache);
  const statuses = new SourceStatuses(config.sources, state?.sources ?? [], Date.now());
  const sources = await readySources(plan, report, statuses).finally(() => plan.onSources(statuses.list()));
  const fingerprint = fingerprintOfAll(plan, sources);
  const nowMs = Date.now();
  const { usable } = snapshotsIn(config.snapshots, nowMs);
  const current = usable.find(({ id }) => id === state?.snapshot);
  if (state?.fingerprint === fingerprint && current !== undefined && !isDue(config, current, nowMs)) {
    sources.confirm();
    return { kind: 'unchanged', snapshot: current };
  }
  // A server only loads what is newer than its snapshot, and clocks differ.
  const builtAtMs = usable.length === 0 ? nowMs : Math.max(nowMs, usable[0].builtAtMs + 1);
  const place = { kind: 'folder', path: config.snapshots } as const;
  const previous = openFirstSound(usable, report);
  try {
    const result = await compileSources(
      {
        sources: sources.plans,
        preference,
        out: config.snapshots,
        idsPath: config.ids,
        guards: {
          maxRejectPercent: config.maxReject,
          examine: (candidate) => {
            sources.confirm();
            examineLosses({ ...config, previous: undefined, opened: previous, place }, candidate, report);
            if (plan.isDryRun) throw new DryRunEnd(candidate.id);
            lock.requireHeld();
          },
        },
        skipInvalid: areFeedsAlone(sources.plans),
        strict: false,
        isVerbose: plan.isVerbose,
        builtAtMs,
        previous,
      },
      report,
      sources.open,
    );
    writeState(config.cache, { fingerprint, snapshot: result.id, sources: statuses.found });
    return { kind: 'published', result, removed: removeOld(config, report) };
  } catch (error) {
    if (error instanceof DryRunEnd) return { kind: 'would-publish', id: error.id };
    throw error;
  }
}

/** Ends a compilation that would have been published. */
class DryRunEnd extends Error {
  readonly id: string;

  constructor(id: string) {
    super('the dry run has ended');
    this.id = id;
  }
}

function isDue({ republishAfterMs }: RefreshConfig, { builtAtMs }: SnapshotAge, nowMs: number): boolean {
  return republishAfterMs !== undefined && nowMs - builtAtMs >= republishAfterMs;
}

function fingerprintOfAll({ config, version }: RefreshPlan, { fingerprints }: ReadySources): string {
  const { sources, prefer, malwareOfWithdrawn, osvInformational, maxReject, ids } = config;
  const named = sources.map(({ kind, location }, i) =>
    JSON.stringify([kind.name, location, fingerprints[i]]),
  );
  const rules = [String(maxReject), malwareOfWithdrawn, osvInformational, combine(prefer)];
  return combine([version, String(FORMAT), ids, ...rules, ...named]);
}

/** Throws UsageError for rules that do not fit the sources. */
export function preferenceOf({
  sources,
  prefer,
  malwareOfWithdrawn,
}: RefreshConfig): ReturnType<typeof parsePreference> {
  try {
    return parsePreference(prefer, nameSources(sources), malwareOfWithdrawn);
  } catch (error) {
    if (!(error instanceof PreferenceError)) throw error;
    throw new UsageError(`prefer: ${error.message}`, { cause: error });
  }
}

/** A file that cannot be removed does not make the refresh a failure. */
function removeOld({ snapshots, keep }: RefreshConfig, report: (line: string) => void): readonly string[] {
  try {
    return removeOldSnapshots(snapshots, keep, Date.now());
  } catch (error) {
    report(`warning: old snapshots could not be removed: ${(error as Error).message}`);
    return [];
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw explainWriting(error, folder);
  }
}

/** User errors as a RefreshError; usage errors and internal errors unchanged. */
function explained(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof UsageError) return error;
  if (error instanceof LossError) return new RefreshError('refused', error);
  if (error instanceof LockedError) return new RefreshError('busy', error);
  const isOfSource =
    [error, error.cause].some((each) => each instanceof SourceError) ||
    error instanceof TooManyRejectsError ||
    error instanceof NothingToCompileError;
  if (isOfSource) return new RefreshError('source-failed', error);
  return error instanceof CommandError ? new RefreshError('failed', error) : error;
}
