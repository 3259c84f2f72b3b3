// How much a command says beside what it was asked for: `--quiet` leaves out progress and summaries,
// `--verbose` adds what is otherwise only counted. Warnings and errors are always printed.

import { type Command, Option } from 'commander';
import { setProgressHidden } from './progress.ts';

export interface Verbosity {
  readonly quiet?: true;
  readonly verbose?: true;
}

/** Adds `--quiet`, which also hides the command's progress. */
export function addQuietOption(
  command: Command,
  description = 'print no progress and no summary: only warnings and errors',
): Command {
  return command
    .addOption(new Option('--quiet', description))
    .hook('preAction', (_, action) => setProgressHidden(action.opts<Verbosity>().quiet === true));
}

/** Adds both. */
export function addVerbosityOptions(command: Command): Command {
  return addQuietOption(command).addOption(
    new Option(
      '--verbose',
      'print every warning and every rejected entry, not ten of a kind, and how long each source took',
    ).conflicts('quiet'),
  );
}
