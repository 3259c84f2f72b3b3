// The elements of one large JSON list as files: parsing each is convert.ts's.

import { SourceError } from '../../download/source-error.ts';
import { JsonCutError, JsonCutter } from '../json-cutter.ts';
import { MAX_FILE_BYTES, type OsvFile, tooLong } from './osv-file.ts';

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
