// The shapes of packed values. MessagePack decodes many damaged bytes without an error, and a wrong shape
// would end up in a response, so every block that is opened goes through here.

import { isUtf8 } from 'node:buffer';
import { MAX_INSTANT, MIN_INSTANT } from '../../index/items/instant.ts';
import { type PackedCursor, PackedError } from '../../index/memory/packed-cursor.ts';

const LISTED_TEXT_MEMBERS = 5;
const DETAIL_MEMBERS = 9; // ten with the last, which most rows do without
const LINK_MEMBERS = 2;
/**
 * Limit for one member of a detail record; no feed line is long enough for more. A larger array is an attack.
 */
const MAX_TEXTS = 2 ** 20;

/** Skips a row of the texts section; returns its number of references. Throws PackedError. */
export function stepOverListedText(cursor: PackedCursor): number {
  cursor.row(LISTED_TEXT_MEMBERS);
  for (let i = 0; i < LISTED_TEXT_MEMBERS - 1; i++) cursor.string(); // title, URL, CVE, GHSA
  return stepOverTexts(cursor); // references
}

/** Skips a row of the details section; returns its number of reference titles. Throws PackedError. */
export function stepOverDetailRecord(cursor: PackedCursor): number {
  const { at } = cursor;
  const members = cursor.array();
  if (members !== DETAIL_MEMBERS && members !== DETAIL_MEMBERS + 1) {
    throw new PackedError(
      cursor.bytes,
      at,
      `${members} elements instead of ${DETAIL_MEMBERS} or ${DETAIL_MEMBERS + 1}`,
    );
  }
  cursor.string(); // description
  stepOverTexts(cursor); // CVEs
  const titleCount = stepOverTexts(cursor);
  cursor.string(); // URL slug
  stepOverLink(cursor); // credit
  stepOverLink(cursor); // submitter
  stepOverTexts(cursor); // affected versions
  if (!cursor.nil()) cursor.wholeNumber(MIN_INSTANT, MAX_INSTANT); // withdrawn at
  stepOverTexts(cursor); // aliases
  if (members > DETAIL_MEMBERS) stepOverJsonObject(cursor); // ecosystem_specific
  return titleCount;
}

/** Answers show it parsed. */
function stepOverJsonObject(cursor: PackedCursor): void {
  cursor.string();
  const { bytes, start, end } = cursor;
  if (!isJsonObject(Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString())) {
    throw new PackedError(bytes, start, 'a text that is not a JSON object');
  }
}

function isJsonObject(text: string): boolean {
  try {
    return text.startsWith('{') && typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}

function stepOverTexts(cursor: PackedCursor): number {
  const { at } = cursor;
  const count = cursor.array();
  if (count > MAX_TEXTS) throw new PackedError(cursor.bytes, at, `${count} texts, more than ${MAX_TEXTS}`);
  for (let i = 0; i < count; i++) cursor.string();
  return count;
}

function stepOverLink(cursor: PackedCursor): void {
  if (cursor.nil()) return;
  cursor.row(LINK_MEMBERS);
  cursor.string();
  cursor.string();
}

/**
 * The kinds of term, each as a step over one. They throw PackedError; texts must be UTF-8, as requests decode
 * them.
 */
export function stepOverText(cursor: PackedCursor): void {
  cursor.string();
  const { bytes, start, end } = cursor;
  let at = start;
  // Most texts are ASCII, and a call for each would cost more than this.
  while (at < end && bytes[at] < 0x80) at++;
  if (at < end && !isUtf8(bytes.subarray(at, end))) {
    throw new PackedError(bytes, start, 'a text that is not UTF-8');
  }
}

export function stepOverLabel(cursor: PackedCursor): void {
  cursor.row(3);
  if (!cursor.nil()) cursor.wholeNumber();
  stepOverTextOrNil(cursor);
  stepOverTextOrNil(cursor);
}

export function stepOverCvss(cursor: PackedCursor): void {
  cursor.row(2);
  if (!cursor.nil()) cursor.finiteNumber();
  stepOverTextOrNil(cursor);
}

export function stepOverWeakness(cursor: PackedCursor): void {
  cursor.row(2);
  if (!cursor.nil()) cursor.wholeNumber(Number.MIN_SAFE_INTEGER);
  stepOverTextOrNil(cursor);
}

export function stepOverSources(cursor: PackedCursor): void {
  for (let count = cursor.array(); count > 0; count--) {
    const { at } = cursor;
    const members = cursor.array();
    if (members !== 4 && members !== 5) {
      throw new PackedError(cursor.bytes, at, `${members} elements instead of 4 or 5`);
    }
    for (let i = 0; i < 4; i++) stepOverText(cursor);
    if (members === 5) for (let fields = cursor.array(); fields > 0; fields--) stepOverText(cursor);
  }
}

function stepOverTextOrNil(cursor: PackedCursor): void {
  if (!cursor.nil()) stepOverText(cursor);
}
