// Runs one command of the program in this process, as the entry would, and keeps what it prints.

import { Command } from 'commander';

export interface Ran {
  readonly out: string;
  readonly err: string;
  /** What escaped the command: a CommandError, or commander's own refusal of an option. */
  readonly error: Error | undefined;
}

export async function runCommand(
  addCommand: (program: Command) => void,
  ...words: readonly string[]
): Promise<Ran> {
  let out = '';
  let err = '';
  const program = new Command().exitOverride().configureOutput({
    writeOut: (text) => {
      out += text;
    },
    writeErr: (text) => {
      err += text;
    },
  });
  addCommand(program);
  try {
    await program.parseAsync(words, { from: 'user' });
    return { out, err, error: undefined };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { out, err, error };
  }
}
