#!/usr/bin/env node
// The entry: parses the command line, runs one command, and decides how a failure looks from outside.

import { Command } from 'commander';
import { KeysFileError } from './access/keys-file.ts';
import { CommandError } from './cli/command-error.ts';
import { addCompileCommand } from './cli/compile.ts';
import { addDemoCommand } from './cli/demo.ts';
import { addGenerateCommand } from './cli/generate.ts';
import { addInspectCommand } from './cli/inspect.ts';
import { addKeysCommand } from './cli/keys.ts';
import { addLookupCommand } from './cli/lookup.ts';
import { addServeCommand } from './cli/serve.ts';
import { addVerifyCommand } from './cli/verify.ts';
import { NativeAddonError } from './http/native.ts';
import { RateLimiterFullError } from './http/rate-limit.ts';
import { ListenError } from './serve/ports.ts';
import { run } from './serve/run.ts';

const program = new Command('vulndex')
  .description('Answers "is this version vulnerable?" from memory.')
  .showSuggestionAfterError()
  .configureHelp({ showGlobalOptions: true });

addCompileCommand(program);
addGenerateCommand(program);
addInspectCommand(program);
addKeysCommand(program);
addLookupCommand(program);
addServeCommand(program, run);
addDemoCommand(program, run);
addVerifyCommand(program);

try {
  await program.parseAsync();
} catch (error) {
  const isMendable = [CommandError, KeysFileError, NativeAddonError, ListenError, RateLimiterFullError].some(
    (kind) => error instanceof kind,
  );
  if (!isMendable) throw error;
  console.error(`vulndex: ${(error as Error).message}`);
  process.exitCode = 1;
}
