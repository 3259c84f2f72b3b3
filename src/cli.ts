#!/usr/bin/env node
// The entry: parses the command line, runs one command, and decides how a failure looks from outside.

import { Command } from 'commander';
import { KeysFileError } from './access/keys-file.ts';
import { CommandError } from './cli/command-error.ts';
import { addCompileCommand } from './cli/compile.ts';
import { addGenerateCommand } from './cli/generate.ts';
import { addKeysCommand } from './cli/keys.ts';
import { addServeCommand } from './cli/serve.ts';
import { NativeAddonError } from './http/native.ts';
import { ListenError, run } from './serve/run.ts';

const program = new Command('vulndex')
  .description('Answers "is this version vulnerable?" from memory.')
  .showSuggestionAfterError()
  .configureHelp({ showGlobalOptions: true });

addCompileCommand(program);
addGenerateCommand(program);
addKeysCommand(program);
addServeCommand(program, run);

try {
  await program.parseAsync();
} catch (error) {
  const isMendable = [CommandError, KeysFileError, NativeAddonError, ListenError].some(
    (kind) => error instanceof kind,
  );
  if (!isMendable) throw error;
  console.error(`vulndex: ${(error as Error).message}`);
  process.exitCode = 1;
}
