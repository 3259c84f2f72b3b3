// One line of a feed to a JSON object, or to the problem that it has. What the object says is checked
// elsewhere.

import { MAX_RECORD_BYTES } from '../../index/items/detail-record.ts';
import { checkSurrogates, type FieldProblem, quoted } from '../record/feed-schema.ts';
import { isObject } from '../record/json.ts';
import { FeedFileError } from './lines.ts';

// ignoreBOM keeps a byte order mark as a character, so that one inside a file is invalid JSON, not dropped.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Throws FeedFileError for a record of OSV: a feed has none, and a list of the members that each lacks helps
 * nobody. Requires: a line with problems.
 */
export function refuseOsv(value: object, file: string, line: number): void {
  const { id, modified, affected, schema_version: version } = value as Readonly<Record<string, unknown>>;
  const isOsv =
    typeof id === 'string' &&
    typeof modified === 'string' &&
    (Array.isArray(affected) || version !== undefined);
  if (isOsv)
    throw new FeedFileError(
      file,
      'osv',
      `line ${line} is a record of OSV, not of a feed: give the file with --osv`,
    );
}

/** Adds what is wrong to `problems`; undefined if there is no object to look at. */
export function parseLine(bytes: Uint8Array, problems: FieldProblem[]): object | undefined {
  if (bytes.length > MAX_RECORD_BYTES) {
    const message = `has ${bytes.length} bytes; the limit is ${MAX_RECORD_BYTES}`;
    problems.push({ field: 'line', message });
    return undefined;
  }
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    problems.push({ field: 'line', message: 'is not valid UTF-8' });
    return undefined;
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    problems.push({ field: 'line', message: `is not valid JSON (${(error as Error).message})` });
    return undefined;
  }
  if (!isObject(value)) {
    problems.push({ field: 'line', message: `must be a JSON object (got ${quoted(value)})` });
    return undefined;
  }
  // Decoded text has only whole surrogate pairs; half a pair can only come from an escape.
  if (text.includes('\\u')) checkSurrogates(value, problems);
  return value;
}
