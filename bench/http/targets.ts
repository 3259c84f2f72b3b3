// What is measured: builds of this program, bare uWebSockets.js, a linear scan and a database, each able to
// prepare for a scenario. nginx has a file of its own.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { DEFAULT_MOUNTS } from '../../src/dialects/mounts.ts';
import type { Generation } from '../../src/index/generation.ts';
import type { BenchRequest, Scenario } from '../scenarios.ts';
import type { CapturedScenario } from './requests.ts';
import { writeRows } from './rows.ts';

import { announced, type Running, type StartPlan, start, untilAtRest } from './server-process.ts';

/** Every target with its name for readers, our server first. */
export const TARGET_LABELS = {
  vulndex: 'vulndex',
  against: 'the other build',
  uws: 'bare uWebSockets.js',
  linear: 'linear scan',
  nginx: 'nginx',
  sqlite: 'Fastify with SQLite',
} as const;
export type TargetName = keyof typeof TARGET_LABELS;
export const BASELINES = ['uws', 'linear', 'nginx', 'sqlite'] as const satisfies readonly TargetName[];

/** What the database answers. Not matches of a product: between ours are blanks that depend on the place. */
const IN_DATABASE = /^\/product\/.*\/exists$|^\/vulnerability\/|^\/all\?per_page=\d+$/;

/** A running process, and what to send it. */
export interface Load {
  readonly running: Pick<Running, 'address' | 'pid'>;
  readonly requests: readonly BenchRequest[];
}

export interface Target<Prepared extends Scenario = CapturedScenario> {
  readonly name: TargetName;
  /** Starts it if it does not run. Undefined if this target cannot be compared. */
  prepare(scenario: Prepared): Promise<Load | undefined>;
  stop(): Promise<void>;
}

/** Where and with what a target runs. */
export interface Place {
  readonly core: number;
  /** Its own folder for files; removed at the end by whoever created it. */
  readonly folder: string;
}

/** A build of this program: one process for all scenarios until it is stopped. */
export function build(
  name: 'vulndex' | 'against',
  checkout: string,
  { core }: Place,
  snapshots: string,
  mounts: readonly string[] = [],
): Target<Scenario> {
  // Options that builds have had for long: the other build may be an old one.
  const options = ['--port', '0', '--ops-port', '0', '--workers', '1', '--drain-seconds', '0'];
  if (mounts.length > 0) options.push('--mounts', ...DEFAULT_MOUNTS, ...mounts);
  const words = [join(checkout, 'dist', 'cli.js'), 'serve', '--snapshots', snapshots, ...options];
  let running: Running | undefined;
  return {
    name,
    prepare: async ({ requests }) => {
      if (running === undefined) {
        running = await start({ command: process.execPath, words, core, ready: announced });
        await untilAtRest(running.pid);
      }
      const key = /key for this run: (\S+)/.exec(running.printed)?.[1] ?? '';
      return { running, requests: requests.map((request) => withKey(request, key)) };
    },
    stop: async () => {
      await running?.stop();
      running = undefined;
    },
  };
}

function withKey(request: BenchRequest, key: string): BenchRequest {
  const { headers } = request;
  return 'PSKey' in headers ? { ...request, headers: { ...headers, PSKey: key } } : request;
}

/** A new process for each scenario. `plan` writes its files; undefined if it cannot be compared. */
export function restartedTarget(
  name: TargetName,
  plan: (
    scenario: CapturedScenario,
  ) => Promise<{ readonly process: StartPlan; readonly requests: readonly BenchRequest[] } | undefined>,
): Target {
  let running: Running | undefined;
  const stop = async (): Promise<void> => {
    await running?.stop();
    running = undefined;
  };
  return {
    name,
    stop,
    prepare: async (scenario) => {
      await stop();
      const planned = await plan(scenario);
      if (planned === undefined) return undefined;
      running = await start(planned.process);
      return { running, requests: planned.requests };
    },
  };
}

/** A file with the typical reply, for a server of `bench/baselines`. */
function typicalIn(folder: string, { typical }: CapturedScenario): string {
  const file = join(folder, 'reply.json');
  writeFileSync(file, JSON.stringify({ ...typical, body: typical.body.toString() }));
  return file;
}

/**
 * Bare uWebSockets.js: a constant reply of the mean length, with as many headers as ours, for every request.
 * The difference to it is our cost.
 */
export function bareUws({ folder, core }: Place): Target {
  return restartedTarget('uws', async (scenario) => {
    const words = [join('bench', 'baselines', 'bare-uws.js'), typicalIn(folder, scenario)];
    return {
      process: { command: process.execPath, words, core, ready: announced },
      requests: scenario.requests,
    };
  });
}

/** A scan of one package's records, over the same addon: for `exists` alone. */
export function linearScan({ folder, core }: Place, feed: string): Target {
  return restartedTarget('linear', async (scenario) => {
    const { requests, status } = scenario;
    if (status !== 200 || !requests.every(({ path }) => path.endsWith('/exists'))) return undefined;
    const words = [join('bench', 'baselines', 'linear.js'), typicalIn(folder, scenario), feed];
    return { process: { command: process.execPath, words, core, ready: announced }, requests };
  });
}

/** Fastify over SQLite, for `exists`, advisories by id and the first page. `writeRows` fills its database. */
export function database({ folder, core }: Place, generation: Generation): Target {
  const rows = join(folder, 'rows.ndjson');
  writeRows(generation, rows);
  return restartedTarget('sqlite', async (scenario) => {
    const { requests, status } = scenario;
    if (status !== 200 || !requests.every(({ path }) => IN_DATABASE.test(path))) return undefined;
    const words = [join('bench', 'baselines', 'database.js'), typicalIn(folder, scenario), rows];
    return {
      process: { command: process.execPath, words, core, ready: announced },
      requests: requests.map((request) => withKey(request, 'bench')),
    };
  });
}
