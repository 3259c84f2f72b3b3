// Records that inform about a package and are not about a vulnerability of it: RustSec says that a crate is
// no longer maintained, or that it can be used in an unsound way.

import type { JsonObject } from '../record/json.ts';

export const INFORMATIONAL_RULES = ['skip', 'include'] as const;
export type InformationalRule = (typeof INFORMATIONAL_RULES)[number];

/** What a conversion does beyond what the record says. */
export interface ConvertOptions {
  /** What becomes of informational records. */
  readonly informational: InformationalRule;
}

export const NOT_INFORMATIONAL: ConvertOptions = { informational: 'skip' };

const MEMBER = 'informational';
const LONGEST_WORD = 40;

/**
 * What the record informs about (`unmaintained`, `unsound`, `notice`), from the first of its members of the
 * database that says; undefined for a vulnerability.
 */
export function informationalWord(...specific: readonly JsonObject[]): string | undefined {
  for (const members of specific) {
    const word = members[MEMBER];
    if (typeof word === 'string' && word !== '') return word.slice(0, LONGEST_WORD);
  }
  return undefined;
}
