// Checks that every block of details and bodies can be served: it inflates within bounds to the right number
// of rows of the right shape. This is more than half as much work as the rest of a load, so a helper thread
// takes its share of large sections while the items are prepared. Nothing depends on whether that thread
// starts, keeps running or ends.

import { getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type BlockSection, DETAIL_BLOCK_ADVISORIES, type IndexColumns } from '../index/columns.ts';
import type { PackedSections } from './reader.ts';
import { stepOverDetailRecord } from './record-shapes.ts';
import { type BlockColumns, badRecord, blockStartsOf, walkBlock } from './records.ts';

/** Texts are checked while items are made of them. */
const CHECKED_SECTIONS = ['details', 'bodies'] as const satisfies readonly BlockSection[];
type CheckedSection = (typeof CHECKED_SECTIONS)[number];
/** Blocks taken at a time: a few milliseconds of work. */
const STRETCH_BLOCKS = 64;
const KIB = 1024;
/** With fewer blocks the helper thread would start too late to be useful. */
const HELPED_BLOCKS = 2_000;
/** V8's default is several times this, and held while the thread lives. */
const HELPER_LIMITS = { maxYoungGenerationSizeMb: 3, maxOldGenerationSizeMb: 256 };

/** What the threads share, all of it in shared memory. */
export interface BlockJob {
  readonly columns: BlockColumns;
  readonly packed: PackedSections;
  /** Advisories and bodies. */
  readonly rowCounts: Readonly<Record<CheckedSection, number>>;
  /** By ordinal: the detail record's number of reference titles. */
  readonly titleCounts: Uint32Array;
  /** The next stretch to take: those of details come first. */
  readonly next: Int32Array;
  /** By stretch: 1 once found sound. */
  readonly isSound: Int32Array;
  /** What the blocks of sound stretches make, in KiB, each stretch rounded up. */
  readonly inflatedKib: Int32Array;
  readonly maxInflatedBytes: number;
}

/**
 * Starts before the rest of a snapshot is prepared, and finishes after it. Requires: verifyIndex has passed.
 */
export class BlockCheck {
  readonly #job: BlockJob;

  /** Blocks may make that many bytes together. A helper thread is used from `helpedBlocks` blocks on. */
  constructor(
    columns: IndexColumns,
    packed: PackedSections,
    maxInflatedBytes: number,
    helpedBlocks = HELPED_BLOCKS,
  ) {
    const { advisoryId, bodyAdvisory } = columns;
    const { textBlockStart, textDictionary } = columns;
    const { detailBlockStart, detailDictionary, bodyBlockStart, bodyDictionary } = columns;
    const blockCount = detailBlockStart.length + bodyBlockStart.length - 2;
    const stretchCount = CHECKED_SECTIONS.reduce((sum, section) => sum + stretchCountOf(columns, section), 0);
    this.#job = {
      columns: {
        textBlockStart,
        textDictionary,
        detailBlockStart,
        detailDictionary,
        bodyBlockStart,
        bodyDictionary,
      },
      packed,
      rowCounts: { details: advisoryId.length, bodies: bodyAdvisory.length },
      titleCounts: new Uint32Array(new SharedArrayBuffer(advisoryId.length * 4)),
      next: new Int32Array(new SharedArrayBuffer(4)),
      isSound: new Int32Array(new SharedArrayBuffer(stretchCount * 4)),
      inflatedKib: new Int32Array(new SharedArrayBuffer(4)),
      maxInflatedBytes,
    };
    if (blockCount >= helpedBlocks && !hasLowPriority()) startHelper(this.#job);
  }

  /**
   * Returns when every block has been found sound. `referenceCounts` is the number of URLs in the listed
   * texts of each ordinal. Throws SnapshotError with the first fault.
   */
  finish(referenceCounts: Uint32Array): void {
    const job = this.#job;
    takeStretches(job);
    for (let stretch = 0; stretch < job.isSound.length; stretch++) {
      // Not done: it has a fault, or the helper thread is still busy with it or gone.
      if (Atomics.load(job.isSound, stretch) === 0) checkStretch(job, stretch);
    }
    // Threads that worked at the same time did not count each other's last stretch.
    requireWithinBudget(job, 0, CHECKED_SECTIONS[0], 0);
    referenceCounts.forEach((count, ordinal) => {
      const got = job.titleCounts[ordinal];
      if (got === count) return;
      const offset = job.columns.detailBlockStart[Math.floor(ordinal / DETAIL_BLOCK_ADVISORIES)];
      throw badRecord('details', offset, `${count} reference titles of ordinal ${ordinal}`, String(got));
    });
  }

  /** Stops the check; the result is no longer needed. */
  abandon(): void {
    Atomics.store(this.#job.next, 0, this.#job.isSound.length);
  }
}

/** Checks all stretches not yet taken. Stops at a fault, which `finish` finds again. */
export function takeStretches(job: BlockJob): void {
  for (;;) {
    const stretch = Atomics.add(job.next, 0, 1);
    if (stretch >= job.isSound.length) return;
    try {
      checkStretch(job, stretch);
    } catch {
      Atomics.store(job.next, 0, job.isSound.length);
      return;
    }
  }
}

function stretchCountOf(columns: BlockColumns, section: CheckedSection): number {
  return Math.ceil((blockStartsOf(columns, section).length - 1) / STRETCH_BLOCKS);
}

function checkStretch(job: BlockJob, stretch: number): void {
  const detailStretches = stretchCountOf(job.columns, 'details');
  const section = stretch < detailStretches ? 'details' : 'bodies';
  const first = (section === 'details' ? stretch : stretch - detailStretches) * STRETCH_BLOCKS;
  const last = Math.min(first + STRETCH_BLOCKS, blockStartsOf(job.columns, section).length - 1);
  let inflatedBytes = 0;
  for (let block = first; block < last; block++) {
    inflatedBytes += checkBlock(job, section, block);
    requireWithinBudget(job, inflatedBytes, section, block);
  }
  // Two threads may check the same stretch; one of them counts it.
  if (Atomics.compareExchange(job.isSound, stretch, 0, 1) !== 0) return;
  Atomics.add(job.inflatedKib, 0, Math.ceil(inflatedBytes / KIB));
}

/** A block inflates to up to a thousand times its size, and so could a whole file. */
function requireWithinBudget(
  { columns, inflatedKib, maxInflatedBytes }: BlockJob,
  ownBytes: number,
  section: CheckedSection,
  block: number,
): void {
  const inflatedBytes = Atomics.load(inflatedKib, 0) * KIB + ownBytes;
  if (inflatedBytes <= maxInflatedBytes) return;
  const expected = `blocks that make at most ${maxInflatedBytes} bytes together`;
  throw badRecord(section, blockStartsOf(columns, section)[block], expected, 'blocks that make more');
}

/** Returns the size of the block, inflated. */
function checkBlock(job: BlockJob, section: CheckedSection, block: number): number {
  const { columns, packed, rowCounts, titleCounts } = job;
  return walkBlock(columns, packed, section, block, rowCounts[section], (cursor, row) => {
    if (section === 'details') titleCounts[row] = stepOverDetailRecord(cursor);
    else cursor.string();
  });
}

/** Whether this is the server's loader after its first load, which leaves the other cores to the workers. */
function hasLowPriority(): boolean {
  try {
    return getPriority() > 0; // on Linux, of this thread only
  } catch {
    return false; // a system call filter may refuse this
  }
}

/**
 * The thread ends on its own. It cannot start when running from sources, or when the process is at its thread
 * limit.
 */
function startHelper(job: BlockJob): void {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  try {
    const url = new URL(`./block-check-thread.${extension}`, import.meta.url);
    const helper = new Worker(url, { workerData: job, resourceLimits: HELPER_LIMITS });
    helper.on('error', () => {}); // `finish` does what the helper has not
    helper.unref();
  } catch {
    // `finish` does it all
  }
}
