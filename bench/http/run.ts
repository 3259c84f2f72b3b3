// `npm run bench:http`: makes a corpus, starts our server and the baselines on one core, measures them in turn with
// wrk on another, prints the table and stops everything. The working folder is the repository.

import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { makeKey } from '../../src/access/keys-file.ts';
import { etagOf } from '../../src/dialects/patchstack/etag.ts';
import type { Generation } from '../../src/index/generation.ts';
import { loadSnapshot } from '../../src/loader/load.ts';
import { conditionsOf } from '../conditions.ts';
import { makeCorpus } from '../corpus.ts';
import { percent } from '../figures.ts';
import { writeJson } from '../options.ts';
import { makeScenario } from '../scenarios.ts';
import { measure, type Round, summarise } from './measure.ts';
import { runIfPossible } from './needs.ts';
import { nginxFiles, nginxReturn } from './nginx.ts';
import { baselinesOf, type HttpOptions, httpCommand } from './options.ts';
import { type CapturedScenario, capture, send } from './requests.ts';
import { describeRun, type RunResults, resultTable, type ScenarioResult } from './results.ts';
import { writeRows } from './rows.ts';
import {
  type Baseline,
  bareUws,
  fastify,
  type Load,
  type Place,
  requireFastify,
  runningTarget,
  startVulndex,
  TARGET_LABELS,
  type Target,
  type TargetName,
} from './targets.ts';
import { restFor } from './wrk.ts';

const WARM_UP_SECONDS = 1;
const CHECKED_REQUESTS = 8; // of each scenario, before a baseline is measured
const MOST_IN_SQLITE = 200_000; // advisories; filling the database takes minutes beyond

/** What a run works with. */
interface Bench {
  readonly options: HttpOptions;
  readonly folder: string;
  readonly wrkCore: number;
  /** What is left out, and why. */
  readonly notes: string[];
}

async function benchAll(options: HttpOptions, folder: string, cores: readonly number[]): Promise<RunResults> {
  const { advisories, workers, pipeline, load, seconds, rounds } = options;
  const wrkCore = cores[Math.min(workers, cores.length - 1)];
  const notes: string[] = [];
  if (workers >= cores.length) {
    notes.push('No core is left for wrk, which shares one with the server: only CPU per request counts.');
  }
  console.error(`making a corpus of ${advisories} advisories`);
  const corpus = await makeCorpus(folder, advisories);
  const { generation } = loadSnapshot(corpus.snapshotPath);
  const key = makeKey();
  const placeOf = (name: TargetName): Place => {
    const place = { cores: cores.slice(0, workers), workers, folder: join(folder, name) };
    mkdirSync(place.folder);
    return place;
  };
  const own = await startVulndex(placeOf('vulndex'), corpus.snapshots, key, { scenarios: options.scenario });
  const targets = [runningTarget('vulndex', own)];
  for (const name of baselinesOf(options)) {
    try {
      targets.push(await MAKE[name](placeOf(name), generation, key));
    } catch (error) {
      notes.push(`${TARGET_LABELS[name]} is left out: ${(error as Error).message}`);
    }
  }
  const scenarios: ScenarioResult[] = [];
  for (const name of options.scenario) {
    const scenario = await capture(own.address, makeScenario(name, generation, key));
    scenarios.push(await benchScenario({ options, folder, wrkCore, notes }, scenario, targets));
  }
  for (const target of targets) await target.stop();
  const conditions = conditionsOf('bench:http', corpus);
  return { ...conditions, workers, pipeline, load, seconds, rounds, notes, scenarios };
}

type Make = (place: Place, generation: Generation, key: string) => Target | Promise<Target>;

/** How each baseline is made; throws if it cannot run here. */
const MAKE: Readonly<Record<Baseline, Make>> = {
  uws: bareUws,
  'nginx-file': nginxFiles,
  'nginx-return': nginxReturn,
  fastify: async (place, generation, key) => {
    requireFastify();
    if (generation.publishedCount > MOST_IN_SQLITE)
      throw new Error(`the database would hold over ${MOST_IN_SQLITE} rows.`);
    const rows = join(place.folder, 'rows.ndjson');
    console.error(`filling a database with ${writeRows(generation, rows)} advisories`);
    return fastify(rows, key, etagOf(generation), place);
  },
};

/** A target in one scenario. */
interface Entry {
  readonly name: TargetName;
  readonly load: Load;
  restMs: number;
  readonly rounds: Round[];
}

/**
 * Every target in each round, so that a slow minute of the machine affects all of them; the first round checks and warms
 * up. A failure of a baseline leaves it out; a failure of our server ends the run.
 */
async function benchScenario(
  { options, folder, wrkCore: core, notes }: Bench,
  scenario: CapturedScenario,
  targets: readonly Target[],
): Promise<ScenarioResult> {
  const { pipeline, workers, seconds } = options;
  const plan = { scenario, pipeline, workers, core, folder };
  const entries: Entry[] = [];
  for (const target of targets) {
    const load = await target.prepare(scenario);
    if (load !== undefined) entries.push({ name: target.name, load, restMs: 0, rounds: [] });
  }
  for (let round = 0; round <= options.rounds; round++) {
    for (const entry of [...entries]) {
      const { name, load, restMs, rounds } = entry;
      try {
        if (round === 0) await checkAnswers(scenario, name, load);
        const result = await measure({
          ...plan,
          load,
          restMs,
          seconds: round === 0 ? WARM_UP_SECONDS : seconds,
        });
        if (round === 0)
          entry.restMs = options.load === 1 ? 0 : restFor(result.requestsPerSecond * options.load, pipeline);
        else rounds.push(result);
        const cost = `${result.cpuMicroseconds.toFixed(2)} us per request`;
        const rate = `${Math.round(result.requestsPerSecond)} requests/s, core ${percent(result.cpuShare)}`;
        console.error(`${scenario.name}, round ${round}, ${TARGET_LABELS[name]}: ${cost}, ${rate}`);
      } catch (error) {
        if (name === 'vulndex') throw error;
        entries.splice(entries.indexOf(entry), 1);
        notes.push(`${TARGET_LABELS[name]} is left out of ${scenario.title}: ${(error as Error).message}`);
      }
    }
  }
  const hash = createHash('sha256');
  for (const { body } of scenario.replies) hash.update(body);
  const answersHash = hash.digest('hex').slice(0, 16);
  console.error(`${scenario.name}: answers ${answersHash}`);
  return {
    name: scenario.name,
    title: scenario.title,
    bodyBytes: scenario.typical.body.length,
    answersHash,
    results: entries.map(({ name, rounds }) => summarise(name, rounds)),
  };
}

/** Throws if a target's answers are wrong: it must send our bytes, or our JSON if it is a program of its own. */
async function checkAnswers(
  scenario: CapturedScenario,
  name: TargetName,
  { running, requests }: Load,
): Promise<void> {
  if (scenario.status === 401) return; // an error body contains an id generated for the request
  const step = Math.ceil(requests.length / CHECKED_REQUESTS);
  for (let i = 0; i < requests.length; i += step) {
    const { status, body } = await send(running.address, requests[i]);
    const wanted = name === 'uws' ? scenario.typical : scenario.replies[i];
    const isSame = name === 'fastify' ? isSameJson(body, wanted.body) : body.equals(wanted.body);
    if (status === wanted.status && isSame) continue;
    throw new Error(
      `${scenario.name}: ${TARGET_LABELS[name]} answers ${requests[i].path} with ${status} and ${body.length} bytes, ` +
        `not with ${wanted.status} and our ${wanted.body.length}`,
    );
  }
}

function isSameJson(a: Buffer, b: Buffer): boolean {
  if (a.length === 0 || b.length === 0) return a.length === b.length;
  return JSON.stringify(JSON.parse(a.toString())) === JSON.stringify(JSON.parse(b.toString()));
}

const options = httpCommand().parse().opts<HttpOptions>();
await runIfPossible(baselinesOf(options), async (folder, cores) => {
  const run = await benchAll(options, folder, cores);
  console.log(`\n${describeRun(run)}\n\n${resultTable(run)}`);
  writeJson(options.json, run);
});
