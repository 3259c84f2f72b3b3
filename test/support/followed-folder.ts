// A snapshot folder that is scanned by hand, and the follower's events, one line each.

import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { HotSwap, type HotSwapOptions } from '../../src/loader/live/hot-swap.ts';
import type { RollBack } from '../../src/loader/live/roll-back.ts';
import { feedRecord } from './feeds/advisories.ts';
import { type FolderOwner, temporaryFolder } from './folder.ts';
import { BUILT_AT_MS, compileRecords } from './snapshots/snapshots.ts';

export const HOUR_MS = 3_600_000;

/** Snapshots to copy from, built at 1, 2 and 3 o'clock, each with one advisory whose id is the hour. */
export async function compileHours(folder: string): Promise<readonly string[]> {
  const hours: string[] = [''];
  for (const hour of [1, 2, 3]) {
    const options = { name: `hour-${hour}.vdx`, builtAtMs: BUILT_AT_MS + hour * HOUR_MS };
    hours[hour] = await compileRecords(folder, [feedRecord(hour)], options);
  }
  return hours;
}

/** A folder scanned by hand: `scan` scans once, as the timer would. */
export function followed(owner: FolderOwner, options: HotSwapOptions = {}) {
  const folder = join(temporaryFolder(owner), 'snapshots');
  mkdirSync(folder);
  return { folder, at: (name: string) => join(folder, name), ...follow(folder, options) };
}

/** Another follower of the same folder, like a restarted loader thread. */
export function follow(folder: string, options: HotSwapOptions = {}) {
  const events: string[] = [];
  const refusals: Error[] = [];
  let guarded: string | undefined;
  const swap = new HotSwap(
    folder,
    {
      onLoaded: (_, file, _tookMs, reason) =>
        events.push(`loaded ${basename(file)}${reason === 'newest' ? '' : ` (${reason})`}`),
      onPrepared: () => events.push('prepared'),
      onRetired: (_, isReplaced) => events.push(isReplaced ? 'retired' : 'retired, but live'),
      onRefused: (error, file) => {
        refusals.push(error);
        events.push(`refused ${basename(file)}: ${codeOf(error)}`);
      },
      onOlder: (file) => events.push(`older ${basename(file)}`),
      onFolder: ({ kind }) => events.push(`folder ${kind}`),
      onRollBack: (rollBack) => events.push(describeRollBack(rollBack)),
      onGuarded: (found) => {
        guarded = found?.file;
      },
      onMarker: (file, problem) => events.push(`marker ${basename(file)}: ${problem}`),
    },
    options,
  );
  const look = (includeFresh: boolean): string[] => {
    swap.scan({ includeFresh });
    return events.splice(0);
  };
  return {
    swap,
    refusals,
    /** The file that a guard holds back, as reported last. */
    guarded: () => guarded,
    /** The events of one scan by the timer. */
    scan: () => look(false),
    /** The events of one scan at startup or after SIGHUP. */
    scanAtOnce: () => look(true),
    /** The events of the rest of the check of the live snapshot. */
    check: () => {
      swap.check();
      return events.splice(0);
    },
    /** The id of the only live advisory. */
    served: () => swap.current()?.idAt(0),
  };
}

function describeRollBack(rollBack: RollBack | undefined): string {
  if (rollBack === undefined) return 'no roll-back';
  const { phase } = rollBack;
  const why = phase.kind === 'pending' && phase.problem !== undefined ? `: ${phase.problem}` : '';
  return `roll-back ${phase.kind}${why}`;
}

const codeOf = (error: Error): string => ('code' in error ? String(error.code) : error.message);

/** A snapshot with that many advisories, built at that hour. */
export async function many(owner: FolderOwner, count: number, hour: number): Promise<string> {
  const records = Array.from({ length: count }, (_, i) => feedRecord(i + 1));
  const options = { builtAtMs: BUILT_AT_MS + hour * HOUR_MS };
  return compileRecords(temporaryFolder(owner), records, options);
}
