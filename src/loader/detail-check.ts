// That every block of details can be served: it inflates within bounds to as many records of the right shape as it must
// have. That is more than half as much work as all the rest of a load, so a second thread takes its share of a large
// section while the items are prepared; nothing depends on whether that thread starts, lasts or ends.

import { getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { DETAIL_BLOCK_ADVISORIES, type IndexColumns } from '../index/columns.ts';
import { PackedCursor, PackedError } from '../index/memory/packed-cursor.ts';
import { stepOverDetailRecord } from './record-shapes.ts';
import { badRecord, inflateDetails } from './records.ts';

/** Blocks that are taken at once: some milliseconds of work. */
const STRETCH_BLOCKS = 64;
/** With fewer blocks the second thread would come too late. */
const HELPED_BLOCKS = 2_000;
/** V8's own default is a multiple of it, and kept while the thread lives. */
const HELPER_LIMITS = { maxYoungGenerationSizeMb: 3, maxOldGenerationSizeMb: 256 };

/** What the threads share, all of it in shared memory. */
export interface DetailJob {
  readonly columns: Pick<IndexColumns, 'detailBlockStart' | 'detailDictionary'>;
  readonly details: Uint8Array;
  readonly advisoryCount: number;
  /** By ordinal: how many reference titles the record has. */
  readonly titleCounts: Uint32Array;
  /** The first stretch that nobody has taken. */
  readonly next: Int32Array;
  /** By stretch: 1 once it is found sound. */
  readonly isSound: Int32Array;
}

/** Begun while the rest of a snapshot is prepared, and ended behind it. Requires: what verifyIndex grants. */
export class DetailCheck {
  readonly #job: DetailJob;

  /** A second thread helps from so many blocks on. */
  constructor(
    { advisoryId, detailBlockStart, detailDictionary }: IndexColumns,
    details: Uint8Array,
    helpedBlocks = HELPED_BLOCKS,
  ) {
    const blockCount = detailBlockStart.length - 1;
    this.#job = {
      columns: { detailBlockStart, detailDictionary },
      details,
      advisoryCount: advisoryId.length,
      titleCounts: new Uint32Array(new SharedArrayBuffer(advisoryId.length * 4)),
      next: new Int32Array(new SharedArrayBuffer(4)),
      isSound: new Int32Array(new SharedArrayBuffer(Math.ceil(blockCount / STRETCH_BLOCKS) * 4)),
    };
    if (blockCount >= helpedBlocks && !isPatient()) startHelper(this.#job);
  }

  /**
   * Returns when every block is found sound. `referenceCounts` says how many URLs the listed texts of each ordinal have.
   * Throws SnapshotError with the first fault.
   */
  finish(referenceCounts: Uint32Array): void {
    const job = this.#job;
    takeStretches(job);
    for (let stretch = 0; stretch < job.isSound.length; stretch++) {
      // Not done: it has a fault, or the other thread is still at it or gone.
      if (Atomics.load(job.isSound, stretch) === 0) checkStretch(job, stretch);
    }
    referenceCounts.forEach((count, ordinal) => {
      const got = job.titleCounts[ordinal];
      if (got === count) return;
      const offset = job.columns.detailBlockStart[Math.floor(ordinal / DETAIL_BLOCK_ADVISORIES)];
      throw badRecord('details', offset, `${count} reference titles of ordinal ${ordinal}`, String(got));
    });
  }

  /** Nobody wants to know any more. */
  abandon(): void {
    Atomics.store(this.#job.next, 0, this.#job.isSound.length);
  }
}

/** Checks whatever nobody has taken yet. A fault ends it and is left for `finish` to find again. */
export function takeStretches(job: DetailJob): void {
  for (;;) {
    const stretch = Atomics.add(job.next, 0, 1);
    if (stretch >= job.isSound.length) return;
    try {
      checkStretch(job, stretch);
    } catch {
      Atomics.store(job.next, 0, job.isSound.length);
      return;
    }
    Atomics.store(job.isSound, stretch, 1);
  }
}

function checkStretch(job: DetailJob, stretch: number): void {
  const first = stretch * STRETCH_BLOCKS;
  const last = Math.min(first + STRETCH_BLOCKS, job.columns.detailBlockStart.length - 1);
  for (let block = first; block < last; block++) checkBlock(job, block);
}

function checkBlock({ columns, details, advisoryCount, titleCounts }: DetailJob, block: number): void {
  const bytes = inflateDetails(columns, details, block);
  const firstOrdinal = block * DETAIL_BLOCK_ADVISORIES;
  const recordCount = Math.min(DETAIL_BLOCK_ADVISORIES, advisoryCount - firstOrdinal);
  const cursor = new PackedCursor(bytes);
  cursor.enter(0, bytes.length);
  try {
    cursor.row(recordCount);
    for (let i = 0; i < recordCount; i++) titleCounts[firstOrdinal + i] = stepOverDetailRecord(cursor);
    if (!cursor.isAtEnd) throw new PackedError(bytes, cursor.at, `more than ${recordCount} records`);
  } catch (error) {
    if (!(error instanceof PackedError)) throw error;
    const got = `${error.message} at byte ${error.offset} of the inflated block`;
    throw badRecord('details', columns.detailBlockStart[block], `${recordCount} detail records`, got);
  }
}

/** Of lowered priority, as the server's loader is after its first load: it leaves other cores to others. */
function isPatient(): boolean {
  try {
    return getPriority() > 0; // on Linux of this thread alone
  } catch {
    return false; // a filter of system calls may refuse to tell
  }
}

/** Ends by itself. It cannot start where sources are run as they are, or where the process may have no more threads. */
function startHelper(job: DetailJob): void {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  try {
    const url = new URL(`./detail-check-thread.${extension}`, import.meta.url);
    const helper = new Worker(url, { workerData: job, resourceLimits: HELPER_LIMITS });
    helper.on('error', () => {}); // what it has not done, `finish` does
    helper.unref();
  } catch {
    // likewise
  }
}
