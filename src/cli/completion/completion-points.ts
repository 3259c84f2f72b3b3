// What can come next on a command line, read from the commands themselves: at each point, which is the words
// of a command, the commands below it and its options.

import type { Command, Option } from 'commander';

export interface CompletionPoint {
  /** `keys add`; '' for the program itself. */
  readonly words: string;
  /** Commands, or the values of an argument that has a list of them. */
  readonly next: readonly Word[];
  readonly options: readonly OptionWord[];
}

export interface Word {
  readonly name: string;
  readonly description: string;
}

export interface OptionWord extends Word {
  readonly takesValue: boolean;
  /** None if any value, a file perhaps, is possible. */
  readonly choices: readonly string[];
}

const MAX_DESCRIPTION_CHARS = 70;

/** The program first, then each command before those below it. */
export function completionPoints(program: Command): CompletionPoint[] {
  const visit = (command: Command, words: string): CompletionPoint[] => [
    pointOf(command, words),
    ...command.commands.flatMap((each) => visit(each, `${words} ${each.name()}`.trim())),
  ];
  return visit(program, '');
}

function pointOf(command: Command, words: string): CompletionPoint {
  const [first] = command.registeredArguments;
  const values = (first?.argChoices ?? []).map((name) => ({ name, description: '' }));
  const below = command.commands.map((each) => ({
    name: each.name(),
    description: shortened(each.description()),
  }));
  return { words, next: [...below, ...values], options: [...command.options.flatMap(optionWord), HELP] };
}

const HELP: OptionWord = {
  ...{ name: '--help', description: 'display help for command', takesValue: false, choices: [] },
};

function optionWord({ long, hidden, description, required, optional, argChoices }: Option): OptionWord[] {
  if (!long || hidden) return [];
  const takesValue = required || optional;
  return [{ name: long, description: shortened(description), takesValue, choices: argChoices ?? [] }];
}

function shortened(text: string): string {
  return text.length <= MAX_DESCRIPTION_CHARS
    ? text
    : `${text.slice(0, MAX_DESCRIPTION_CHARS - 1).trimEnd()}…`;
}
