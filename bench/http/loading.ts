// How long builds take to load what they compiled from one feed, in turn with parsing that feed as JSON. Each
// time is that of a new process.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { type Comparison, compare, type Pair, ratioText } from '../comparison.ts';
import { figureOf, percent } from '../figures.ts';
import { TARGET_LABELS } from './targets.ts';

export const LOADING = 'load';

/** A build, and the snapshot that it made. */
export interface LoadingBuild {
  readonly checkout: string;
  readonly snapshot: string;
}

export interface LoadingPlan {
  readonly own: LoadingBuild;
  readonly against: LoadingBuild | undefined;
  readonly feed: string;
  readonly advisories: number;
}

export interface Loading {
  readonly title: string;
  readonly ownMs: readonly number[];
  readonly toParsing: Comparison;
  /** Undefined without another build. */
  readonly toOther: Comparison | undefined;
}

/** Runs one process and returns its milliseconds. */
export type Clock = (checkout: string, file: string) => number;

export function measureLoading(
  { own, against, feed, advisories }: LoadingPlan,
  starts: number,
  clock: Clock = inOwnProcess,
): Loading {
  const parsing: Pair[][] = [];
  const other: Pair[][] = [];
  const ownMs: number[] = [];
  for (let start = 0; start < starts; start++) {
    const ms = clock(own.checkout, own.snapshot);
    ownMs.push(ms);
    if (against !== undefined) other.push([[ms, clock(against.checkout, against.snapshot)]]);
    parsing.push([[ms, clock('-', feed)]]);
  }
  return {
    title: `load of ${advisories.toLocaleString('en-US')}`,
    ownMs,
    toParsing: compare(parsing),
    toOther: against === undefined ? undefined : compare(other),
  };
}

function inOwnProcess(checkout: string, file: string): number {
  const words = [join('bench', 'baselines', 'load.js'), checkout, file];
  return Number(execFileSync(process.execPath, words, { encoding: 'utf8' }));
}

export function loadingReport({ title, ownMs, toParsing, toOther }: Loading): string {
  const { median, spread } = figureOf(ownMs);
  const others = toOther === undefined ? '' : `; against ${TARGET_LABELS.against} ${ratioText(toOther)}`;
  const time = `${median.toFixed(0)} ms (${percent(spread)})`;
  return `${title}: ${time}; against parsing the feed as JSON ${ratioText(toParsing)}${others}`;
}
