// What is measured: our server and the baselines, each able to prepare for a scenario. nginx has a file of its own.

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashKey, shippedTiers } from '../../src/access/keys-file.ts';
import { ENDPOINTS } from '../../src/dialects/dialects.ts';
import { freePort } from '../../test/support/process/ports.ts';
import { isDialectScenario, MADE_FILE, OPTIONAL_SCENARIO_NAMES } from '../dialect-scenarios.ts';
import type { BenchRequest } from '../scenario.ts';
import { type CapturedScenario, sendUntilReady } from './requests.ts';
import { announced, type Running, type StartPlan, start } from './server-process.ts';

/** Every target with its name for readers, our server first. */
export const TARGET_LABELS = {
  vulndex: 'vulndex',
  uws: 'bare uWebSockets.js',
  'nginx-file': 'nginx, static file',
  'nginx-return': 'nginx, return',
  fastify: 'Fastify, better-sqlite3',
} as const;
export type TargetName = keyof typeof TARGET_LABELS;
export type Baseline = Exclude<TargetName, 'vulndex'>;

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

const BASELINES = join('bench', 'baselines');
const SQLITE_ADDON = ['node_modules', 'better-sqlite3', 'build', 'Release', 'better_sqlite3.node'];

/** One process for all scenarios. */
export function runningTarget(name: TargetName, running: Running): Target {
  return {
    name,
    prepare: async ({ requests }) => ({ running, requests }),
    stop: () => running.stop(),
  };
}

/** A new process for each scenario, on a free port. `plan` writes its files; undefined if it cannot be compared. */
export function restartedTarget(
  name: TargetName,
  plan: (
    scenario: CapturedScenario,
    port: number,
  ) => { readonly process: StartPlan; readonly requests: readonly BenchRequest[] } | undefined,
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
      const planned = plan(scenario, await freePort());
      if (planned === undefined) return undefined;
      running = await start(planned.process);
      return { running, requests: planned.requests };
    },
  };
}

export interface OwnOptions {
  readonly nodeOptions?: readonly string[];
  /** The scenarios that it will get: those of dialects that are off by default turn all on. */
  readonly scenarios?: readonly string[];
}

/** Our server as built, with one key without a limit. Requires: the working folder is the repository. */
export async function startVulndex(
  { cores, workers, folder }: Place,
  snapshots: string,
  key: string,
  { nodeOptions = [], scenarios = [] }: OwnOptions = {},
): Promise<Running> {
  const needsAll = scenarios.some((name) => OPTIONAL_SCENARIO_NAMES.includes(name));
  const keys = join(folder, 'keys.json');
  const owner = { id: 'bench', name: 'bench', sha256: hashKey(key), tier: 'partner' };
  writeFileSync(keys, JSON.stringify({ tiers: shippedTiers(ENDPOINTS), keys: [owner] }));
  const options = {
    '--snapshots': snapshots,
    '--keys': keys,
    '--port': '0',
    '--ops-port': '0',
    '--workers': String(workers),
    '--drain-seconds': '0',
    ...(needsAll ? { '--mounts': 'all' } : {}),
  };
  const running = await start({
    command: process.execPath,
    words: [...nodeOptions, join('dist', 'cli.js'), 'serve', ...Object.entries(options).flat()],
    cores,
    ready: announced,
  });
  if (needsAll) {
    // Making the files takes the cores that are measured. Any tag is current: the file itself is not wanted.
    const headers = { PSKey: key, 'If-None-Match': '*' };
    await sendUntilReady(running.address, { method: 'GET', path: MADE_FILE, headers });
  }
  return running;
}

/**
 * Bare uWebSockets.js: a constant reply of the mean length, with as many headers as ours, for every request. The
 * difference to it is our cost.
 */
export function bareUws({ folder, workers, cores }: Place): Target {
  return restartedTarget('uws', ({ requests, typical }, port) => {
    const file = join(folder, 'reply.json');
    writeFileSync(file, JSON.stringify({ ...typical, body: typical.body.toString() }));
    const words = [join(BASELINES, 'bare-uws.js'), file, String(workers), String(port)];
    return { process: { command: process.execPath, words, cores, ready: announced }, requests };
  });
}

/** Throws if the Fastify baseline is not installed. */
export function requireFastify(): void {
  if (existsSync(join(BASELINES, ...SQLITE_ADDON))) return;
  const install = `npm --prefix ${BASELINES} ci --ignore-scripts && npm --prefix ${BASELINES} run build:sqlite`;
  throw new Error(`install it first: ${install}`);
}

/**
 * Fastify with better-sqlite3 over the rows of `rows.ts`; resolves when the database is filled. Its replies are compared
 * with ours as JSON before it is measured, so that it does not win by answering less.
 */
export async function fastify(rows: string, key: string, etag: string, { cores }: Place): Promise<Target> {
  const words = [join(BASELINES, 'fastify.js'), rows, key, etag];
  const target = runningTarget(
    'fastify',
    await start({ command: process.execPath, words, cores, ready: announced }),
  );
  // It knows the contract only.
  return {
    ...target,
    prepare: async (scenario) => (isDialectScenario(scenario.name) ? undefined : target.prepare(scenario)),
  };
}
