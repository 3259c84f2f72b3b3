// One file with OSV records: a record, a record on each line (NDJSON), or a JSON list of records. Which of
// them it is shows at its beginning; nothing but the bytes of a record or two is held.

import { SourceError } from '../../download/source-error.ts';
import { readContent, readLines, sizeOf } from '../feed/lines.ts';
import { JsonCutError, JsonCutter } from '../json-cutter.ts';
import { MAX_FILE_BYTES, type OsvFile, tooLong } from './osv-file.ts';

type Form = 'record' | 'lines' | 'list';

/** The records in order, some at a time. Throws SourceError. */
export async function* filesInFile(
  path: string,
  onBytes: (bytes: number) => void,
): AsyncGenerator<readonly OsvFile[]> {
  switch (await formOf(path)) {
    case 'record':
      yield [await oneRecord(path, onBytes)];
      return;
    case 'lines':
      for await (const lines of readLines(path, onBytes)) {
        yield lines.map(({ number, bytes }) => ({
          kind: 'record',
          place: { file: path, line: number },
          bytes,
        }));
      }
      return;
    case 'list':
      yield* elementsOf(path, readContent(path, onBytes));
  }
}

/** As readRecordFile, of a file that may be gzipped. */
async function oneRecord(path: string, onBytes: (bytes: number) => void): Promise<OsvFile> {
  const size = sizeOf(path) ?? 0;
  if (size > MAX_FILE_BYTES) return { kind: 'unreadable', place: { file: path }, problem: tooLong(size) };
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of readContent(path, onBytes)) {
    length += chunk.length;
    if (length > MAX_FILE_BYTES)
      return { kind: 'unreadable', place: { file: path }, problem: tooLong(length) };
    chunks.push(chunk);
  }
  return { kind: 'record', place: { file: path }, bytes: Buffer.concat(chunks) };
}

/**
 * A list begins with `[`. Where the first line and the next one that is not blank begin with `{`, each line
 * is a record: in one that is spread over lines, `{` is never followed by another.
 */
async function formOf(path: string): Promise<Form> {
  let text = '';
  for await (const chunk of readContent(path)) {
    text += chunk.toString('latin1'); // only ASCII matters
    const found = /^(?:\u00ef\u00bb\u00bf)?\s*(?:(\[)|\{[^\n]*\n\s*(\S)|([^\s[{]))/.exec(text);
    if (found !== null) return found[1] !== undefined ? 'list' : found[2] === '{' ? 'lines' : 'record';
    if (text.length > MAX_FILE_BYTES) break;
  }
  return 'record';
}

/**
 * The elements in order, as they become complete; a place is the index of an element. Throws SourceError if
 * the list does not end, or something follows it. Requires: the first character is `[`.
 */
export async function* elementsOf(
  path: string,
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<readonly OsvFile[]> {
  const cutter = new JsonCutter('list', MAX_FILE_BYTES);
  let index = 0;
  try {
    for await (const chunk of chunks) {
      yield cutter.push(chunk).map(({ bytes, length }): OsvFile => {
        const place = { file: path, entry: `[${index++}]` };
        return length > MAX_FILE_BYTES
          ? { kind: 'unreadable', place, problem: tooLong(length) }
          : { kind: 'record', place, bytes };
      });
    }
    cutter.finish();
  } catch (error) {
    if (!(error instanceof JsonCutError)) throw error;
    const remedy = error.code === 'truncated' ? '; fetch the file again' : '; it must be all of the file';
    throw new SourceError(`${path}: the list ${error.message}${remedy}`);
  }
}
