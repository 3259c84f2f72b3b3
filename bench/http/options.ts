// The options of `npm run bench:http`.

import { Command, Option } from 'commander';
import { FEWEST_STARTS } from '../comparison.ts';
import { anyBetween, between } from '../options.ts';
import { SCENARIO_NAMES, type ScenarioName } from '../scenarios.ts';
import { LOADING } from './loading.ts';
import type { Effort } from './measure.ts';
import { BASELINES } from './targets.ts';

export interface HttpOptions extends Effort {
  readonly advisories: number;
  /** Requests that a connection sends before it waits: the more, the less of the cost is the network's. */
  readonly pipeline: number;
  readonly scenario: readonly (ScenarioName | typeof LOADING)[];
  readonly baseline: readonly ((typeof BASELINES)[number] | 'none')[];
  /** Another checkout of this program, built. */
  readonly against?: string;
}

const NAMES = [...SCENARIO_NAMES, LOADING];

export function httpCommand(): Command {
  return new Command('npm run bench:http --')
    .option('--advisories <n>', 'size of the corpus', between(1_000, 1_000_000), 100_000)
    .addOption(new Option('--scenario <name...>').choices(NAMES).default(NAMES, 'all'))
    .addOption(
      new Option('--baseline <name...>', 'sqlite needs Node 22 and `npm ci --prefix bench/baselines`')
        .choices([...BASELINES, 'none'])
        .default(['uws', 'linear', 'nginx']),
    )
    .option('--against <dir>', 'another checkout, built, to measure in turn with this one')
    .option('--pipeline <n>', 'requests without a body sent before waiting', between(1, 64), 1)
    .option('--starts <n>', 'of each server, so many processes in turn', between(1, 20), FEWEST_STARTS)
    .option(
      '--seconds <n>',
      'for each server after each start; CPU time is counted in steps of 10 ms',
      anyBetween(0.1, 60),
      2,
    );
}
