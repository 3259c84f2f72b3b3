// The registry file as lines: one column layout for reading and writing, and where each line ends, so that a
// torn one at the end can be cut off.

import { isUtf8 } from 'node:buffer';
import { readSync } from 'node:fs';
import { PRODUCT_TYPES } from '../../index/product-type.ts';
import { formatSeconds, parseSeconds } from '../record/instant.ts';

export interface RegistryLine {
  readonly kind: 'advisory' | 'product';
  readonly number: number;
  /** Epoch seconds. */
  readonly firstSeen: number;
  /** Both '' for a product. */
  readonly source: string;
  readonly sourceId: string;
  readonly type: string;
  readonly slug: string;
}

interface FoundLine {
  readonly bytes: Buffer;
  /** Where the next line begins in the file. */
  readonly end: number;
  /** False for bytes at the end of the file without a line feed. */
  readonly isWhole: boolean;
}

const CHUNK_BYTES = 1 << 20;
const LINE_FEED = 0x0a;
const COLUMNS = 7;
/** A zero byte looks like what a power cut leaves. */
const SPECIAL = /[\\\t\n\r\0]/;
const EACH_SPECIAL = new RegExp(SPECIAL, 'g');
const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '\0': '\\0',
};
const ESCAPED: Readonly<Record<string, string>> = {
  '\\\\': '\\',
  '\\t': '\t',
  '\\n': '\n',
  '\\r': '\r',
  '\\0': '\0',
};

/** Without a line feed. */
export function formatLine({ kind, number, firstSeen, source, sourceId, type, slug }: RegistryLine): string {
  const texts = `${escapeText(source)}\t${escapeText(sourceId)}\t${type}\t${escapeText(slug)}`;
  return `${kind}\t${number}\t${formatSeconds(firstSeen)}\t${texts}`;
}

/** The line, or what is wrong with it. */
export function parseLine(bytes: Buffer): RegistryLine | string {
  if (!isUtf8(bytes)) return 'is not valid UTF-8';
  const columns = bytes.toString().split('\t');
  if (columns.length !== COLUMNS) return `has ${columns.length} columns, not ${COLUMNS}`;
  const [kind, numberText, time, ...texts] = columns;
  if (kind !== 'advisory' && kind !== 'product') return `begins with ${JSON.stringify(kind)}`;
  const number = /^[1-9]\d{0,15}$/.test(numberText) ? Number(numberText) : Number.NaN;
  if (!Number.isSafeInteger(number))
    return `${JSON.stringify(numberText)} is not a number of an advisory or product`;
  const firstSeen = parseSeconds(time);
  if (firstSeen === undefined) return `${JSON.stringify(time)} is not a time`;
  const [source, sourceId, type, slug] = texts.map(unescapeText);
  if (!PRODUCT_TYPES.some((known) => known === type))
    return `${JSON.stringify(type)} is not a type of product`;
  if (slug === '' || (kind === 'advisory') === (source === '' || sourceId === '')) return 'lacks a name';
  return { kind, number, firstSeen, source, sourceId, type, slug };
}

/** The lines of an open file from the byte `start` on. */
export function* linesOfFile(fd: number, start: number): Generator<FoundLine> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let held: Buffer = Buffer.alloc(0);
  for (let at = start; ; ) {
    const count = readSync(fd, chunk, 0, chunk.length, at);
    if (count === 0) break;
    const bytes = Buffer.concat([held, chunk.subarray(0, count)]);
    const bytesStart = at - held.length;
    let from = 0;
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, from)) {
      yield { bytes: bytes.subarray(from, end), end: bytesStart + end + 1, isWhole: true };
      from = end + 1;
    }
    held = bytes.subarray(from);
    at += count;
    start = at;
  }
  if (held.length > 0) yield { bytes: held, end: start, isWhole: false };
}

function escapeText(text: string): string {
  return SPECIAL.test(text) ? text.replaceAll(EACH_SPECIAL, (character) => ESCAPES[character]) : text;
}

function unescapeText(text: string): string {
  return text.replace(/\\[\\tnr0]/g, (escaped) => ESCAPED[escaped]);
}
