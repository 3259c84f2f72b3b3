// `npm run bench:profile`: where the time of a request goes, for each scenario. Our server runs it under V8's sampling
// profiler for some seconds, and the worker's samples are summed by function and divided by the requests.
// Work of the kernel and the native addon outside our handlers is not JavaScript and therefore in no sample: it is
// the rest of the CPU time.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeKey } from '../../src/access/keys-file.ts';
import { loadSnapshot } from '../../src/loader/load.ts';
import { conditionsOf, describe } from '../conditions.ts';
import { makeCorpus } from '../corpus.ts';
import { writeJson } from '../options.ts';
import { makeScenario } from '../scenarios.ts';
import { measure } from './measure.ts';
import { runIfPossible } from './needs.ts';
import { type ScenarioOptions, scenarioCommand } from './options.ts';
import { capture } from './requests.ts';
import { startVulndex } from './targets.ts';

const WARM_UP_SECONDS = 1;
const SAMPLING_MICROSECONDS = 200;
const SHOWN = 8; // functions per scenario
const COLLECTOR = '(garbage collector)';

/** What V8 writes: nodes of a call tree, and for each sample its node and the time since the previous sample. */
interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

export interface Share {
  /** A function and its file, or a name that V8 puts in parentheses. */
  readonly name: string;
  readonly seconds: number;
}

/** Time by function below the server's handlers, and of the garbage collector; largest first. */
export function sharesOf({ nodes, samples, timeDeltas }: CpuProfile): Share[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const counted = new Set<number>();
  const count = (id: number): void => {
    counted.add(id);
    for (const child of byId.get(id)?.children ?? []) count(child);
  };
  for (const { id, callFrame } of nodes) {
    const isHandler = /\/http\/[\w-]+\.js$/.test(callFrame.url);
    if (isHandler || callFrame.functionName === COLLECTOR) count(id);
  }
  const seconds = new Map<string, number>();
  samples.forEach((id, i) => {
    const frame = byId.get(id)?.callFrame;
    if (frame === undefined || !counted.has(id)) return;
    const name = nameOf(frame);
    seconds.set(name, (seconds.get(name) ?? 0) + timeDeltas[i] / 1e6);
  });
  return [...seconds].map(([name, each]) => ({ name, seconds: each })).sort((x, y) => y.seconds - x.seconds);
}

function nameOf({ functionName, url }: { readonly functionName: string; readonly url: string }): string {
  if (functionName.startsWith('wasm-function')) return 'memory.copy';
  const file = url.slice(url.lastIndexOf('/') + 1).replace(/\.js$/, '');
  const name = functionName === '' ? 'a closure' : functionName;
  return file === '' ? name : `${name} (${file})`;
}

async function profileAll(
  options: ScenarioOptions,
  folder: string,
  [serverCore, core]: readonly number[],
): Promise<void> {
  const corpus = await makeCorpus(folder, options.advisories);
  const { generation } = loadSnapshot(corpus.snapshotPath);
  const conditions = conditionsOf('bench:profile', corpus);
  const key = makeKey();
  const profiles: unknown[] = [];
  console.log(`${describe(conditions)}\n`);
  console.log(`| scenario | CPU µs/request | in our handlers | top functions, µs |\n|---|---:|---:|---|`);
  for (const name of options.scenario) {
    const profileFolder = join(folder, name);
    const place = { cores: [serverCore], workers: 1, folder };
    const nodeOptions = [
      '--cpu-prof',
      `--cpu-prof-dir=${profileFolder}`,
      `--cpu-prof-interval=${SAMPLING_MICROSECONDS}`,
    ];
    const running = await startVulndex(place, corpus.snapshots, key, { nodeOptions, scenarios: [name] });
    const scenario = await capture(running.address, makeScenario(name, generation, key));
    const load = { running, requests: scenario.requests };
    const plan = { scenario, load, pipeline: options.pipeline, restMs: 0, workers: 1, core, folder };
    const warm = await measure({ ...plan, seconds: WARM_UP_SECONDS });
    const round = await measure({ ...plan, seconds: options.seconds });
    await running.stop(); // the profiles are written when the threads end
    const requests = round.requestsPerSecond * options.seconds + warm.requestsPerSecond * WARM_UP_SECONDS;
    const shares = sharesOf(workerProfile(profileFolder)).map(({ name: each, seconds }) => ({
      name: each,
      microseconds: (seconds * 1e6) / requests,
    }));
    const total = shares.reduce((sum, { microseconds }) => sum + microseconds, 0);
    const list = shares.slice(0, SHOWN).map((each) => `${each.name} ${each.microseconds.toFixed(2)}`);
    console.log(
      `| ${scenario.title} | ${round.cpuMicroseconds.toFixed(1)} | ${total.toFixed(1)} | ${list.join('; ')} |`,
    );
    profiles.push({ name, cpuMicroseconds: round.cpuMicroseconds, shares });
  }
  writeJson(options.json, { ...conditions, profiles });
}

/** There is one per thread; the worker's is the one with samples of the server. */
function workerProfile(folder: string): CpuProfile {
  for (const name of readdirSync(folder)) {
    const profile = JSON.parse(readFileSync(join(folder, name), 'utf8')) as CpuProfile; // V8 wrote it
    if (profile.nodes.some(({ callFrame }) => callFrame.url.endsWith('/http/service.js'))) return profile;
  }
  throw new Error(`no profile of a worker in ${folder}`);
}

if (process.argv[1]?.endsWith('profile.ts')) {
  const options = scenarioCommand('bench:profile').parse().opts<ScenarioOptions>();
  await runIfPossible([], (folder, cores) => profileAll(options, folder, cores));
}
