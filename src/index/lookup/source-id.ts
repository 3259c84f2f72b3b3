// The ids under which sources publish their advisories. Each is an alias of its advisory, so a column points
// to the alias, which is in upper case, and the case and the prefix that its kind of id has are put back. The
// few ids that are spelled otherwise are in a table of their own. docs/snapshot-format.md section 4.7 says
// the same.

import { textAt } from '../column-texts.ts';
import { type IndexColumns, NONE } from '../columns.ts';
import { compareBytes } from '../memory/bytes.ts';
import { partitionPoint } from './search.ts';

export type SourceIdColumns = Pick<
  IndexColumns,
  'advisorySourceId' | 'spelledAdvisory' | 'spelledIdStart' | 'spelledId' | 'aliasStart' | 'aliasText'
>;

const utf8 = new TextEncoder();
const fromUtf8 = new TextDecoder('utf-8', { ignoreBOM: true });

const CVE = utf8.encode('CVE-');
const GHSA = utf8.encode('GHSA-');
const UUID_BYTES = 36;
const UUID_DASHES = [8, 13, 18, 23];
const YEAR_DIGITS = 4;
const DASH = 0x2d;
const [ZERO, NINE] = [0x30, 0x39];
const [UPPER_A, UPPER_Z] = [0x41, 0x5a];
const TO_LOWER = 0x20;

/** How many bytes longer than its alias an id may be, unless it is in the table of its own. */
export const MOST_ADDED_BYTES = CVE.length;

/**
 * Copies the id of an advisory to the beginning of `target`; returns its length, which is 0 for none, or
 * undefined when there is no room.
 */
export function copySourceId(
  columns: SourceIdColumns,
  ordinal: number,
  target: Uint8Array,
): number | undefined {
  const { advisorySourceId, aliasStart, aliasText, spelledIdStart, spelledId } = columns;
  const row = findSpelled(columns, ordinal);
  if (row !== undefined) return copy(spelledId, spelledIdStart[row], spelledIdStart[row + 1], target);
  const alias = advisorySourceId[ordinal];
  if (alias === NONE) return 0;
  const start = aliasStart[alias];
  const end = aliasStart[alias + 1];
  return end - start + MOST_ADDED_BYTES > target.length ? undefined : spell(aliasText, start, end, target);
}

/** The id as published, or ''. */
export function sourceIdOf(columns: SourceIdColumns, ordinal: number): string {
  const row = findSpelled(columns, ordinal);
  if (row !== undefined) return textAt(columns.spelledId, columns.spelledIdStart, row);
  const { advisorySourceId, aliasStart, aliasText } = columns;
  const alias = advisorySourceId[ordinal];
  if (alias === NONE) return '';
  return spelled(aliasText, aliasStart[alias], aliasStart[alias + 1]);
}

export function isEqualSourceId(
  one: SourceIdColumns,
  ordinal: number,
  other: SourceIdColumns,
  otherOrdinal: number,
): boolean {
  if (findSpelled(one, ordinal) !== undefined || findSpelled(other, otherOrdinal) !== undefined) {
    return sourceIdOf(one, ordinal) === sourceIdOf(other, otherOrdinal);
  }
  const [a, b] = [one.advisorySourceId[ordinal], other.advisorySourceId[otherOrdinal]];
  if (a === NONE || b === NONE) return a === b;
  const [starts, others] = [one.aliasStart, other.aliasStart];
  return (
    compareBytes(one.aliasText, starts[a], starts[a + 1], other.aliasText, others[b], others[b + 1]) === 0
  );
}

/** The id for which its alias alone stands. Requires: a normalised alias. */
export function spelledFrom(alias: string): string {
  const bytes = utf8.encode(alias);
  return spelled(bytes, 0, bytes.length);
}

function spelled(alias: Uint8Array, start: number, end: number): string {
  const bytes = new Uint8Array(end - start + MOST_ADDED_BYTES);
  return fromUtf8.decode(bytes.subarray(0, spell(alias, start, end, bytes)));
}

/** Requires: room for the alias and MOST_ADDED_BYTES. */
function spell(alias: Uint8Array, start: number, end: number, target: Uint8Array): number {
  let length = 0;
  if (beginsWithYear(alias, start, end)) length = copy(CVE, 0, CVE.length, target) ?? 0;
  const lowerFrom = firstLower(alias, start, end);
  for (let at = start; at < end; at++) {
    const byte = alias[at];
    const isLower = at >= lowerFrom && byte >= UPPER_A && byte <= UPPER_Z;
    target[length++] = isLower ? byte + TO_LOWER : byte;
  }
  return length;
}

/** From where an id is in lower case: the letters of a GHSA id, all of a UUID, nothing of others. */
function firstLower(alias: Uint8Array, start: number, end: number): number {
  if (GHSA.every((byte, i) => alias[start + i] === byte)) return start + GHSA.length;
  const isUuid = end - start === UUID_BYTES && UUID_DASHES.every((at) => alias[start + at] === DASH);
  return isUuid ? start : end;
}

/** As the alias of a CVE id does, which is its id without the prefix. */
function beginsWithYear(alias: Uint8Array, start: number, end: number): boolean {
  if (end - start <= YEAR_DIGITS || alias[start + YEAR_DIGITS] !== DASH) return false;
  for (let i = start; i < start + YEAR_DIGITS; i++) if (alias[i] < ZERO || alias[i] > NINE) return false;
  return true;
}

/** The row of an id whose alias does not tell it, or undefined. */
export function findSpelled({ spelledAdvisory }: SourceIdColumns, ordinal: number): number | undefined {
  const row = partitionPoint(0, spelledAdvisory.length, (i) => spelledAdvisory[i] >= ordinal);
  return row < spelledAdvisory.length && spelledAdvisory[row] === ordinal ? row : undefined;
}

function copy(bytes: Uint8Array, start: number, end: number, target: Uint8Array): number | undefined {
  if (end - start > target.length) return undefined;
  for (let at = start; at < end; at++) target[at - start] = bytes[at];
  return end - start;
}
