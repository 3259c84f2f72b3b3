// The options that name sources and say how they become one set of records. `compile` and `import` share
// them.

import { type Command, Option } from 'commander';
import {
  MALWARE_RULES,
  type MalwareRule,
  type Preference,
  PreferenceError,
  parsePreference,
} from '../../importers/assemble/preference.ts';
import { INFORMATIONAL_RULES, type InformationalRule } from '../../importers/osv/informational.ts';
import type { SourceKind } from '../../importers/source-kind.ts';
import { SERVER_KINDS, SOURCE_KINDS } from '../../importers/source-kinds.ts';
import { UsageError } from '../command-error.ts';
import type { OptionGroups } from '../help.ts';
import { decimalPercent, setting } from '../options.ts';
import { DEFAULT_MAX_REJECT_PERCENT } from './reject-limit.ts';
import {
  addConnectionOptions,
  addCopyOptions,
  type CopyOptions,
  type Word,
  withConnections,
  withKeys,
} from './server-options.ts';
import { nameSources, REGISTRY_NAME, type SourcePlan } from './sources.ts';

/** What the options below parse to, without those of one kind of server. */
export interface SourceOptions {
  readonly prefer?: readonly string[];
  readonly malwareOfWithdrawn: MalwareRule;
  readonly osvInformational: InformationalRule;
  readonly ids?: string;
  readonly maxReject?: number;
  readonly strict?: true;
  readonly json?: true;
  readonly ca?: string;
}

export interface SourceSelection {
  readonly sources: readonly SourcePlan[];
  readonly preference: Preference;
}

/**
 * Adds the options; returns what reads them once the command line is parsed, which throws UsageError for
 * options that do not fit together.
 */
export function addSourceOptions(command: Command): (options: SourceOptions) => SourceSelection {
  const words: Word[] = []; // commander keeps the order within an option, but not between options
  const copyOptions = new Map<SourceKind, () => CopyOptions>();
  for (const kind of SOURCE_KINDS) {
    const add = (location: string): void => {
      words.push({ kind: 'source', plan: { kind, location } });
    };
    command.addOption(new Option(flagsOf(kind), kind.help).argParser(add));
    if (kind === SERVER_KINDS[0]) addConnectionOptions(command, words);
    if (kind.form === 'server') copyOptions.set(kind, addCopyOptions(command, kind));
  }
  command
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
    .addOption(
      setting(
        '--osv-informational <rule>',
        'what becomes of OSV records that are not about a vulnerability, such as crates without a maintainer',
        { choices: INFORMATIONAL_RULES, default: INFORMATIONAL_RULES[0] },
      ),
    )
    .option(
      '--ids <file>',
      `registry of the ids assigned so far (default: ${REGISTRY_NAME} beside the output)`,
    )
    .option(
      '--max-reject <percent>',
      `stop if more than this share of what was read from one source is rejected (default: ${DEFAULT_MAX_REJECT_PERCENT})`,
      decimalPercent,
    )
    .option('--strict', 'treat a line of a feed with an unknown member as bad, instead of warning')
    .option('--json', 'print the summary as JSON');
  return ({ prefer = [], malwareOfWithdrawn, osvInformational: informational, ca }) => {
    const copies = new Map([...copyOptions].map(([kind, read]) => [kind, read()]));
    const sources = withConnections(withKeys(words), ca, copies).map((plan) => ({ ...plan, informational }));
    if (sources.length === 0) {
      const options = SOURCE_KINDS.map(flagsOf);
      const named = `${options.slice(0, -1).join(', ')} or ${options.at(-1)}`;
      throw new UsageError(`there is nothing to read: name at least one source with ${named}`);
    }
    return { sources, preference: preferenceOf(prefer, nameSources(sources), malwareOfWithdrawn) };
  };
}

function flagsOf({ name, argument }: SourceKind): string {
  return `--${name} ${argument}`;
}

function preferenceOf(rules: readonly string[], names: readonly string[], malware: MalwareRule): Preference {
  try {
    return parsePreference(rules, names, malware);
  } catch (error) {
    if (!(error instanceof PreferenceError)) throw error;
    throw new UsageError(`--prefer ${error.message}`, { cause: error });
  }
}

/** How the help of the two commands groups these options. */
export const SOURCE_OPTION_GROUPS: OptionGroups = {
  Sources: ['*'],
  'Access to --mirror': [
    ...['--key', '--key-file', '--ca', '--mirror-cache', '--mirror-max-bytes', '--mirror-max-time'],
  ],
  'One set of records': ['--prefer', '--malware-of-withdrawn', '--osv-informational', '--ids'],
};
