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
  fastifyMissing,
  type Load,
  type Place,
  runningTarget,
  startVulndex,
  TARGET_LABELS,
  type Target,
  type TargetName,
} from './targets.ts';
import { CONNECTIONS } from './wrk.ts';

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
  const own = await startVulndex(placeOf('vulndex'), { snapshots: corpus.snapshots, key });
  const targets = [runningTarget('vulndex', own)];
  for (const name of baselinesOf(options)) {
    const made = await makeBaseline(name, placeOf(name), generation, key);
    if (typeof made === 'string') notes.push(`${TARGET_LABELS[name]} is left out: ${made}`);
    else targets.push(made);
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

/** A server ready to be prepared, or why there is none. */
async function makeBaseline(
  name: Baseline,
  place: Place,
  generation: Generation,
  key: string,
): Promise<Target | string> {
  switch (name) {
    case 'uws':
      return bareUws(place);
    case 'nginx-file':
      return nginxFiles(place);
    case 'nginx-return':
      return nginxReturn(place);
    case 'fastify': {
      const remedy = fastifyMissing();
      if (remedy !== undefined) return `install it first: ${remedy}`;
      if (generation.publishedCount > MOST_IN_SQLITE)
        return `the database would hold over ${MOST_IN_SQLITE} rows.`;
      const rows = join(place.folder, 'rows.ndjson');
      console.error(`filling a database with ${writeRows(generation, rows)} advisories`);
      return fastify(rows, key, etagOf(generation), place);
    }
  }
}

/** A target in one scenario. */
interface Entry {
  readonly name: TargetName;
  readonly load: Load;
  readonly restMs: number;
  readonly rounds: Round[];
}

/** Every target in each round, so that a slow minute of the machine affects all of them. */
async function benchScenario(
  bench: Bench,
  scenario: CapturedScenario,
  targets: readonly Target[],
): Promise<ScenarioResult> {
  const { options, folder, wrkCore: core, notes } = bench;
  const { pipeline, workers } = options;
  const plan = { scenario, pipeline, workers, core, scriptPath: join(folder, 'script.lua') };
  const entries: Entry[] = [];
  /** A failure of a baseline leaves it out; a failure of our server ends the run. */
  const attempt = async (name: TargetName, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (name === 'vulndex') throw error;
      const failed = entries.findIndex((entry) => entry.name === name);
      if (failed >= 0) entries.splice(failed, 1);
      notes.push(`${TARGET_LABELS[name]} is left out of ${scenario.title}: ${(error as Error).message}`);
    }
  };
  for (const target of targets) {
    const load = await target.prepare(scenario);
    if (load === undefined) continue;
    await attempt(target.name, async () => {
      await checkAnswers(scenario, target.name, load);
      const warm = await measure({ ...plan, load, restMs: 0, seconds: WARM_UP_SECONDS });
      const restMs = restFor(warm.requestsPerSecond, options);
      entries.push({ name: target.name, load, restMs, rounds: [] });
    });
  }
  for (let round = 1; round <= options.rounds; round++) {
    for (const { name, load, restMs, rounds } of [...entries]) {
      await attempt(name, async () => {
        const result = await measure({ ...plan, load, restMs, seconds: options.seconds });
        rounds.push(result);
        const cost = `${result.cpuMicroseconds.toFixed(2)} us per request`;
        const rate = `${Math.round(result.requestsPerSecond)} requests/s, core ${Math.round(result.cpuShare * 100)} %`;
        console.error(`${scenario.name}, round ${round}, ${TARGET_LABELS[name]}: ${cost}, ${rate}`);
      });
    }
  }
  const hash = createHash('sha256');
  for (const { body } of scenario.replies) hash.update(body);
  const answersHash = hash.digest('hex').slice(0, 16);
  console.error(`${scenario.name}: answers ${answersHash}`);
  return {
    name: scenario.name,
    title: scenario.title,
    requestCount: scenario.requests.length,
    bodyBytes: scenario.typical.body.length,
    answersHash,
    results: entries.map(({ name, rounds }) => summarise(name, rounds)),
  };
}

/** How long each connection pauses so that together they send the wanted share of the server's capacity. */
function restFor(capacity: number, { load, pipeline }: HttpOptions): number {
  return load === 1 ? 0 : (1000 * CONNECTIONS * pipeline) / (capacity * load);
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
