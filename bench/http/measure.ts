// One measurement: wrk against one server for a while, the server's CPU time before and after. Also combines
// several measurements into one figure.

import type { CapturedScenario } from './requests.ts';
import { cpuSeconds } from './server-process.ts';
import type { Load, TargetName } from './targets.ts';
import { runWrk, type WrkResult, type WrkRun } from './wrk.ts';

/** Below this share of its cores' time the server was waiting for the generator, and its throughput does not count. */
const FULL_SHARE = 0.9;

export interface Round {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly cpuMicroseconds: number;
  /** Of the server's cores. */
  readonly cpuShare: number;
}

/** Median of the rounds, and their spread as a share of it. */
export interface Figure {
  readonly median: number;
  readonly spread: number;
}

export interface Result {
  readonly target: TargetName;
  readonly rounds: readonly Round[];
  readonly cpuMicroseconds: Figure;
  readonly requestsPerSecond: Figure;
  readonly p50Ms: Figure;
  readonly p99Ms: Figure;
  readonly p999Ms: Figure;
  /** The minimum over the rounds. */
  readonly cpuShare: number;
  /** Whether throughput and latencies count; CPU time always does. */
  readonly isFull: boolean;
}

export interface MeasurePlan extends Omit<WrkRun, 'address' | 'requests'> {
  readonly scenario: CapturedScenario;
  readonly load: Load;
  /** Threads or processes that answer. */
  readonly workers: number;
}

/** Throws if a connection failed or a reply had an unexpected status. */
export async function measure({ scenario, load, workers, ...run }: MeasurePlan): Promise<Round> {
  const { address, pid } = load.running;
  const beforeSeconds = cpuSeconds(pid);
  const result = await runWrk({ ...run, address, requests: load.requests });
  const usedSeconds = cpuSeconds(pid) - beforeSeconds;
  checkReplies(scenario, result);
  return {
    requestsPerSecond: result.requests / result.seconds,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    p999Ms: result.p999Ms,
    cpuMicroseconds: (usedSeconds * 1e6) / result.requests,
    cpuShare: usedSeconds / result.seconds / workers,
  };
}

function checkReplies({ name, status }: CapturedScenario, { requests, refusals, failures }: WrkResult): void {
  const isAsExpected = status >= 400 ? refusals >= requests : refusals === 0;
  if (requests > 0 && failures === 0 && isAsExpected) return;
  throw new Error(
    `${name}: of ${requests} replies ${refusals} have a status of 400 or more, and ${failures} failed`,
  );
}

/** Requires: at least one round. */
export function summarise(target: TargetName, rounds: readonly Round[]): Result {
  const figure = (pick: (round: Round) => number): Figure => figureOf(rounds.map(pick));
  const cpuShare = Math.min(...rounds.map((round) => round.cpuShare));
  return {
    target,
    rounds,
    cpuMicroseconds: figure((round) => round.cpuMicroseconds),
    requestsPerSecond: figure((round) => round.requestsPerSecond),
    p50Ms: figure((round) => round.p50Ms),
    p99Ms: figure((round) => round.p99Ms),
    p999Ms: figure((round) => round.p999Ms),
    cpuShare,
    isFull: cpuShare >= FULL_SHARE,
  };
}

/** Requires: at least one value. */
export function figureOf(values: readonly number[]): Figure {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const median = sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  return { median, spread: median === 0 ? 0 : (sorted[sorted.length - 1] - sorted[0]) / median };
}
