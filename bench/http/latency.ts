// `npm run bench:latency`: how long requests take at a part of what the server can do. wrk finds the rate of a saturated
// server; then requests arrive at a constant rate that is a share of it. Bare uWebSockets.js gets the same requests at the
// same rate: its latencies are those of the machine and the client.

import { fork } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeKey } from '../../src/access/keys-file.ts';
import { loadSnapshot } from '../../src/loader/load.ts';
import { conditionsOf, describe } from '../conditions.ts';
import { makeCorpus } from '../corpus.ts';
import { type Figure, figureOf, markdownTable, percent } from '../figures.ts';
import { between, writeJson } from '../options.ts';
import { makeScenario } from '../scenarios.ts';
import type { ArrivalPlan, Latencies } from './arrivals.ts';
import { measure } from './measure.ts';
import { runIfPossible } from './needs.ts';
import { type ScenarioOptions, scenarioCommand } from './options.ts';
import { type CapturedScenario, capture } from './requests.ts';
import { bareUws, runningTarget, startVulndex, TARGET_LABELS, type Target } from './targets.ts';
import { CONNECTIONS } from './wrk.ts';

const WARM_UP_SECONDS = 1;
const SATURATED_SECONDS = 3;
const HEADINGS = [
  'scenario',
  'server',
  'saturated/s',
  'held at/s',
  'p50 ms',
  'p99 ms',
  'spread',
  'p99.9 ms',
  'max ms',
  'client late, p99 ms',
];

interface LatencyOptions extends ScenarioOptions {
  readonly load: number;
  readonly rounds: number;
}

interface LatencyResult {
  readonly scenario: string;
  readonly title: string;
  readonly target: Target['name'];
  /** Of our server. */
  readonly saturatedPerSecond: number;
  readonly requestsPerSecond: number;
  readonly rounds: readonly Latencies[];
}

async function measureAll(
  options: LatencyOptions,
  folder: string,
  [serverCore, clientCore]: readonly number[],
): Promise<void> {
  const corpus = await makeCorpus(folder, options.advisories);
  const { generation } = loadSnapshot(corpus.snapshotPath);
  const key = makeKey();
  const placeOf = (name: string) => {
    const place = { cores: [serverCore], workers: 1, folder: join(folder, name) };
    mkdirSync(place.folder);
    return place;
  };
  const own = await startVulndex(placeOf('vulndex'), corpus.snapshots, key, { scenarios: options.scenario });
  const targets = [runningTarget('vulndex', own), bareUws(placeOf('uws'))];
  const results: LatencyResult[] = [];
  for (const name of options.scenario) {
    const scenario = await capture(own.address, makeScenario(name, generation, key));
    const load = { running: own, requests: scenario.requests };
    const plan = { scenario, load, pipeline: 1, restMs: 0, workers: 1, core: clientCore, folder };
    await measure({ ...plan, seconds: WARM_UP_SECONDS });
    const { requestsPerSecond: saturatedPerSecond, cpuShare } = await measure({
      ...plan,
      seconds: SATURATED_SECONDS,
    });
    console.error(
      `${name}: ${Math.round(saturatedPerSecond)} requests/s with the core ${percent(cpuShare)} busy`,
    );
    const requestsPerSecond = saturatedPerSecond * options.load;
    results.push(
      ...(await hold(options, scenario, targets, { saturatedPerSecond, requestsPerSecond, clientCore })),
    );
  }
  for (const target of targets) await target.stop();
  const conditions = conditionsOf('bench:latency', corpus);
  console.log(
    `\n${describe(conditions)}\nLoad ${percent(options.load)}, ${options.rounds} round(s) of ${options.seconds} s.\n`,
  );
  console.log(tableOf(results));
  writeJson(options.json, { ...conditions, load: options.load, results });
}

/** Every target in each round, so that a slow minute of the machine affects both. */
async function hold(
  { rounds, seconds }: LatencyOptions,
  scenario: CapturedScenario,
  targets: readonly Target[],
  rate: {
    readonly saturatedPerSecond: number;
    readonly requestsPerSecond: number;
    readonly clientCore: number;
  },
): Promise<LatencyResult[]> {
  const { saturatedPerSecond, requestsPerSecond, clientCore } = rate;
  const measured = new Map<Target['name'], Latencies[]>();
  for (let round = 0; round < rounds; round++) {
    for (const target of targets) {
      const load = await target.prepare(scenario);
      if (load === undefined) continue;
      const { requests, running } = load;
      const { status } = scenario;
      const plan = { address: running.address, requests, status, requestsPerSecond, seconds };
      const result = await inOwnProcess(
        { ...plan, warmUpSeconds: WARM_UP_SECONDS, connections: CONNECTIONS },
        clientCore,
      );
      const { p50Ms, p99Ms } = result;
      console.error(
        `${scenario.name}, ${TARGET_LABELS[target.name]}: p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms`,
      );
      measured.set(target.name, [...(measured.get(target.name) ?? []), result]);
    }
  }
  const { name, title } = scenario;
  return [...measured].map(([target, each]) => ({
    scenario: name,
    title,
    target,
    saturatedPerSecond,
    requestsPerSecond,
    rounds: each,
  }));
}

/** Runs the plan in a process on the given core. Throws if the run fails. */
function inOwnProcess(plan: ArrivalPlan, core: number): Promise<Latencies> {
  const program = fileURLToPath(new URL('arrivals.ts', import.meta.url));
  return new Promise((resolve, reject) => {
    const child = fork(program, {
      execPath: 'taskset',
      execArgv: ['-c', String(core), process.execPath, '--import', 'tsx'],
      serialization: 'advanced', // bodies are bytes
    });
    child.once('message', (result: Latencies | { readonly error: string }) => {
      if ('error' in result) reject(new Error(result.error));
      else resolve(result);
    });
    child.once('error', reject);
    child.once('exit', (status) => reject(new Error(`the client ended with status ${status}`))); // no effect once resolved
    child.send(plan);
  });
}

export function tableOf(results: readonly LatencyResult[]): string {
  const rows = results.map(({ title, target, saturatedPerSecond, requestsPerSecond, rounds }) => {
    const figure = (of: (each: Latencies) => number): Figure => figureOf(rounds.map(of));
    const ms = (of: (each: Latencies) => number): string => figure(of).median.toFixed(2);
    const isOwn = target === 'vulndex';
    return [
      isOwn ? title : '',
      TARGET_LABELS[target],
      isOwn ? Math.round(saturatedPerSecond).toLocaleString('en-US') : '',
      Math.round(requestsPerSecond).toLocaleString('en-US'),
      ms(({ p50Ms }) => p50Ms),
      ms(({ p99Ms }) => p99Ms),
      percent(figure(({ p99Ms }) => p99Ms).spread),
      ms(({ p999Ms }) => p999Ms),
      ms(({ maxMs }) => maxMs),
      ms(({ lateP99Ms }) => lateP99Ms),
    ];
  });
  return markdownTable(HEADINGS, rows, 2);
}

if (process.argv[1]?.endsWith('latency.ts')) {
  const command = scenarioCommand('bench:latency')
    .option('--load <share>', "of our server's capacity", between(0.1, 0.9, true), 0.5)
    .option('--rounds <n>', 'per scenario', between(1, 20), 3);
  const options = command.parse().opts<LatencyOptions>();
  await runIfPossible(['uws'], (folder, cores) => measureAll(options, folder, cores));
}
