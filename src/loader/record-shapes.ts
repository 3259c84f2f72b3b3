// What a packed value must look like once it is unpacked. MessagePack decodes many damaged bytes without a word,
// and a wrong shape would end up inside an answer; so whoever unpacks a value to keep or judge it asks here.

import type { DetailRecord, NamedLink } from '../index/detail-record.ts';
import type { CvssTerm, LabelTerm, ListedText, WeaknessTerm } from '../index/list-item.ts';

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export function isListedText(value: unknown): value is ListedText {
  return isRow(value, 5) && value.slice(0, 4).every(isText) && isTexts(value[4]);
}

export function isDetailRecord(value: unknown): value is DetailRecord {
  if (!isRow(value, 9)) return false;
  const [description, details, cves, referenceTitles, urlSlug, credit, submitter, versions, withdrawnAt] =
    value;
  return (
    [description, details, urlSlug].every(isText) &&
    [cves, referenceTitles, versions].every(isTexts) &&
    [credit, submitter].every((link) => link === null || isNamedLink(link)) &&
    (withdrawnAt === null || Number.isSafeInteger(withdrawnAt))
  );
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

function isNamedLink(value: unknown): value is NamedLink {
  return isRow(value, 2) && value.every(isText);
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
