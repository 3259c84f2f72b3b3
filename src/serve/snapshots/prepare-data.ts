// What is made from a generation after it went live: which ids changed, and the prepared files of the dialects. Runs in a
// thread of its own, preparer-thread.ts.

import { findChangedIds } from '../../compare/changed-ids.ts';
import type { Dialect } from '../../http/dialect.ts';
import { prepareFiles } from '../../http/replies/answer-prepared.ts';
import { bytesOf, type PreparedFile } from '../../http/replies/prepared-files.ts';
import { Generation } from '../../index/generation.ts';
import type { DetailRecord, OpenRecords, RecordSource } from '../../index/items/detail-record.ts';
import { openGeneration } from '../../loader/load.ts';
import type { FromPreparer, PostedGeneration, PreparerData } from '../messages.ts';

/** The thread was told to end. */
export class EndedError extends Error {
  override readonly name = 'EndedError';
}

/** Makes what is asked for, the quickest first, and posts each part when it is ready. Throws EndedError. */
export function prepareData(
  { neighbours, files, end }: Pick<PreparerData, 'neighbours' | 'files' | 'end'>,
  dialects: readonly Dialect[],
  post: (message: FromPreparer) => void,
): void {
  for (const { previous, next } of neighbours) {
    const startMs = performance.now();
    const ids = findChangedIds(open(previous, end), open(next, end));
    const [from, to] = [previous.parts.id, next.parts.id];
    post({ kind: 'changes', changes: { from, to, ids, tookMs: performance.now() - startMs } });
  }
  if (files === undefined) return;
  const startMs = performance.now();
  const made = prepareFiles(dialects, open(files, end));
  const list = Array.from(made, ([name, file]) => [name, sharedFile(file)] as const);
  post({
    kind: 'files',
    files: {
      snapshot: files.parts.id,
      files: list,
      bytes: bytesOf(list.map(([, file]) => file)),
      tookMs: performance.now() - startMs,
    },
  });
}

function open({ parts, packed }: PostedGeneration, end: Int32Array): Generation {
  return new Generation(parts, new EndableRecords(openGeneration(parts, packed).records, end));
}

/** Every part is made from many records, and each time one is read, the thread may end. */
class EndableRecords implements RecordSource {
  readonly #records: RecordSource;
  readonly #end: Int32Array;

  constructor(records: RecordSource, end: Int32Array) {
    this.#records = records;
    this.#end = end;
  }

  detailAt(ordinal: number, open: OpenRecords): DetailRecord {
    this.#check();
    return this.#records.detailAt(ordinal, open);
  }

  bodyAt(ordinal: number, open: OpenRecords): string {
    this.#check();
    return this.#records.bodyAt(ordinal, open);
  }

  termAt(term: number): unknown {
    this.#check();
    return this.#records.termAt(term);
  }

  #check(): void {
    if (Atomics.load(this.#end, 0) !== 0) throw new EndedError();
  }
}

/** Bytes that are not shared would be copied to every thread. */
function sharedFile(file: PreparedFile): PreparedFile {
  const { plain, gzip } = file;
  return { ...file, plain: toShared(plain), gzip: gzip === undefined ? undefined : toShared(gzip) };
}

function toShared(bytes: Uint8Array): Uint8Array {
  if (bytes.buffer instanceof SharedArrayBuffer) return bytes;
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
}
