// Reads the TOML that lockfiles are written in.

import { parse, TomlError } from 'smol-toml';
import { type Members, membersOf } from './json.ts';
import { clip, Refusal } from './refusal.ts';

const MAX_DEPTH = 100;

/** Throws a Refusal with the place of what is not read. */
export function parseToml(text: string): Members {
  try {
    return membersOf(parse(text, { maxDepth: MAX_DEPTH, integersAsBigInt: 'asNeeded' })) ?? {};
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [reason] = error.message.replace(/^Invalid TOML document: /, '').split('\n', 1);
    throw new Refusal(
      `This looks like TOML, but is not read: ${clip(reason)} at line ${error.line}, column ${error.column}.`,
    );
  }
}
