// The shapes of packed values, unpacked or not. MessagePack decodes many damaged bytes without an error, and a wrong
// shape would end up in a response, so every value that is kept or checked goes through here.

import { MAX_INSTANT, MIN_INSTANT } from '../index/items/instant.ts';
import type { CvssTerm, LabelTerm, ListedText, SourcesTerm, WeaknessTerm } from '../index/items/list-item.ts';
import { type PackedCursor, PackedError } from '../index/memory/packed-cursor.ts';

const DETAIL_MEMBERS = 9;
const LINK_MEMBERS = 2;
/** Limit for one member of a detail record; no feed line is long enough for more. A larger array is an attack. */
const MAX_TEXTS = 2 ** 20;

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export function isListedText(value: unknown): value is ListedText {
  return isRow(value, 6) && value.slice(0, 4).every(isText) && isTexts(value[4]) && isText(value[5]);
}

/** Skips a row of the details section; returns its number of reference titles. Throws PackedError. */
export function stepOverDetailRecord(cursor: PackedCursor): number {
  cursor.row(DETAIL_MEMBERS);
  cursor.string(); // description
  stepOverTexts(cursor); // CVEs
  const titleCount = stepOverTexts(cursor);
  cursor.string(); // URL slug
  stepOverLink(cursor); // credit
  stepOverLink(cursor); // submitter
  stepOverTexts(cursor); // affected versions
  if (!cursor.nil()) cursor.wholeNumber(MIN_INSTANT, MAX_INSTANT); // withdrawn at
  stepOverTexts(cursor); // aliases
  return titleCount;
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

export function isLabelTerm(value: unknown): value is LabelTerm {
  return isRow(value, 3) && Number.isSafeInteger(value[0]) && isText(value[1]) && isTextOrNull(value[2]);
}

export function isCvssTerm(value: unknown): value is CvssTerm {
  return isRow(value, 2) && (value[0] === null || Number.isFinite(value[0])) && isTextOrNull(value[1]);
}

export function isWeaknessTerm(value: unknown): value is WeaknessTerm {
  return isRow(value, 2) && (value[0] === null || Number.isSafeInteger(value[0])) && isTextOrNull(value[1]);
}

export function isSourcesTerm(value: unknown): value is SourcesTerm {
  return Array.isArray(value) && value.every(isSource);
}

function isSource(value: unknown): boolean {
  if (isRow(value, 4)) return value.every(isText);
  return isRow(value, 5) && value.slice(0, 4).every(isText) && isTexts(value[4]);
}

function isRow(value: unknown, length: number): value is readonly unknown[] {
  return Array.isArray(value) && value.length === length;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || isText(value);
}
