// What is made from a generation after it went live: which ids changed, and the prepared files of the
// dialects. Runs in a thread of its own, preparer-thread.ts.

import { findChangedIds } from '../../compare/differences.ts';
import { prepareFiles } from '../../http/replies/answer-prepared.ts';
import { bytesOf, type PreparedFile } from '../../http/replies/prepared-files.ts';
import type { Dialect } from '../../http/routing/dialect.ts';
import type { BlockSection } from '../../index/columns.ts';
import { Generation } from '../../index/generation.ts';
import type { DetailRecord, OpenRecords, RecordSource } from '../../index/items/detail-record.ts';
import type { ItemSource, MadeItem } from '../../index/items/prepared-items.ts';
import { GenerationRecords } from '../../loader/snapshot/item-maker.ts';
import type { PostedGeneration, Preparation, PreparationFailure, Prepared } from '../messages.ts';

/** What is being made is no longer wanted. */
export class HaltedError extends Error {}

/** V8's words for a buffer that the system has no memory for. */
const OUT_OF_MEMORY = 'Array buffer allocation failed';

/**
 * Makes what is asked for, the quickest first, and posts each part when it is ready. What the
 * data does not allow is left out and named at the end. Throws HaltedError at the next record
 * that it reads once `halt` is 1.
 */
export function prepareData(
  { neighbours, files, halt }: Preparation,
  dialects: readonly Dialect[],
  post: (prepared: Prepared) => void,
): void {
  const open = ({ parts, packed }: PostedGeneration): Generation =>
    new Generation(
      parts,
      new HaltingRecords(new GenerationRecords(parts, packed), halt),
      { keepsItems: false }, // it reads them all
    );
  const failures: PreparationFailure[] = [];
  const attempt = (what: string, make: () => void): void => {
    try {
      requireWanted(halt);
      make();
    } catch (error) {
      if (error instanceof HaltedError) throw error;
      if ((error as Error).message === OUT_OF_MEMORY) throw error; // another thread may get it later
      failures.push({ what, reason: (error as Error).stack ?? String(error) });
    }
  };
  for (const { previous, next } of neighbours) {
    attempt('changes', () => {
      const startMs = performance.now();
      const ids = findChangedIds(open(previous), open(next));
      const [from, to] = [previous.parts.id, next.parts.id];
      post({ kind: 'changes', changes: { from, to, ids, tookMs: performance.now() - startMs } });
    });
  }
  if (files !== undefined) {
    const startMs = performance.now();
    const list: (readonly [string, PreparedFile])[] = [];
    for (const dialect of dialects) {
      attempt(dialect.name, () => {
        const made = prepareFiles([dialect], open(files));
        list.push(...Array.from(made, ([name, file]) => [name, sharedFile(file)] as const));
      });
    }
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
  post({ kind: 'finished', failures });
}

class HaltingRecords implements RecordSource, ItemSource {
  readonly #records: RecordSource & ItemSource;
  readonly #halt: Int32Array;

  constructor(records: RecordSource & ItemSource, halt: Int32Array) {
    this.#records = records;
    this.#halt = halt;
  }

  detailAt(ordinal: number, open: OpenRecords): DetailRecord {
    this.#check();
    return this.#records.detailAt(ordinal, open);
  }

  bodyAt(ordinal: number, open: OpenRecords): string {
    this.#check();
    return this.#records.bodyAt(ordinal, open);
  }

  packedAt(section: BlockSection, ordinal: number, open: OpenRecords): Uint8Array | undefined {
    this.#check();
    return this.#records.packedAt(section, ordinal, open);
  }

  termAt(term: number): unknown {
    this.#check();
    return this.#records.termAt(term);
  }

  itemAt(ordinal: number): MadeItem {
    this.#check();
    return this.#records.itemAt(ordinal);
  }

  #check(): void {
    requireWanted(this.#halt);
  }
}

function requireWanted(halt: Int32Array): void {
  if (Atomics.load(halt, 0) !== 0) throw new HaltedError('no longer wanted');
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
