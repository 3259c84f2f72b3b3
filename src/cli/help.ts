// What the help of a command has beside its options: their groups, examples to paste, and the exit statuses.

import assert from 'node:assert/strict';
import type { Command } from 'commander';

/** Long options by heading. The list with `*` has those that are named nowhere. */
export type OptionGroups = Readonly<Record<string, readonly string[]>>;

/** Requires: the command has every option that is named. */
export function groupOptions(command: Command, groups: OptionGroups): Command {
  const headings = new Map(
    Object.entries(groups).flatMap(([heading, names]) => names.map((name) => [name, heading])),
  );
  for (const option of command.options) {
    const heading = headings.get(option.long ?? '') ?? headings.get('*');
    if (heading !== undefined) option.helpGroup(`${heading}:`);
    headings.delete(option.long ?? '');
  }
  headings.delete('*');
  assert.deepEqual([...headings.keys()], [], `options that ${command.name()} does not have`);
  return command;
}

interface HelpEnd {
  /** Paragraphs. */
  readonly notes?: readonly string[];
  /** Command lines without the program's name. */
  readonly examples: readonly string[];
  /** Beside 2 for wrong use, which every command has. */
  readonly statuses: Readonly<Record<string, string>>;
}

export function endHelp(command: Command, { notes = [], examples, statuses }: HelpEnd): Command {
  const all = Object.entries({ 2: 'wrong arguments or options', ...statuses });
  const width = Math.max(...all.map(([status]) => status.length));
  const sections = [
    ...notes,
    `Examples:\n${examples.map((line) => `  vulndex ${line}`).join('\n')}`,
    `Exit status:\n${all.map(([status, meaning]) => `  ${status.padEnd(width)}  ${meaning}`).join('\n')}`,
  ];
  return command.addHelpText('after', `\n${sections.join('\n\n')}`);
}
