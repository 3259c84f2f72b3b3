// `keys add`, `keys list`, `keys revoke`: edit the keys file from a terminal. A running server watches the
// file, so nothing here talks to one. The new key is the only thing `add` prints on stdout.

import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import { labelProblem } from '../access/check-keys-file.ts';
import { parseInstant } from '../access/instant.ts';
import type { KeyRecord, KeysFile } from '../access/keys-file.ts';
import {
  emptyKeysFile,
  findKeysFile,
  hashKey,
  keyState,
  makeKey,
  readKeysFile,
  writeKeysFile,
} from '../access/keys-file.ts';
import { KeysFileError } from '../access/read-keys.ts';
import { LockedError, withFileLock } from '../files/lock-file.ts';
import { CommandError, UsageError } from './command-error.ts';
import { startCommand } from './commands.ts';
import { endHelp } from './help.ts';
import { readKeyFile } from './key-file.ts';
import { setting } from './options.ts';
import { STANDARD_STREAM } from './standard-streams.ts';

const LISTED_IDS = 20;

type FileOption = { readonly keys: string };
type AddOptions = FileOption & {
  readonly tier: string;
  readonly name: string;
  readonly expiresAt?: string;
  readonly keyFile?: string;
};
type ListOptions = FileOption & { readonly json?: true };

/** `endpoints` are those that a tier can list. */
export function addKeysCommand(program: Command, endpoints: readonly string[]): void {
  const keys = startCommand(program, 'keys');

  const add = withKeysFile(keys.command('add'))
    .description('make a key and print it once; creates the file with the default tiers if needed')
    .requiredOption(
      '--tier <tier>',
      'a tier in the file (default tiers: standard, extended, partner, operator)',
    )
    .requiredOption('--name <name>', 'who or what the key is for')
    .option('--expires-at <time>', 'when the key stops working, such as 2027-12-31T23:59:59Z')
    .option(
      '--key-file <file>',
      'add the key in the first line of a file, such as a licence key that a client sends, instead of a new one',
    )
    .action(async (options: AddOptions, command: Command) => {
      const { key, id } = await explainErrors(options.keys, () => addKey(options, endpoints, Date.now()));
      const added = `added key ${id} (${options.tier}) to ${options.keys}`;
      if (options.keyFile === undefined) {
        writeOut(command, `${key}\n`);
        writeError(command, `${added}; it is not shown again: the file keeps only its hash\n`);
      } else {
        writeError(command, `${added}; the file keeps only its hash\n`);
      }
    });

  const list = withKeysFile(keys.command('list'))
    .description('show every key: id, name, tier, state and expiry')
    .option('--json', 'print a JSON array')
    .action(async (options: ListOptions, command: Command) => {
      const { keys: records } = await explainErrors(options.keys, () =>
        readKeysFile(options.keys, endpoints),
      );
      const rows = records.map((key) => listed(key, Date.now()));
      if (options.json) writeOut(command, `${JSON.stringify(rows, null, 2)}\n`);
      else if (rows.length === 0) writeError(command, `no keys in ${options.keys}\n`);
      else writeOut(command, table(rows));
    });

  const revoke = withKeysFile(keys.command('revoke'))
    .description('disable a key; a running server picks this up within a second')
    .argument('<id>', 'the id of the key, as shown by `keys list`')
    .action(async (id: string, options: FileOption, command: Command) => {
      const done = await explainErrors(options.keys, () => revokeKey(options.keys, id, endpoints));
      writeError(command, `key ${id} ${done ? 'is now' : 'was already'} disabled in ${options.keys}\n`);
    });

  const examples = {
    add: 'keys add --keys keys.json --tier standard --name "Example Hosting"',
    list: 'keys list --keys keys.json',
    revoke: 'keys revoke --keys keys.json k_0123abcd',
  };
  const statuses = { 0: 'done', 1: 'failed: the file cannot be read or written, no such key' };
  endHelp(add, { examples: [examples.add], statuses });
  endHelp(list, { examples: [examples.list], statuses });
  endHelp(revoke, { examples: [examples.revoke], statuses });
  endHelp(keys, { examples: Object.values(examples), statuses });
}

async function addKey(
  options: AddOptions,
  endpoints: readonly string[],
  nowMs: number,
): Promise<{ readonly key: string; readonly id: string }> {
  const { keys: path, tier, name, expiresAt, keyFile } = options;
  const nameProblem = labelProblem(name);
  if (nameProblem !== undefined) throw new UsageError(`--name ${nameProblem}`);
  if (expiresAt !== undefined) {
    const atMs = parseInstant(expiresAt);
    if (atMs === undefined) {
      throw new UsageError(
        `--expires-at "${expiresAt}" is not an RFC 3339 date-time such as 2027-12-31T23:59:59Z`,
      );
    }
    if (atMs <= nowMs) throw new UsageError(`--expires-at "${expiresAt}" is not in the future`);
  }
  const key = keyFile === undefined ? makeKey() : givenKey(keyFile);
  return withFileLock(path, async (lock) => {
    const file = (await findKeysFile(path, endpoints)) ?? emptyKeysFile(endpoints);
    if (!Object.hasOwn(file.tiers, tier)) {
      throw new UsageError(
        `--tier "${tier}" is not in the file; use one of ${Object.keys(file.tiers).join(', ')}`,
      );
    }
    if (file.keys.some(({ sha256 }) => sha256 === hashKey(key)))
      throw new UsageError(`--key-file ${keyFile}: this key is in ${path} already`);
    const id = freeId(file);
    const record: KeyRecord = {
      id,
      name,
      sha256: hashKey(key),
      tier,
      ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
    };
    lock.requireHeld();
    await writeKeysFile(path, { ...file, keys: [...file.keys, record] }, endpoints);
    return { key, id };
  });
}

/**
 * A key of the operator's own. Shorter ones could be guessed, and longer ones are refused when they are sent.
 */
function givenKey(file: string): string {
  const key = readKeyFile(file, '--key-file');
  if (/^[\x21-\x7e]{20,512}$/.test(key)) return key;
  throw new UsageError(
    `--key-file ${file}: a key has 20 to 512 characters of ASCII without blanks, got ${key.length}`,
  );
}

/** False when the key was already disabled; the file is then not written. */
async function revokeKey(path: string, id: string, endpoints: readonly string[]): Promise<boolean> {
  return withFileLock(path, async (lock) => {
    const file = await readKeysFile(path, endpoints);
    const found = file.keys.find((key) => key.id === id);
    if (found === undefined) throw new CommandError(`${path} has no key "${id}"; ${knownIds(file)}`);
    if (found.disabled === true) return false;
    const keys = file.keys.map((key) => (key === found ? { ...key, disabled: true } : key));
    lock.requireHeld();
    await writeKeysFile(path, { ...file, keys }, endpoints);
    return true;
  });
}

function freeId({ keys }: KeysFile): string {
  for (;;) {
    const id = `k_${randomBytes(4).toString('hex')}`;
    if (!keys.some((key) => key.id === id)) return id;
  }
}

function knownIds({ keys }: KeysFile): string {
  if (keys.length === 0) return 'it has no keys';
  const shown = keys.slice(0, LISTED_IDS).map((key) => `${key.id} (${key.name})`);
  const more = keys.length - shown.length;
  return `its keys are ${shown.join(', ')}${more > 0 ? ` and ${more} more; \`keys list\` shows all` : ''}`;
}

type Listed = {
  readonly id: string;
  readonly name: string;
  readonly tier: string;
  readonly state: string;
  readonly expires_at: string | null;
};

function listed(key: KeyRecord, nowMs: number): Listed {
  const { id, name, tier } = key;
  return { id, name, tier, state: keyState(key, nowMs), expires_at: key.expires_at ?? null };
}

function table(rows: readonly Listed[]): string {
  const lines = [
    ['ID', 'NAME', 'TIER', 'STATE', 'EXPIRES'],
    ...rows.map((row) => [row.id, row.name, row.tier, row.state, row.expires_at ?? 'never']),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...lines.map((line) => line[column].length)));
  return lines
    .map((line) => `${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}\n`)
    .join('');
}

/** `--keys`, as in `serve`; the former name `--file` still works. */
function withKeysFile(command: Command): Command {
  return command
    .addOption(setting('--keys <file>', 'the keys file', { parse: pathArgument }).makeOptionMandatory())
    .addOption(new Option('--file <file>').argParser(pathArgument).hideHelp())
    .on('option:file', (value: string) =>
      command.setOptionValueWithSource('keys', pathArgument(value), 'cli'),
    );
}

function pathArgument(value: string): string {
  // An empty path would create the lock file in the working folder before anything fails.
  if (value === '' || value === STANDARD_STREAM) {
    throw new InvalidArgumentError('Name a file; standard input and output are not possible here.');
  }
  return value;
}

/** Turns user errors into a CommandError; anything else stays an internal error. */
async function explainErrors<T>(file: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof KeysFileError || error instanceof LockedError) throw new CommandError(error.message);
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === undefined || syscall === undefined) throw error;
    const what = code === 'ENOENT' ? 'its folder does not exist' : `cannot be written (${syscall}: ${code})`;
    throw new CommandError(`${file}: ${what}`);
  }
}

function writeOut(command: Command, text: string): void {
  command.configureOutput().writeOut?.(text);
}

function writeError(command: Command, text: string): void {
  command.configureOutput().writeErr?.(text);
}
