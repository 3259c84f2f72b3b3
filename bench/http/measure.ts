// One measurement: wrk against one server for a while, and the server's CPU time. Several of them as one result.

import { type Figure, figureOf } from '../figures.ts';
import type { CapturedScenario } from './requests.ts';
import { cpuSeconds } from './server-process.ts';
import type { Load, TargetName } from './targets.ts';
import { runWrk, type WrkResult, type WrkRun } from './wrk.ts';

/** Below this share of its cores' time the server was waiting for the generator, and its throughput does not count. */
const FULL_SHARE = 0.9;

const MEASURED = ['cpuMicroseconds', 'requestsPerSecond', 'p50Ms', 'p99Ms', 'p999Ms'] as const;
type Measured<Value> = Readonly<Record<(typeof MEASURED)[number], Value>>;

export interface Round extends Measured<number> {
  /** Of the server's cores. */
  readonly cpuShare: number;
}

export interface Result extends Measured<Figure> {
  readonly target: TargetName;
  readonly rounds: readonly Round[];
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
  const cpuShare = Math.min(...rounds.map((round) => round.cpuShare));
  const figures = MEASURED.map((name) => [name, figureOf(rounds.map((round) => round[name]))]);
  return {
    target,
    rounds,
    ...(Object.fromEntries(figures) as Measured<Figure>), // one for each name
    cpuShare,
    isFull: cpuShare >= FULL_SHARE,
  };
}
