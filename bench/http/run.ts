// `npm run bench:http`: makes a corpus, starts our server and the baselines on one core, measures them in turn with
// wrk on another, prints the table and stops everything. The working folder is the repository.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { makeKey } from '../../src/access/keys-file.ts';
import { etagOf } from '../../src/dialects/patchstack/etag.ts';
import type { Generation } from '../../src/index/generation.ts';
import { loadSnapshot } from '../../src/loader/load.ts';
import { bareUws } from './bare-uws.ts';
import { inWorkFolder, runMain, writeJson } from './command.ts';
import { makeSnapshot } from './corpus.ts';
import { fastify, fastifyMissing } from './fastify.ts';
import { measure, type Round, summarise } from './measure.ts';
import { allowedCores, missing } from './needs.ts';
import { nginxFiles, nginxReturn } from './nginx.ts';
import { type Options, readOptions } from './options.ts';
import { type CapturedScenario, capture, send } from './requests.ts';
import { describeRun, type RunResults, resultTable, type ScenarioResult, TARGET_LABELS } from './results.ts';
import { writeRows } from './rows.ts';
import { makeScenario } from './scenarios.ts';
import type { Load, Place, Target, TargetName } from './target.ts';
import { startVulndex, vulndexTarget } from './vulndex.ts';
import { CONNECTIONS } from './wrk.ts';

const WARM_UP_SECONDS = 1;
const CHECKED_REQUESTS = 8; // of each scenario, before a baseline is measured
const MOST_IN_SQLITE = 200_000; // advisories; filling the database takes minutes beyond

/** What a run works with. */
interface Bench {
  readonly options: Options;
  readonly folder: string;
  readonly serverCores: readonly number[];
  readonly wrkCore: number;
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  const lacks = missing(options.targets);
  if (!existsSync(join('dist', 'cli.js'))) lacks.push('the server is not built: npm run build');
  if (lacks.length > 0) {
    for (const line of lacks) console.error(line);
    process.exitCode = 1;
    return;
  }
  const cores = allowedCores();
  await inWorkFolder('vulndex-bench-http', async (folder) => {
    const run = await benchAll({
      options,
      folder,
      serverCores: cores.slice(0, options.workers),
      wrkCore: cores[Math.min(options.workers, cores.length - 1)],
    });
    console.log(`\n${describeRun(run)}\n\n${resultTable(run)}`);
    writeJson(options.json, run);
  });
}

async function benchAll(bench: Bench): Promise<RunResults> {
  const { options, folder } = bench;
  const notes: string[] = [];
  if (bench.serverCores.includes(bench.wrkCore)) {
    notes.push('No core is left for wrk, which shares one with the server: only CPU per request counts.');
  }
  console.error(`making a corpus of ${options.advisories} advisories`);
  const snapshot = await makeSnapshot(folder, options.advisories);
  const { generation } = loadSnapshot(snapshot);
  const key = makeKey();
  const own = await startVulndex(dirname(snapshot), key, placeOf(bench, 'vulndex'));
  const targets = [vulndexTarget(own)];
  for (const name of options.targets) {
    const made = await makeTarget(name, { bench, generation, key });
    if (typeof made === 'string') notes.push(`${TARGET_LABELS[name]} is left out: ${made}`);
    else if (made !== undefined) targets.push(made);
  }
  const scenarios: ScenarioResult[] = [];
  for (const name of options.scenarios) {
    const scenario = await capture(own.address, makeScenario(name, generation, key));
    scenarios.push(await benchScenario(bench, scenario, targets, notes));
  }
  for (const target of targets) await target.stop();
  const { advisories, workers, pipeline, load, seconds, rounds } = options;
  return {
    command: `npm run bench:http -- ${process.argv.slice(2).join(' ')}`.replace(/ --json \S+/, ''), // no local path
    machine: `${cpus().length} x ${cpus()[0].model.trim()}`,
    node: process.version,
    advisories,
    workers,
    pipeline,
    load,
    seconds,
    rounds,
    snapshotId: generation.id,
    notes,
    scenarios,
  };
}

/** A baseline ready to be prepared, why there is none, or undefined for our own server. */
async function makeTarget(
  name: TargetName,
  { bench, generation, key }: { bench: Bench; generation: Generation; key: string },
): Promise<Target | string | undefined> {
  const place = placeOf(bench, name);
  switch (name) {
    case 'vulndex':
      return undefined;
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

function placeOf({ folder, serverCores, options }: Bench, name: TargetName): Place {
  const own = join(folder, name);
  mkdirSync(own, { recursive: true });
  return { cores: serverCores, workers: options.workers, folder: own };
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
  notes: string[],
): Promise<ScenarioResult> {
  const { options, folder, wrkCore } = bench;
  const { pipeline, workers } = options;
  const scriptPath = join(folder, 'script.lua');
  const plan = { scenario, pipeline, workers, wrkCore, scriptPath };
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
  return {
    name: scenario.name,
    title: scenario.title,
    requestCount: scenario.requests.length,
    bodyBytes: scenario.typical.body.length,
    answersHash: hash.digest('hex').slice(0, 16),
    results: entries.map(({ name, rounds }) => summarise(name, rounds)),
  };
}

/** How long each connection pauses so that together they send the wanted share of the server's capacity. */
function restFor(capacity: number, { load, pipeline }: Options): number {
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

await runMain(main);
