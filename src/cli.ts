#!/usr/bin/env node
// The entry: parses the command line, runs one command, and decides how a failure looks from outside.

import { Command } from 'commander';
import { CommandError } from './cli/command-error.ts';
import { addCompileCommand } from './cli/compile.ts';
import { addGenerateCommand } from './cli/generate.ts';
import { addKeysCommand } from './cli/keys.ts';

const program = new Command('vulndex')
  .description('Answers "is this version vulnerable?" from memory.')
  .showSuggestionAfterError()
  .configureHelp({ showGlobalOptions: true });

addCompileCommand(program);
addGenerateCommand(program);
addKeysCommand(program);

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommandError)) throw error;
  console.error(`vulndex: ${error.message}`);
  process.exitCode = 1;
}
