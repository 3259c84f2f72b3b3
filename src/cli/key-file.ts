// A key or a password, read from a file. No message shows it.

import { readFileSync } from 'node:fs';
import { UsageError } from './command-error.ts';

/** The first line of the file. `named` is the option or member that names the file. Throws UsageError. */
export function readKeyFile(file: string, named: string, what = 'key'): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`${named} ${file}: cannot be read (${code})`, { cause: error });
  }
  const key = text.split(/\r?\n/, 1)[0].trim();
  if (key === '') throw new UsageError(`${named} ${file}: its first line is empty; it must be the ${what}`);
  return key;
}
