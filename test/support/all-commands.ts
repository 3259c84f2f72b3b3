// The whole program with all its commands, as its help knows it. Nothing of it can be run.

import assert from 'node:assert/strict';
import { Command } from 'commander';
import { addCompileCommand } from '../../src/cli/compile.ts';
import { addCompletionCommand } from '../../src/cli/completion.ts';
import { addDemoCommand } from '../../src/cli/demo.ts';
import { addDiffCommand } from '../../src/cli/diff.ts';
import { addGenerateCommand } from '../../src/cli/generate.ts';
import { addImportCommand } from '../../src/cli/import.ts';
import { addInspectCommand } from '../../src/cli/inspect.ts';
import { addKeysCommand } from '../../src/cli/keys.ts';
import { addLookupCommand } from '../../src/cli/lookup.ts';
import { addPublishCommand } from '../../src/cli/publish.ts';
import { addRefreshCommand } from '../../src/cli/refresh.ts';
import { addServeCommand } from '../../src/cli/serve.ts';
import { addSnapshotsCommand } from '../../src/cli/snapshots.ts';
import { addVerifyCommand } from '../../src/cli/verify.ts';

export function allCommands(): Command {
  const unused = () => assert.fail('nothing is run');
  const made = new Command('vulndex').version('0');
  const plain = [addCompileCommand, addDiffCommand, addGenerateCommand, addImportCommand, addInspectCommand];
  for (const add of [...plain, addSnapshotsCommand, addVerifyCommand, addCompletionCommand]) add(made);
  addKeysCommand(made, []);
  addLookupCommand(made, { product: unused, explanation: unused });
  addPublishCommand(made, '0.0.0');
  addRefreshCommand(made, '0');
  addServeCommand(made, unused);
  addDemoCommand(made, unused, unused);
  return made;
}

/** By the words of each command, its long options; '' is the program itself. */
export function optionsOf(command: Command, words = ''): [string, readonly string[]][] {
  const own = command.options.flatMap(({ long }) => long ?? []);
  const below = command.commands.flatMap((each) => optionsOf(each, `${words} ${each.name()}`.trim()));
  return [[words, [...own, '--help', '--version']], ...below];
}
