// Texts that a scheme cannot order and that records still list among the affected versions, such as `0.8.4p2`
// on PyPI. Such a text is matched literally, and a look-up of one finds besides it only what affects every
// version. Owns the bytes of its key:
//
//     255     above every key that a scheme with a grammar writes
//     ...     the text in lower case and without blanks at its ends, as UTF-8

import { hasControlCharacter, isLongerThan } from '../memory/text-limits.ts';

const LITERAL = 255;
const MAX_BYTES = 256; // as of any version
const utf8 = new TextEncoder();

/** The key of a text that a scheme with a grammar refuses; undefined if it cannot stand for a version. */
export function literalKey(text: string): Uint8Array | undefined {
  const folded = foldLiteral(text);
  if (folded === '' || folded === '*' || isLongerThan(text, MAX_BYTES) || hasControlCharacter(folded)) {
    return undefined;
  }
  return utf8.encode(`\0${folded}`).fill(LITERAL, 0, 1);
}

/** Texts that are the same when folded are the same literal. */
export function foldLiteral(text: string): string {
  return text.trim().toLowerCase();
}

/** Whether the key that begins at `start` is one of these. Requires: a key of a scheme with a grammar. */
export function isLiteralKey(keys: Uint8Array, start: number, end: number): boolean {
  return end > start && keys[start] === LITERAL;
}
