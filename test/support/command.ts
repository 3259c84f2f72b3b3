// Runs one command of the program in this process, as the entry would, and captures its output.

import { Command } from 'commander';

export interface Ran {
  readonly out: string;
  readonly err: string;
  /** The error thrown by the command: a CommandError, or commander's own rejection of an option. */
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
