// `npm run bench:process`: what the server costs apart from requests. How long a start takes until the first answer,
// its memory with one worker and with more, and how a swap affects clients at half load.

import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { makeKey } from '../../src/access/keys-file.ts';
import { megabytes } from '../../src/cli/figures.ts';
import { loadSnapshot } from '../../src/loader/load.ts';
import { conditionsOf, describe } from '../conditions.ts';
import { type Corpus, compileFeed, makeCorpus } from '../corpus.ts';
import { type Figure, figureOf, percent } from '../figures.ts';
import { between, writeJson } from '../options.ts';
import type { BenchRequest } from '../scenario.ts';
import { makeScenario } from '../scenarios.ts';
import { measure, type Round } from './measure.ts';
import { runIfPossible } from './needs.ts';
import { type CapturedScenario, capture, send } from './requests.ts';
import type { Running } from './server-process.ts';
import { startVulndex } from './targets.ts';
import { restFor } from './wrk.ts';

const SWAP_MS = 2_000;
const SETTLE_MS = 2_000; // for the garbage of loading to be collected
const LOAD = 0.5; // of the server's capacity

interface ProcessOptions {
  readonly advisories: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly json?: string;
}

interface Site {
  readonly folder: string;
  readonly corpus: Corpus;
  readonly key: string;
  readonly cores: readonly number[];
}

async function benchProcess(
  options: ProcessOptions,
  folder: string,
  cores: readonly number[],
): Promise<void> {
  const corpus = await makeCorpus(folder, options.advisories);
  const conditions = conditionsOf('bench:process', corpus);
  const site: Site = { folder, corpus, key: makeKey(), cores };
  console.log(describe(conditions));
  const start = await coldStarts(site, options.rounds);
  console.log(`start to first answer: median ${start.median.toFixed(0)} ms, spread ${percent(start.spread)}`);
  const memory = await memoryOf(site);
  const swap = await swaps(site, options);
  writeJson(options.json, { ...conditions, start, memory, swap });
}

/** Milliseconds from starting the process to its first lookup answer, on all available cores. */
async function coldStarts(site: Site, rounds: number): Promise<Figure> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const beganMs = performance.now();
    const running = await startServer(site, 1);
    const { status } = await send(running.address, requestFor(site, '/product/plugin/some/1.0/exists'));
    if (status !== 200) throw new Error(`the first answer has status ${status}`);
    times.push(performance.now() - beganMs);
    await running.stop();
  }
  return figureOf(times);
}

/** Resident bytes with one, two and four workers, after each has answered a page. */
async function memoryOf(site: Site): Promise<object> {
  const resident: Record<number, number> = {};
  for (const workers of [1, 2, 4]) {
    const running = await startServer(site, workers);
    for (let i = 0; i < workers * 8; i++) await send(running.address, requestFor(site, '/all'));
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    resident[workers] = statusBytes(running.pid, 'VmRSS');
    await running.stop();
  }
  const { parts } = loadSnapshot(site.corpus.snapshotPath).generation.parts.items;
  const prepared = parts.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const further = (resident[4] - resident[1]) / 3;
  const ratio = (resident[1] / prepared).toFixed(2);
  console.log(
    `resident with one worker: ${megabytes(resident[1])}, ${ratio} x the prepared items (${megabytes(prepared)})`,
  );
  console.log(`each additional worker: ${megabytes(further)}`);
  return { resident, prepared, further };
}

function requestFor({ key }: Site, path: string): BenchRequest {
  return { method: 'GET', path, headers: { PSKey: key } };
}

/** Latencies at half load without and with a swap every two seconds, in turn. */
async function swaps(site: Site, { rounds, seconds }: ProcessOptions): Promise<object> {
  const workers = Math.max(1, site.cores.length - 1);
  const running = await startServer(site, workers);
  const { generation } = loadSnapshot(site.corpus.snapshotPath);
  const scenario = await capture(running.address, makeScenario('zipf', generation, site.key));
  const full = await stretch(site, running, scenario, 3, 0);
  const restMs = restFor(full.requestsPerSecond * LOAD, 1);
  await stretch(site, running, scenario, 1, restMs);
  const calm: Round[] = [];
  const swapped: Round[] = [];
  let builds = 0;
  for (let round = 0; round < rounds; round++) {
    calm.push(await stretch(site, running, scenario, seconds, restMs));
    const waiting: string[] = [];
    for (let i = 0; i < Math.floor((seconds * 1000) / SWAP_MS); i++) {
      builds++; // each a day newer than the previous one, so that it replaces it
      const out = join(site.folder, `build-${builds}.vdx`);
      await compileFeed(site.corpus.feed, out, builds);
      waiting.push(out);
    }
    const timer = setInterval(() => {
      const build = waiting.shift();
      if (build !== undefined) renameSync(build, site.corpus.snapshotPath); // copying would affect the measurement
    }, SWAP_MS);
    swapped.push(await stretch(site, running, scenario, seconds, restMs));
    clearInterval(timer);
  }
  const peak = statusBytes(running.pid, 'VmHWM');
  await running.stop();
  const p99 = (each: readonly Round[]): number => figureOf(each.map(({ p99Ms }) => p99Ms)).median;
  const figures = `${p99(calm).toFixed(2)} ms without swaps, ${p99(swapped).toFixed(2)} ms with one every 2 s`;
  const ratio = (p99(swapped) / p99(calm)).toFixed(2);
  console.log(`p99 at half load (${workers} worker(s)): ${figures}, ${ratio} x`);
  console.log(`peak resident over all swaps: ${megabytes(peak)}`);
  return { calm, swapped, peak };
}

/** One measurement. The server may use every core, wrk uses the last one. */
async function stretch(
  { folder, cores }: Site,
  running: Running,
  scenario: CapturedScenario,
  seconds: number,
  restMs: number,
): Promise<Round> {
  const load = { running, requests: scenario.requests };
  const core = cores[cores.length - 1];
  return measure({ scenario, load, seconds, restMs, pipeline: 1, workers: 1, core, folder });
}

function startServer({ folder, corpus, key, cores }: Site, workers: number): Promise<Running> {
  return startVulndex({ cores, workers, folder }, corpus.snapshots, key);
}

/** A line of /proc/PID/status in bytes. */
function statusBytes(pid: number, name: 'VmRSS' | 'VmHWM'): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${name}:\\s*(\\d+) kB$`, 'm').exec(text)?.[1]) * 1024;
}

const options = new Command('npm run bench:process --')
  .option('--advisories <n>', 'size of the corpus', between(1_000, 1_000_000), 20_000)
  .option('--rounds <n>', 'starts, and stretches with and without swaps', between(1, 20), 5)
  .option('--seconds <n>', 'of each such stretch, in which there is a swap every 2 s', between(4, 60), 10)
  .option('--json <file>', 'results as JSON too')
  .parse()
  .opts<ProcessOptions>();
await runIfPossible([], (folder, cores) => benchProcess(options, folder, cores));
