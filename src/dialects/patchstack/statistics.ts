// GET /statistics: the counts of a prepared file, and the snapshots that the process holds. After a swap the
// file is still of the previous snapshot until the next one is ready; `snapshot` says which.

import { createHash } from 'node:crypto';
import type { HandlerContext, KeptGeneration } from '../../http/context.ts';
import { answerPrepared, notYetPrepared } from '../../http/replies/answer-prepared.ts';
import type { PreparedFile } from '../../http/replies/prepared-files.ts';
import type { Answer } from '../../http/replies/responses.ts';
import type { PathParts } from '../../http/routing/dialect.ts';
import type { RequestView } from '../../http/transport/request-view.ts';
import { STATISTICS_FILE } from './statistics-file.ts';

const HASH_DIGITS = 16;

export function handleStatistics(
  request: RequestView,
  _: PathParts,
  { prepared, kept }: HandlerContext,
): Answer {
  const file = prepared?.get(STATISTICS_FILE);
  return file === undefined ? notYetPrepared() : answerPrepared(request, withKept(file, kept));
}

/** The file with the member `kept` in place of its last brace; the tag changes with it. */
function withKept(file: PreparedFile, kept: readonly KeptGeneration[]): PreparedFile {
  const list = kept.map(({ generation: { id, parts } }) => {
    return { id, built_at: new Date(parts.builtAtMs).toISOString() };
  });
  const end = Buffer.from(`,"kept":${JSON.stringify(list)}}`);
  const start = file.plain.length - 1;
  const plain = new Uint8Array(start + end.length);
  plain.set(file.plain.subarray(0, start));
  plain.set(end, start);
  const hash = createHash('sha256').update(end).digest('hex').slice(0, HASH_DIGITS);
  return { ...file, plain, etag: file.etag.replace(/"$/, `.${hash}"`) };
}
