// `npm run bench:process`: what the server costs apart from requests. How long a start takes until the first answer,
// its memory with one worker and with more, and how a swap affects clients at half load.

import { mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeKey } from '../../src/access/keys-file.ts';
import { compileFeeds } from '../../src/cli/compile-feeds.ts';
import { megabytes } from '../../src/cli/figures.ts';
import { generateTo } from '../../src/cli/generate.ts';
import { loadSnapshot } from '../../src/loader/load.ts';
import { SEED } from '../corpus.ts';
import type { Running } from './child.ts';
import { inWorkFolder, runMain, writeJson } from './command.ts';
import { freePort } from './free-port.ts';
import { figureOf, measure, type Round } from './measure.ts';
import { allowedCores, missing } from './needs.ts';
import { OptionError } from './options.ts';
import { type CapturedScenario, capture, send } from './requests.ts';
import { percent } from './results.ts';
import { makeScenario } from './scenarios.ts';
import { startVulndex, vulndexTarget } from './vulndex.ts';
import { CONNECTIONS } from './wrk.ts';

const USAGE = `npm run bench:process -- [options]
  --advisories N      size of the corpus, 1,000 to 1,000,000 (20000)
  --rounds N          starts, and stretches with and without swaps (5)
  --seconds N         of each such stretch, in which there is a swap every 2 s (10)
  --json FILE         results as JSON too`;
const SWAP_MS = 2_000;
const DAY_MS = 86_400_000;
const FIRST_BUILT_AT_MS = Date.UTC(2026, 0, 1);
const POLL_MS = 4;
const START_MS = 60_000;
const SETTLE_MS = 2_000; // for the garbage of loading to be collected
const LOAD = 0.5; // of the server's capacity

interface ProcessOptions {
  readonly advisories: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly json: string | undefined;
}

function readProcessOptions(words: string[]): ProcessOptions {
  try {
    const { values } = parseArgs({
      args: words,
      options: {
        advisories: { type: 'string', default: '20000' },
        rounds: { type: 'string', default: '5' },
        seconds: { type: 'string', default: '10' },
        json: { type: 'string' },
      },
    });
    const whole = (name: 'advisories' | 'rounds' | 'seconds', min: number, max: number): number => {
      const value = Number(values[name]);
      if (Number.isInteger(value) && value >= min && value <= max) return value;
      throw new OptionError(`--${name} is ${values[name]}: give a whole number from ${min} to ${max}`);
    };
    return {
      advisories: whole('advisories', 1_000, 1_000_000),
      rounds: whole('rounds', 1, 20),
      seconds: whole('seconds', 4, 60),
      json: values.json,
    };
  } catch (error) {
    if (error instanceof OptionError) throw error;
    throw new OptionError(`${(error as Error).message}\n${USAGE}`, { cause: error });
  }
}

/** Builds of one feed, each a day newer than the previous one, so that each replaces it. */
class Builds {
  readonly #folder: string;
  readonly #feed: string;
  #count = 0;

  constructor(folder: string) {
    this.#folder = folder;
    this.#feed = join(folder, 'feed.ndjson');
  }

  async generate(advisories: number): Promise<void> {
    await generateTo(this.#feed, { advisories, seed: SEED });
  }

  async next(): Promise<string> {
    const out = join(this.#folder, `build-${this.#count}.vdx`);
    const builtAtMs = FIRST_BUILT_AT_MS + this.#count * DAY_MS;
    this.#count += 1;
    await compileFeeds({ feeds: [this.#feed], out, skipInvalid: false, builtAtMs }, console.error);
    return out;
  }
}

interface Site {
  readonly folder: string;
  /** The folder that the server watches. */
  readonly snapshots: string;
  readonly key: string;
  readonly cores: readonly number[];
}

async function main(): Promise<void> {
  const options = readProcessOptions(process.argv.slice(2));
  const lacks = missing([]);
  if (lacks.length > 0) throw new OptionError(lacks.join('\n'));
  await inWorkFolder('vulndex-bench-process', async (folder) => {
    const site: Site = { folder, snapshots: join(folder, 'served'), key: makeKey(), cores: allowedCores() };
    mkdirSync(site.snapshots);
    const builds = new Builds(folder);
    await builds.generate(options.advisories);
    put(site, await builds.next());
    const { advisories, rounds } = options;
    console.log(`${advisories.toLocaleString('en-US')} advisories, Node ${process.version}`);
    const start = await coldStarts(site, rounds);
    console.log(
      `start to first answer: median ${start.median.toFixed(0)} ms, spread ${percent(start.spread)}`,
    );
    const memory = await memoryOf(site);
    console.log(memory.lines.join('\n'));
    const swap = await swaps(site, builds, options);
    console.log(swap.lines.join('\n'));
    writeJson(options.json, { advisories, start, memory: memory.bytes, swap: swap.rounds });
  });
}

/** Moves a build into the watched folder; copying it there would affect the measurement. */
function put({ snapshots }: Site, build: string): void {
  renameSync(build, join(snapshots, 'served.vdx'));
}

/** Milliseconds from starting the process to its first lookup answer, on all available cores. */
async function coldStarts(site: Site, rounds: number): Promise<{ median: number; spread: number }> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const port = await freePort();
    const beganMs = performance.now();
    const starting = startServer(site, 1, port);
    const request = {
      method: 'GET',
      path: '/product/plugin/some/1.0/exists',
      headers: { PSKey: site.key },
    } as const;
    while (!(await isAnswered(`http://127.0.0.1:${port}`, request))) {
      if (performance.now() - beganMs > START_MS) throw new Error('the server does not answer');
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    times.push(performance.now() - beganMs);
    await (await starting).stop();
  }
  return figureOf(times);
}

async function isAnswered(address: string, request: Parameters<typeof send>[1]): Promise<boolean> {
  return send(address, request).then(
    ({ status }) => status === 200,
    () => false,
  );
}

/** Resident bytes with one, two and four workers, after each has answered a page. */
async function memoryOf(site: Site): Promise<{ lines: string[]; bytes: object }> {
  const resident: Record<number, number> = {};
  for (const workers of [1, 2, 4]) {
    const running = await startServer(site, workers);
    const page = { method: 'GET', path: '/all', headers: { PSKey: site.key } } as const;
    for (let i = 0; i < workers * 8; i++) await send(running.address, page);
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    resident[workers] = statusBytes(running.pid, 'VmRSS');
    await running.stop();
  }
  const { parts } = loadSnapshot(join(site.snapshots, 'served.vdx')).generation.parts.items;
  const prepared = parts.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const further = (resident[4] - resident[1]) / 3;
  return {
    lines: [
      `resident with one worker: ${megabytes(resident[1])}, ${(resident[1] / prepared).toFixed(2)} x the prepared items (${megabytes(prepared)})`,
      `each additional worker: ${megabytes(further)}`,
    ],
    bytes: { resident, prepared, further },
  };
}

/** Latencies at half load without and with a swap every two seconds, in turn. */
async function swaps(
  site: Site,
  builds: Builds,
  { rounds, seconds }: ProcessOptions,
): Promise<{ lines: string[]; rounds: object }> {
  const workers = Math.max(1, site.cores.length - 1);
  const running = await startServer(site, workers);
  const { generation } = loadSnapshot(join(site.snapshots, 'served.vdx'));
  const scenario = await capture(running.address, makeScenario('zipf', generation, site.key));
  const full = await stretch(site, running, scenario, 3, 0);
  const restMs = (1000 * CONNECTIONS) / (full.requestsPerSecond * LOAD);
  await stretch(site, running, scenario, 1, restMs);
  const calm: Round[] = [];
  const swapped: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    calm.push(await stretch(site, running, scenario, seconds, restMs));
    const waiting: string[] = [];
    for (let i = 0; i < Math.floor((seconds * 1000) / SWAP_MS); i++) waiting.push(await builds.next());
    const timer = setInterval(() => {
      const build = waiting.shift();
      if (build !== undefined) put(site, build);
    }, SWAP_MS);
    swapped.push(await stretch(site, running, scenario, seconds, restMs));
    clearInterval(timer);
  }
  const peak = statusBytes(running.pid, 'VmHWM');
  await running.stop();
  const p99 = (each: readonly Round[]): number => figureOf(each.map(({ p99Ms }) => p99Ms)).median;
  return {
    lines: [
      `p99 at half load (${workers} worker(s)): ${p99(calm).toFixed(2)} ms without swaps, ${p99(swapped).toFixed(2)} ms with one every 2 s, ${(p99(swapped) / p99(calm)).toFixed(2)} x`,
      `peak resident over all swaps: ${megabytes(peak)}`,
    ],
    rounds: { calm, swapped, peak },
  };
}

/** One measurement. The server may use every core, wrk uses the last one. */
async function stretch(
  { folder, cores }: Site,
  running: Running,
  scenario: CapturedScenario,
  seconds: number,
  restMs: number,
): Promise<Round> {
  const load = await vulndexTarget(running).prepare(scenario);
  if (load === undefined) throw new Error('nothing to send');
  const wrkCore = cores[cores.length - 1];
  const scriptPath = join(folder, 'script.lua');
  return measure({ scenario, load, seconds, restMs, pipeline: 1, workers: 1, wrkCore, scriptPath });
}

async function startServer(
  { folder, snapshots, key, cores }: Site,
  workers: number,
  port = 0,
): Promise<Running> {
  return startVulndex(snapshots, key, { cores, workers, folder }, { port });
}

/** A line of /proc/PID/status in bytes. */
function statusBytes(pid: number, name: 'VmRSS' | 'VmHWM'): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${name}:\\s*(\\d+) kB$`, 'm').exec(text)?.[1]) * 1024;
}

await runMain(main);
