// `npm run bench:tails -- [options]`: how late the last of a hundred and of a thousand answers come, of our
// server and of bare uWebSockets.js: with a full core, with less than half as many requests, and ours also
// while newer snapshots go live. Servers in turn. The working folder is the repository.

import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, Option } from 'commander';
import { loadSnapshot } from '../../src/loader/snapshot/load.ts';
import { FEWEST_STARTS, LEGEND } from '../comparison.ts';
import { BUILT_AT_MS, compileAgainst, compileWith, describe, makeCorpus } from '../corpus.ts';
import { anyBetween, between } from '../options.ts';
import { makeScenario, SCENARIO_NAMES, type Scenario, type ScenarioName } from '../scenarios.ts';
import { inWorkFolder } from '../work-folder.ts';
import { allowedCores, missing } from './needs.ts';
import { type CapturedScenario, capture } from './requests.ts';
import { killAll } from './server-process.ts';
import { type Situation, type TailResults, tailTable } from './tail-results.ts';
import { bareUws, build, type Load, type Target, type TargetName } from './targets.ts';
import { CONNECTIONS, requireSound, startWrk, type WrkResult } from './wrk.ts';

interface TailOptions {
  readonly advisories: number;
  readonly scenario: ScenarioName;
  readonly starts: number;
  readonly seconds: number;
  readonly against?: string;
}

/** Some 8 s after a start V8 collects several times in a row, once: what comes later is the rule. */
const WARM_UP_SECONDS = 12;
const SWAP_EVERY_SECONDS = 2;
const MINUTE_MS = 60_000;

/** Newer snapshots of the corpus than the first that a build has: only the build time and the id differ. */
class Newer {
  readonly #checkout: string;
  readonly #feed: string;
  readonly #first: string;
  readonly #folder: string;
  #made = 0;

  constructor(checkout: string, feed: string, first: string, folder: string) {
    this.#checkout = checkout;
    this.#feed = feed;
    this.#first = first;
    this.#folder = folder;
    mkdirSync(folder);
  }

  /** Each a minute newer than the one before it. */
  make(count: number): string[] {
    return Array.from({ length: count }, () => {
      const out = join(this.#folder, `${++this.#made}.vdx`);
      const words = ['--feed', this.#feed, '--previous', this.#first, '--out', out];
      compileWith(this.#checkout, words, BUILT_AT_MS + this.#made * MINUTE_MS);
      return out;
    });
  }
}

async function tails(options: TailOptions, folder: string): Promise<void> {
  const { advisories, starts, seconds, against } = options;
  const [serverCore, wrkCore] = allowedCores();
  const corpus = await makeCorpus(folder, advisories);
  const scenario = makeScenario(options.scenario, loadSnapshot(corpus.snapshotPath).generation);
  const mounts = scenario.mount === undefined ? [] : [scenario.mount];
  const place = { core: serverCore, folder };
  const newerOf = new Map<TargetName, { readonly newer: Newer; readonly snapshots: string }>();
  const serving = (name: 'vulndex' | 'against', checkout: string, first: string): Target<Scenario> => {
    const newer = new Newer(checkout, corpus.feedPath, first, join(folder, `${name}-newer`));
    const snapshots = dirname(first);
    newerOf.set(name, { newer, snapshots });
    return build(name, checkout, place, snapshots, mounts);
  };
  const own = serving('vulndex', '.', corpus.snapshotPath);
  const targets: Target[] = [own, bareUws(place)];
  if (against !== undefined) {
    targets.push(serving('against', against, compileAgainst(against, corpus)));
  }
  const script = join(folder, 'tails.lua');
  const fire = async ({ running, requests }: Load, forSeconds: number, restMs = 0): Promise<WrkResult> => {
    const wrk = startWrk({ address: running.address, requests, pipeline: 1, core: wrkCore, script, restMs });
    wrk.goOn();
    await sleep(forSeconds * 1_000);
    return wrk.end();
  };
  const captured = await captureOnce(own, scenario);
  const results: TailResults = new Map();
  for (let start = 1; start <= starts; start++) {
    console.error(`start ${start} of ${starts}`);
    for (const i of targets.keys()) {
      // Another one goes first in each start, in case the order matters.
      const { name, prepare, stop } = targets[(start - 1 + i) % targets.length];
      const load = await prepare(captured);
      if (load === undefined) continue;
      const keep = (situation: Situation, result: WrkResult): void => {
        requireSound(result, scenario.status, load.requests[0].path);
        const all = results.get(name) ?? new Map<Situation, WrkResult[]>();
        results.set(name, all.set(situation, [...(all.get(situation) ?? []), result]));
      };
      await fire(load, WARM_UP_SECONDS);
      const full = await fire(load, seconds);
      keep('a full core', full);
      // Twice what a turn of all connections took. The answer comes on top: it is a little less than half.
      const restMs = (2 * CONNECTIONS * seconds * 1_000) / full.requests;
      keep('half of that', await fire(load, seconds, restMs));
      const made = newerOf.get(name);
      if (made !== undefined) {
        const swaps = made.newer.make(Math.floor(seconds / SWAP_EVERY_SECONDS));
        const publishing = publish(swaps, made.snapshots);
        keep('half, with swaps', await fire(load, seconds, restMs));
        await publishing;
      }
      await stop();
    }
  }
  console.log(describe('bench:tails', corpus));
  console.log(`${scenario.title}; ${starts} start(s) of each server in turn, ${seconds} s for each row.`);
  if (starts < FEWEST_STARTS) console.log(`With fewer than ${FEWEST_STARTS} starts nothing stands out.`);
  console.log(`\n${tailTable(results, seconds)}\n\n${LEGEND} With swaps, to our server without.`);
}

/** Our server's answers, which are the same after every start. */
async function captureOnce(own: Target<Scenario>, scenario: Scenario): Promise<CapturedScenario> {
  const load = await own.prepare(scenario);
  if (load === undefined) throw new Error(`${scenario.name}: our server cannot be asked`);
  try {
    return await capture(scenario, load.running.address, load.requests);
  } finally {
    await own.stop();
  }
}

/** Every two seconds the next file becomes the newest in the folder, and the one before it goes. */
async function publish(files: readonly string[], snapshots: string): Promise<void> {
  let last: string | undefined;
  for (const [i, file] of files.entries()) {
    await sleep(SWAP_EVERY_SECONDS * 1_000 * (i === 0 ? 0.5 : 1));
    const next = join(snapshots, basename(file));
    renameSync(file, next);
    if (last !== undefined) rmSync(last);
    last = next;
  }
}

function tailCommand(): Command {
  return new Command('npm run bench:tails --')
    .option('--advisories <n>', 'size of the corpus', between(1_000, 1_000_000), 100_000)
    .addOption(new Option('--scenario <name>').choices(SCENARIO_NAMES).default('exists-hit'))
    .option('--against <dir>', 'another checkout, built, to measure in turn with this one')
    .option('--starts <n>', 'of each server, so many processes in turn', between(1, 20), FEWEST_STARTS)
    .option('--seconds <n>', 'for each row after each start', anyBetween(1, 60), 6);
}

const options = tailCommand().parse().opts<TailOptions>();
const lacks = missing({ ...options, baseline: ['uws'] });
for (const line of lacks) console.error(line);
if (lacks.length > 0) process.exitCode = 1;
else await inWorkFolder((folder) => tails(options, folder), killAll);
