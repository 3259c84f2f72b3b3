import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Command } from 'commander';
import { COMMAND_NAMES } from '../../src/cli/commands.ts';
import { groupOptions } from '../../src/cli/help.ts';
import { unknownOptions } from '../page-checks.ts';
import { allCommands, optionsOf } from '../support/all-commands.ts';
import { runProgram } from '../support/process/program.ts';

/** The command and those below it, with their words. */
function withBelow(command: Command, words: string): [string, Command][] {
  const below = command.commands.flatMap((each) => withBelow(each, `${words} ${each.name()}`));
  return [[words, command], ...below];
}

const COMMANDS = allCommands().commands.flatMap((command) => withBelow(command, command.name()));

function helpOf(command: Command): string {
  const parts: string[] = [];
  command.configureOutput({ writeOut: (part) => parts.push(part) }).outputHelp();
  return parts.join('');
}

test('the help of the program names every command', async () => {
  assert.deepEqual(
    allCommands()
      .commands.map((command) => command.name())
      .sort(),
    COMMAND_NAMES.toSorted(),
  );
  const help = (await runProgram(['--help'])).stdout.toString();
  for (const name of COMMAND_NAMES) assert.match(help, new RegExp(`^  ${name} +\\w`, 'm'));
});

test('the help of every command has examples, which are right, and its exit statuses', () => {
  const commands = new Map(optionsOf(allCommands()));
  for (const [words, command] of COMMANDS) {
    const [, examples = '', statuses = ''] =
      /\nExamples:\n(.*)\n\nExit status:\n(.*)\n$/s.exec(helpOf(command)) ?? [];
    assert.ok(examples.includes(`vulndex ${words}`), `an example of ${words}`);
    const text = `\`\`\`sh\n${examples}\n\`\`\`\n`;
    assert.deepEqual(unknownOptions([{ path: words, text }], { commands, scripts: new Map() }), []);
    assert.match(statuses, /^ +0 .*\n +1 .*\n +2 /, words);
  }
});

test('a command with many options has them in groups', () => {
  for (const [words, command] of COMMANDS) {
    if (command.options.length <= 10) continue;
    const alone = command.options.filter(({ helpGroupHeading, hidden }) => !helpGroupHeading && !hidden);
    assert.deepEqual(
      alone.map(({ long }) => long),
      [],
      words,
    );
  }
});

test('options are grouped by name, and the others under the heading with *', () => {
  const command = new Command('x').option('--one').option('--two').option('--three');
  groupOptions(command, { First: ['*'], Second: ['--two'] });
  assert.match(helpOf(command), /First:\n +--one.*\n +--three.*\n\nSecond:\n +--two\n/);
  assert.throws(() => groupOptions(command, { First: ['--four'] }), /options that x does not have/);
});
