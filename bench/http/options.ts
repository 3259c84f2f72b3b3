// The options of `npm run bench:http`: names, defaults, validation.

import { parseArgs } from 'node:util';
import { SCENARIO_NAMES, type ScenarioName } from './scenarios.ts';
import { TARGET_NAMES, type TargetName } from './target.ts';

export interface Options {
  readonly advisories: number;
  readonly workers: number;
  readonly pipeline: number;
  /** Load as a share of each server's own capacity, 1 for full load. */
  readonly load: number;
  readonly seconds: number;
  readonly rounds: number;
  readonly scenarios: readonly ScenarioName[];
  /** Always includes our server. */
  readonly targets: readonly TargetName[];
  readonly json: string | undefined;
}

export class OptionError extends Error {
  override readonly name = 'OptionError';
}

export const USAGE = `npm run bench:http -- [options]
  --advisories N      size of the corpus, 1,000 to 1,000,000   (100000)
  --workers 1|2       threads or processes that answer         (1)
  --pipeline N        requests sent before waiting, 1 to 64    (1)
  --load SHARE        of each server's capacity, 0.1 to 1; below 1 the latencies are the result (1)
  --seconds N         per measurement                          (5)
  --rounds N          per scenario                             (3)
  --scenario NAME...  ${SCENARIO_NAMES.join(', ')}
  --baseline NAME...  ${TARGET_NAMES.slice(1).join(', ')}, none
  --json FILE         results as JSON too`;

/** Throws OptionError with what is wrong and what is allowed. */
export function readOptions(words: readonly string[]): Options {
  const { values, positionals } = parse(spread(words));
  if (positionals.length > 0)
    throw new OptionError(`unexpected argument: ${positionals.join(' ')}\n${USAGE}`);
  const baselines = values.baseline ?? [];
  return {
    advisories: wholeNumber('advisories', values.advisories, 1_000, 1_000_000),
    workers: wholeNumber('workers', values.workers, 1, 2),
    pipeline: wholeNumber('pipeline', values.pipeline, 1, 64),
    load: share('load', values.load),
    seconds: wholeNumber('seconds', values.seconds, 1, 60),
    rounds: wholeNumber('rounds', values.rounds, 1, 20),
    scenarios: chosen('scenario', values.scenario ?? [], SCENARIO_NAMES),
    targets:
      baselines.join() === 'none'
        ? ['vulndex']
        : ['vulndex', ...chosen('baseline', baselines, TARGET_NAMES).filter((name) => name !== 'vulndex')],
    json: values.json,
  };
}

/** Expands `--scenario a b` to `--scenario a --scenario b`, which the parser accepts. */
function spread(words: readonly string[]): string[] {
  let list: string | undefined;
  return words.flatMap((word) => {
    if (word.startsWith('--')) {
      list = undefined;
      if (word !== '--scenario' && word !== '--baseline') return [word];
      list = word;
      return [];
    }
    return list === undefined ? [word] : [list, word];
  });
}

function parse(words: string[]) {
  try {
    return parseArgs({
      args: words,
      allowPositionals: true,
      options: {
        advisories: { type: 'string', default: '100000' },
        workers: { type: 'string', default: '1' },
        pipeline: { type: 'string', default: '1' },
        load: { type: 'string', default: '1' },
        seconds: { type: 'string', default: '5' },
        rounds: { type: 'string', default: '3' },
        scenario: { type: 'string', multiple: true },
        baseline: { type: 'string', multiple: true },
        json: { type: 'string' },
      },
    });
  } catch (error) {
    throw new OptionError(`${(error as Error).message}\n${USAGE}`, { cause: error });
  }
}

function wholeNumber(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new OptionError(`--${name} is ${text}: give a whole number from ${min} to ${max}`);
}

function share(name: string, text: string): number {
  const value = Number(text);
  if (value >= 0.1 && value <= 1) return value;
  throw new OptionError(`--${name} is ${text}: give a number from 0.1 to 1`);
}

/** The given names, in the order of the list; all of them if none was given. */
function chosen<Name extends string>(
  option: string,
  given: readonly string[],
  names: readonly Name[],
): Name[] {
  const unknown = given.find((name) => !names.some((each) => each === name));
  if (unknown !== undefined) {
    throw new OptionError(`--${option} ${unknown} is unknown: choose from ${names.join(', ')}`);
  }
  return names.filter((name) => given.length === 0 || given.includes(name));
}
