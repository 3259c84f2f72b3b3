// The options of the commands that send the scenarios' requests.

import { Command, Option } from 'commander';
import { between } from '../options.ts';
import { SCENARIO_NAMES, type ScenarioName } from '../scenarios.ts';
import { type Baseline, TARGET_LABELS } from './targets.ts';

const BASELINES = Object.keys(TARGET_LABELS).filter((name) => name !== 'vulndex') as Baseline[];

export interface ScenarioOptions {
  readonly advisories: number;
  readonly pipeline: number;
  readonly seconds: number;
  readonly scenario: readonly ScenarioName[];
  readonly json?: string;
}

export interface HttpOptions extends ScenarioOptions {
  readonly workers: number;
  /** Load as a share of each server's own capacity, 1 for full load. */
  readonly load: number;
  readonly rounds: number;
  readonly baseline: readonly (Baseline | 'none')[];
}

/** The options that both commands have. */
export function scenarioCommand(script: string): Command {
  return new Command(`npm run ${script} --`)
    .option('--advisories <n>', 'size of the corpus', between(1_000, 1_000_000), 100_000)
    .option('--pipeline <n>', 'requests sent before waiting', between(1, 64), 1)
    .option('--seconds <n>', 'per measurement', between(1, 60), 5)
    .addOption(new Option('--scenario <name...>').choices(SCENARIO_NAMES).default(SCENARIO_NAMES, 'all'))
    .option('--json <file>', 'results as JSON too');
}

export function httpCommand(): Command {
  return scenarioCommand('bench:http')
    .option('--workers <n>', 'threads or processes that answer', between(1, 2), 1)
    .option(
      '--load <share>',
      "of each server's capacity; below 1 the latencies are the result",
      between(0.1, 1, true),
      1,
    )
    .option('--rounds <n>', 'per scenario', between(1, 20), 3)
    .addOption(new Option('--baseline <name...>').choices([...BASELINES, 'none']).default(BASELINES, 'all'));
}

export function baselinesOf({ baseline }: HttpOptions): Baseline[] {
  return BASELINES.filter((name) => baseline.includes(name));
}
