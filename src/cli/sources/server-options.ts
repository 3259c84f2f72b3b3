// The options for servers among the sources: keys, which certificates are trusted, and what a copy may take.
// Those of one kind of server begin with its name.

import { type Command, Option } from 'commander';
import { shownLocation } from '../../download/http-error.ts';
import { DEFAULT_TRANSFER_LIMITS } from '../../download/limits.ts';
import type { ServerKind, SourceKind } from '../../importers/source-kind.ts';
import { SERVER_KINDS } from '../../importers/source-kinds.ts';
import { UsageError } from '../command-error.ts';
import { readKeyFile } from '../key-file.ts';
import { duration, wholeNumber } from '../options.ts';
import { keyVariable, type SourcePlan } from './sources.ts';

/** A word of the command line that names a source, or the key of one. */
export type Word =
  | { readonly kind: 'source'; readonly plan: SourcePlan }
  | { readonly kind: 'key'; readonly option: '--key' | '--key-file'; readonly value: string };

const NAMES = SERVER_KINDS.map(({ name }) => name).join(' or ');
const OPTIONS = SERVER_KINDS.map(({ name }) => `--${name}`).join(' or ');
const VARIABLES = SERVER_KINDS.map(keyVariable).join(' or ');

/** Adds the options for servers of any kind. Keys go to `words`, in order. */
export function addConnectionOptions(command: Command, words: Word[]): void {
  const key = (option: '--key' | '--key-file') => (value: string) => {
    words.push({ kind: 'key', option, value });
  };
  command
    .addOption(
      new Option(
        '--key <key>',
        `key for the ${OPTIONS} before it; visible in the list of processes, so prefer --key-file or ${VARIABLES}`,
      ).argParser(key('--key')),
    )
    .addOption(
      new Option('--key-file <file>', `file with the key for the ${OPTIONS} before it`).argParser(
        key('--key-file'),
      ),
    )
    .option('--ca <file>', `certificates in PEM to trust for ${OPTIONS}, besides the usual ones`);
}

export type CopyOptions = Pick<SourcePlan, 'cache' | 'limits'>;

/** Adds the options for copies of one kind of server; returns what reads them after parsing. */
export function addCopyOptions(command: Command, { name }: ServerKind): () => CopyOptions {
  const variable = `VULNDEX_${name.toUpperCase()}`;
  const folder = new Option(
    `--${name}-cache <folder>`,
    `keep the answers of --${name} there, so that an interrupted copy resumes and an unchanged server is not copied again`,
  );
  const bytes = new Option(
    `--${name}-max-bytes <bytes>`,
    `refuse a --${name} whose answers have more bytes together`,
  )
    .env(`${variable}_MAX_BYTES`)
    .default(DEFAULT_TRANSFER_LIMITS.maxBytes, '4294967296, 4 GiB')
    .argParser(wholeNumber({ min: 1, max: Number.MAX_SAFE_INTEGER }));
  const time = new Option(
    `--${name}-max-time <duration>`,
    `refuse a --${name} that takes longer to copy, such as 90s or 15m`,
  )
    .env(`${variable}_MAX_TIME`)
    .default(DEFAULT_TRANSFER_LIMITS.maxMs, '2h')
    .argParser(duration);
  command.addOption(folder).addOption(bytes).addOption(time);
  const read = (option: Option): unknown => command.getOptionValue(option.attributeName());
  return () => {
    const cache = read(folder) as string | undefined; // it has no parser
    // As their parsers return them.
    const limits = { maxBytes: read(bytes) as number, maxMs: read(time) as number };
    return { limits, ...(cache === undefined ? {} : { cache }) };
  };
}

/**
 * The sources, with their keys. A key belongs to the server before it; that of a single one may come first.
 * Throws UsageError.
 */
export function withKeys(words: readonly Word[]): SourcePlan[] {
  const plans = words.flatMap((word) => (word.kind === 'source' ? [word.plan] : []));
  const servers = plans.flatMap((plan) => (plan.kind.form === 'server' ? [{ plan, kind: plan.kind }] : []));
  const [only] = servers.length === 1 ? servers : [];
  const keys = new Map<SourcePlan, string>();
  let before = only?.plan;
  for (const word of words) {
    if (word.kind === 'source') {
      if (word.plan.kind.form === 'server') before = word.plan;
      continue;
    }
    // A key must never reach another server than its own.
    if (before === undefined) {
      const where = servers.length === 0 ? `there is no ${OPTIONS}` : `put it after its ${OPTIONS}`;
      throw new UsageError(`${word.option}: ${where}; it is the key of a ${NAMES}`);
    }
    if (keys.has(before))
      throw new UsageError(`${word.option}: ${shownLocation(before.location)} already has a key`);
    keys.set(before, word.option === '--key' ? word.value : readKeyFile(word.value, '--key-file'));
  }
  if (only !== undefined && keys.size === 0) {
    const key = process.env[keyVariable(only.kind)];
    if (key) keys.set(only.plan, key);
  }
  return plans.map((plan) => {
    const key = keys.get(plan);
    return key === undefined ? plan : { ...plan, key };
  });
}

/** Adds what the options for servers say. Throws UsageError for one that is set without such a server. */
export function withConnections(
  plans: readonly SourcePlan[],
  caFile: string | undefined,
  copyOptions: ReadonlyMap<SourceKind, CopyOptions>,
): SourcePlan[] {
  if (caFile !== undefined && !plans.some(({ kind }) => kind.form === 'server')) {
    throw new UsageError(`--ca: it has no effect without ${OPTIONS}`);
  }
  for (const [kind, { cache }] of copyOptions) {
    if (cache === undefined || plans.some((plan) => plan.kind === kind)) continue;
    throw new UsageError(`--${kind.name}-cache: it has no effect without --${kind.name}`);
  }
  return plans.map((plan) =>
    plan.kind.form === 'server'
      ? { ...plan, ...copyOptions.get(plan.kind), ...(caFile === undefined ? {} : { caFile }) }
      : plan,
  );
}
