// The options that name sources and say how they become one set of records. `compile` and `import` share them.

import { type Command, Option } from 'commander';
import {
  MALWARE_RULES,
  type MalwareRule,
  type Preference,
  PreferenceError,
  parsePreference,
} from '../../importers/assemble/preference.ts';
import { shownLocation } from '../../importers/download/http-error.ts';
import { DEFAULT_TRANSFER_LIMITS, type TransferLimits } from '../../importers/download/limits.ts';
import { UsageError } from '../command-error.ts';
import { readKeyFile } from '../key-file.ts';
import { decimalPercent, duration, wholeNumber } from '../options.ts';
import { DEFAULT_MAX_REJECT_PERCENT } from './reject-limit.ts';
import { KEY_VARIABLE, nameSources, REGISTRY_NAME, type SourcePlan } from './sources.ts';

/** What the options below parse to. */
export interface SourceOptions {
  readonly prefer?: readonly string[];
  readonly malwareOfWithdrawn: MalwareRule;
  readonly ids?: string;
  readonly maxReject?: number;
  readonly strict?: true;
  readonly json?: true;
  readonly ca?: string;
  readonly mirrorCache?: string;
  readonly mirrorMaxBytes: number;
  readonly mirrorMaxTime: number;
}

export interface SourceSelection {
  readonly sources: readonly SourcePlan[];
  readonly preference: Preference;
}

/** A word of the command line that names a source, or the key of one, in order. */
type Word =
  | { readonly kind: 'source'; readonly plan: SourcePlan }
  | { readonly kind: 'key'; readonly option: '--key' | '--key-file'; readonly value: string };

/**
 * Adds the options; returns what reads them once the command line is parsed, which throws UsageError for options that do
 * not fit together.
 */
export function addSourceOptions(command: Command): (options: SourceOptions) => SourceSelection {
  const words: Word[] = []; // commander keeps the order within an option, but not between options
  const source =
    (kind: SourcePlan['kind']) =>
    (location: string): void => {
      words.push({ kind: 'source', plan: { kind, location } });
    };
  const key = (option: '--key' | '--key-file') => (value: string) => {
    words.push({ kind: 'key', option, value });
  };
  command
    .addOption(
      new Option('--osv <path...>', 'OSV records: a folder, a file, or an export zip').argParser(
        source('osv'),
      ),
    )
    .addOption(
      new Option('--wordfence <file...>', 'Wordfence Intelligence vulnerability feed, version 3').argParser(
        source('wordfence'),
      ),
    )
    .addOption(
      new Option('--mirror <url...>', 'a server of this API, whose advisories are copied').argParser(
        source('mirror'),
      ),
    )
    .addOption(
      new Option(
        '--key <key>',
        `key for the --mirror before it; visible in the list of processes, so prefer --key-file or ${KEY_VARIABLE}`,
      ).argParser(key('--key')),
    )
    .addOption(
      new Option('--key-file <file>', 'file with the key for the --mirror before it').argParser(
        key('--key-file'),
      ),
    )
    .option('--ca <file>', 'certificates in PEM to trust for --mirror, besides the usual ones')
    .option(
      '--mirror-cache <folder>',
      'keep the answers of --mirror there, so that an interrupted copy resumes and an unchanged server is not copied again',
    )
    .addOption(
      new Option('--mirror-max-bytes <bytes>', 'refuse a --mirror whose answers have more bytes together')
        .env('VULNDEX_MIRROR_MAX_BYTES')
        .default(DEFAULT_TRANSFER_LIMITS.maxBytes, '4294967296, 4 GiB')
        .argParser(wholeNumber({ min: 1, max: Number.MAX_SAFE_INTEGER })),
    )
    .addOption(
      new Option(
        '--mirror-max-time <duration>',
        'refuse a --mirror that takes longer to copy, such as 90s or 15m',
      )
        .env('VULNDEX_MIRROR_MAX_TIME')
        .default(DEFAULT_TRANSFER_LIMITS.maxMs, '2h')
        .argParser(duration),
    )
    .addOption(
      new Option('--feed <file...>', 'feed files: NDJSON, plain or gzip; - for standard input').argParser(
        source('feed'),
      ),
    )
    .option(
      '--prefer <order...>',
      'which source wins: NAME,NAME for all fields, FIELD=NAME,NAME for one (default: the order given)',
    )
    .addOption(
      new Option(
        '--malware-of-withdrawn <rule>',
        'what becomes of a malware report whose advisory is withdrawn: origins withdraws it if it rests on nothing else, or limits it to the versions that it lists',
      )
        .choices(MALWARE_RULES)
        .default(MALWARE_RULES[0]),
    )
    .option(
      '--ids <file>',
      `registry of the ids assigned so far (default: ${REGISTRY_NAME} beside the output)`,
    )
    .option(
      '--max-reject <percent>',
      `stop if more than this share of what was read is rejected (default: ${DEFAULT_MAX_REJECT_PERCENT})`,
      decimalPercent,
    )
    .option('--strict', 'treat a line of a feed with an unknown member as bad, instead of warning')
    .option('--json', 'print the summary as JSON');
  return ({
    prefer = [],
    malwareOfWithdrawn,
    ca,
    mirrorCache,
    mirrorMaxBytes: maxBytes,
    mirrorMaxTime: maxMs,
  }) => {
    const sources = withConnection(withKeys(words), ca, mirrorCache, { maxBytes, maxMs });
    if (sources.length === 0) {
      throw new UsageError(
        'there is nothing to read: name at least one source with --osv <path...>, --wordfence <file...>, --mirror <url...> or --feed <file...>',
      );
    }
    return { sources, preference: preferenceOf(prefer, nameSources(sources), malwareOfWithdrawn) };
  };
}

function preferenceOf(rules: readonly string[], names: readonly string[], malware: MalwareRule): Preference {
  try {
    return parsePreference(rules, names, malware);
  } catch (error) {
    if (!(error instanceof PreferenceError)) throw error;
    throw new UsageError(`--prefer ${error.message}`, { cause: error });
  }
}

/** A key belongs to the mirror before it; with a single mirror it may come first. A key must never reach another server. */
function withKeys(words: readonly Word[]): SourcePlan[] {
  const plans = words.flatMap((word) => (word.kind === 'source' ? [word.plan] : []));
  const mirrors = plans.filter(({ kind }) => kind === 'mirror');
  const keys = new Map<SourcePlan, string>();
  let before: SourcePlan | undefined = mirrors.length === 1 ? mirrors[0] : undefined;
  for (const word of words) {
    if (word.kind === 'source') {
      if (word.plan.kind === 'mirror') before = word.plan;
      continue;
    }
    if (before === undefined) {
      const where = mirrors.length === 0 ? 'there is no --mirror' : 'put it after its --mirror';
      throw new UsageError(`${word.option}: ${where}; it is the key of a mirror`);
    }
    if (keys.has(before))
      throw new UsageError(`${word.option}: ${shownLocation(before.location)} already has a key`);
    keys.set(before, word.option === '--key' ? word.value : readKeyFile(word.value, '--key-file'));
  }
  const variable = process.env[KEY_VARIABLE];
  if (mirrors.length === 1 && keys.size === 0 && variable) keys.set(mirrors[0], variable);
  return plans.map((plan) => {
    const key = keys.get(plan);
    return key === undefined ? plan : { ...plan, key };
  });
}

function withConnection(
  plans: readonly SourcePlan[],
  caFile: string | undefined,
  cache: string | undefined,
  limits: TransferLimits,
): SourcePlan[] {
  const useless = caFile !== undefined ? '--ca' : cache !== undefined ? '--mirror-cache' : undefined;
  if (useless !== undefined && !plans.some(({ kind }) => kind === 'mirror')) {
    throw new UsageError(`${useless}: it has no effect without --mirror`);
  }
  const connection = {
    limits,
    ...(caFile === undefined ? {} : { caFile }),
    ...(cache === undefined ? {} : { cache }),
  };
  return plans.map((plan) => (plan.kind === 'mirror' ? { ...plan, ...connection } : plan));
}
