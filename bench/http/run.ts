// `npm run bench:http`: makes a corpus, starts our server and those it is compared with on one core, measures
// them in turn with wrk on another, prints the table and stops everything. The working folder is the
// repository.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { loadSnapshot } from '../../src/loader/snapshot/load.ts';
import { handOver } from '../../test/support/figure.ts';
import { budgetReport } from '../budgets.ts';
import { FEWEST_STARTS } from '../comparison.ts';
import { compileAgainst, describe, makeCorpus } from '../corpus.ts';
import { makeScenario, type ScenarioName } from '../scenarios.ts';
import { inWorkFolder } from '../work-folder.ts';
import { LOADING, type LoadingPlan, loadingReport, measureLoading } from './loading.ts';
import { fireWith, measureAll, type Site } from './measure.ts';
import { allowedCores, missing } from './needs.ts';
import { nginx } from './nginx.ts';
import { type HttpOptions, httpCommand } from './options.ts';
import { againstFigure, againstOther, report, spentOf } from './results.ts';
import { killAll } from './server-process.ts';
import { bareUws, build, database, linearScan, type Place, type Target } from './targets.ts';
import { CONNECTIONS, startWrk } from './wrk.ts';

const NOT_COMPARABLE = 3; // the exit status when the other build does not run

async function bench(options: HttpOptions, folder: string): Promise<void> {
  const { advisories, baseline, pipeline, starts, seconds } = options;
  const [serverCore, wrkCore] = allowedCores();
  console.error(`making a corpus of ${advisories} advisories`);
  const corpus = await makeCorpus(folder, advisories);
  const { generation } = loadSnapshot(corpus.snapshotPath);
  const scenarios = options.scenario
    .filter((name): name is ScenarioName => name !== LOADING)
    .map((name) => makeScenario(name, generation));
  const mounts = [...new Set(scenarios.flatMap(({ mount }) => mount ?? []))];
  const placeOf = (name: string): Place => {
    const place = { core: serverCore, folder: join(folder, name) };
    mkdirSync(place.folder);
    return place;
  };
  const others: Target[] = [];
  let other: LoadingPlan['against'];
  if (options.against !== undefined) {
    const place = placeOf('against');
    try {
      other = { checkout: options.against, snapshot: compileAgainst(options.against, corpus) };
      const target = build('against', options.against, place, place.folder, mounts);
      if (scenarios.length > 0) await target.prepare(scenarios[0]);
      await target.stop();
      others.push(target);
    } catch (error) {
      console.error(`${options.against} cannot be measured: ${(error as Error).message}`);
      process.exitCode = NOT_COMPARABLE;
      return;
    }
  }
  if (baseline.includes('uws')) others.push(bareUws(placeOf('uws')));
  if (baseline.includes('linear')) others.push(linearScan(placeOf('linear'), corpus.feedPath));
  if (baseline.includes('nginx')) others.push(nginx(placeOf('nginx')));
  if (baseline.includes('sqlite')) others.push(database(placeOf('sqlite'), generation));
  const own = build('vulndex', '.', placeOf('vulndex'), corpus.snapshots, mounts);
  const fire = fireWith(({ running: { address }, requests }, i) => {
    // Over uWebSockets, a request pipelined behind a body that has to wait is cut off.
    const atATime = requests.some(({ body }) => body !== undefined) ? 1 : pipeline;
    return startWrk({
      address,
      requests,
      pipeline: atATime,
      core: wrkCore,
      script: join(folder, `${i}.lua`),
    });
  });
  const site: Site = { own, others, fire, say: console.error };

  console.log(describe('bench:http', corpus));
  const turns = `${starts} start(s) of each server, ${seconds} s after each, in turns of a tenth of a second`;
  console.log(`${turns}; ${CONNECTIONS} connections, ${pipeline} request(s) at a time, one with a body.`);
  if (starts < FEWEST_STARTS) console.log(`With fewer than ${FEWEST_STARTS} starts nothing stands out.`);
  const results = await measureAll(site, scenarios, options);
  const spent = spentOf(scenarios, results);
  console.log(`\n${report(results)}\n\n${budgetReport(spent)}`);
  for (const figure of againstOther(scenarios, results)) handOver(figure);
  const plan: LoadingPlan = {
    own: { checkout: '.', snapshot: corpus.snapshotPath },
    against: other,
    feed: corpus.feedPath,
    advisories,
  };
  if (options.scenario.includes(LOADING)) {
    const loading = measureLoading(plan, starts);
    const { title, toOther, toParsing: comparison } = loading;
    const loadSpent = { name: LOADING, title, comparison };
    spent.push(loadSpent);
    console.log(`\n${loadingReport(loading)}\n\n${budgetReport([loadSpent])}`);
    if (toOther !== undefined) handOver(againstFigure(LOADING, 'time', toOther));
  }
  for (const { name, comparison } of spent)
    handOver({ source: name, name: `${name}, against bare`, value: comparison.ratio, unit: 'x' });
}

const options = httpCommand().parse().opts<HttpOptions>();
const lacks = missing(options);
for (const line of lacks) console.error(line);
if (lacks.length > 0) process.exitCode = 1;
else await inWorkFolder((folder) => bench(options, folder), killAll);
