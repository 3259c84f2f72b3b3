// The packages of a lockfile, an SBOM or a list of plugins, as a file or standard input.

import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { decodeText } from '../../inventory/decode.ts';
import { FORMATS } from '../../inventory/formats.ts';
import type { Inventory } from '../../inventory/inventory.ts';
import { MAX_CHARS, readInventory, tooLarge } from '../../inventory/read-inventory.ts';
import { Refusal, UnknownFormat } from '../../inventory/refusal.ts';
import { CommandError } from '../command-error.ts';
import { STANDARD_STREAM, withInputFile } from '../standard-streams.ts';

/**
 * Throws CommandError that says what the file looks like; for a format that is not known, also those that
 * are.
 */
export async function readInventoryFile(file: string): Promise<Inventory> {
  const name = file === STANDARD_STREAM ? '' : basename(file);
  try {
    return await withInputFile(file, (path) => readInventory(textIn(path), name));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== undefined) throw new CommandError(`${file}: cannot be read (${code}); check the path`);
    if (!(error instanceof Refusal)) throw error;
    const known =
      error instanceof UnknownFormat
        ? ` Looked for: ${FORMATS.flatMap(({ files }) => files).join(', ')}.`
        : '';
    throw new CommandError(`${file}: ${error.message}${known}`, { cause: error });
  }
}

function textIn(path: string): string {
  const { size } = statSync(path);
  if (size > 2 * MAX_CHARS) throw new Refusal(tooLarge(size)); // in UTF-16, a character has two bytes
  return decodeText(readFileSync(path));
}
