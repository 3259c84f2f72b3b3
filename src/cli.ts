#!/usr/bin/env node
// The entry point: parses the command line, runs one command, and turns a failure into one line that starts with the
// program's name, and an exit status.

import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { KeysFileError } from './access/keys-file.ts';
import { CommandError, EXIT_FAILED, EXIT_USAGE } from './cli/command-error.ts';
import { addCompileCommand } from './cli/compile.ts';
import { addDemoCommand } from './cli/demo.ts';
import { addDiffCommand } from './cli/diff.ts';
import { addGenerateCommand } from './cli/generate.ts';
import { addImportCommand } from './cli/import.ts';
import { addInspectCommand } from './cli/inspect.ts';
import { addKeysCommand } from './cli/keys.ts';
import { addLookupCommand } from './cli/lookup.ts';
import { addRefreshCommand } from './cli/refresh.ts';
import { addServeCommand } from './cli/serve.ts';
import { addSnapshotsCommand } from './cli/snapshots.ts';
import { endWithReader } from './cli/standard-streams.ts';
import { addVerifyCommand } from './cli/verify.ts';
import { ENDPOINTS } from './dialects/dialects.ts';
import { renderExplanation } from './dialects/patchstack/explain.ts';
import { renderProduct } from './dialects/patchstack/product.ts';
import { RateLimiterFullError } from './http/callers/rate-limit.ts';
import { TransportError } from './http/transports.ts';
import { clientProblem } from './serve/clients.ts';
import { ListenError } from './serve/ports.ts';
import { run } from './serve/run.ts';

const PREFIX = 'vulndex: ';
const SERVING: readonly string[] = ['serve', 'demo'];

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};

const program = new Command('vulndex')
  .description('Answers "is this version vulnerable?" from memory.')
  .version(version, '-V, --version', 'print the version')
  .showSuggestionAfterError()
  .configureHelp({ showGlobalOptions: true })
  .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, PREFIX)) })
  .addHelpText(
    'after',
    '\nExit status: 0 success, 1 failure, 2 usage error, 3 `lookup --fail-on-match` found an advisory, or `diff --exit-code` a difference, 8 `lookup --fail-on-unknown` found no product. `refresh` has more: see its help.',
  )
  .exitOverride()
  .hook('preAction', (_, command) => {
    // A server keeps running when its log reader is gone; any other command stops with its reader.
    if (!SERVING.includes(command.name())) endWithReader(process.stdout);
  });

addCompileCommand(program);
addDiffCommand(program);
addGenerateCommand(program);
addImportCommand(program);
addInspectCommand(program);
addKeysCommand(program, ENDPOINTS);
addLookupCommand(program, { product: renderProduct, explanation: renderExplanation });
addRefreshCommand(program, version);
addServeCommand(program, run, clientProblem);
addDemoCommand(program, run, clientProblem);
addSnapshotsCommand(program);
addVerifyCommand(program);

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

/** Prints a user error as one line and returns the exit status. Rethrows internal errors. */
function report(error: unknown): number {
  // Commander has already printed it; --help and --version also end up here.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
  const isUserError = [CommandError, KeysFileError, TransportError, ListenError, RateLimiterFullError].some(
    (kind) => error instanceof kind,
  );
  if (!isUserError) throw error;
  console.error(`${PREFIX}${(error as Error).message}`);
  return error instanceof CommandError ? error.exitStatus : EXIT_FAILED;
}
