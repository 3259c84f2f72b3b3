// What is measured: our server and the baselines, each able to prepare for a scenario. One file per
// kind beside this one.

import type { Running } from './child.ts';
import type { BenchRequest, CapturedScenario } from './requests.ts';

export const TARGET_NAMES = ['vulndex', 'uws', 'nginx-file', 'nginx-return', 'fastify'] as const;
export type TargetName = (typeof TARGET_NAMES)[number];

/** A running process, and what to send it. */
export interface Load {
  readonly running: Running;
  readonly requests: readonly BenchRequest[];
}

export interface Target {
  readonly name: TargetName;
  /** Undefined if this target cannot be compared. */
  prepare(scenario: CapturedScenario): Promise<Load | undefined>;
  stop(): Promise<void>;
}

/** Where and with what a target runs. */
export interface Place {
  readonly cores: readonly number[];
  /** Threads or processes that answer. */
  readonly workers: number;
  /** Its own folder for files; removed at the end by whoever created it. */
  readonly folder: string;
}
