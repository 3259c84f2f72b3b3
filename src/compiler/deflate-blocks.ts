// Deflates blocks, which is about half the work of a compilation. The rows are in
// scratch files that every thread can read, and their order is known, so helper threads take stretches of
// blocks while the columns are filled, and the compiling thread takes what is left. A block depends on its
// rows and the dictionary alone: it does not matter which thread made it, or whether a helper ever started.

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { deflateRawSync } from 'node:zlib';
import { readAt, Spill, writeAt } from '../files/spill.ts';
import { Block, type ByteSink } from './blocks.ts';
import { findKeptBlock, SectionReader, type SectionRows } from './section-rows.ts';

/** Half the work of zlib's default, 6, for 4 % more bytes: docs/decisions/0023. */
const LEVEL = 4;
/** Blocks taken at a time: about ten milliseconds of work. */
const STRETCH_BLOCKS = 64;
/** With fewer blocks a helper thread would start too late to be useful. */
const HELPED_BLOCKS = 2_000;
const MAX_HELPERS = 3;
/** V8's default is several times this, and held while the thread lives. */
const HELPER_LIMITS = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 256 };
const COPY_BYTES = 1 << 20;

/**
 * What the threads share. An owner is a thread with a scratch file for its blocks; the compiling thread is
 * the first.
 */
export interface DeflateJob {
  readonly sections: readonly SectionRows[];
  /** By owner. */
  readonly outputs: readonly number[];
  /** The next stretch to take: sections one after another. */
  readonly next: Int32Array;
  /** By stretch: 0 until done, then the owner's number plus one. */
  readonly doneBy: Int32Array;
  /** By stretch: where it begins in the owner's output. */
  readonly offsets: Float64Array;
  /** By section and block. */
  readonly blockBytes: readonly Uint32Array[];
}

export class BlockDeflater {
  readonly #outputs: readonly Spill[];
  readonly #job: DeflateJob;
  readonly #helpers: readonly Promise<void>[];
  readonly #worker: StretchWorker;

  /**
   * Scratch files go to `folder`. From `helpedBlocks` blocks on, helper threads start. Requires: `ended` is
   * awaited before this and the rows' files are closed.
   */
  constructor(folder: string, sections: readonly SectionRows[], helpedBlocks = HELPED_BLOCKS) {
    const blockCount = sections.reduce((sum, section) => sum + blockCountOf(section), 0);
    const stretchCount = sections.reduce((sum, section) => sum + stretchCountOf(section), 0);
    const helperCount = blockCount >= helpedBlocks ? Math.min(MAX_HELPERS, availableParallelism() - 1) : 0;
    this.#outputs = Array.from({ length: helperCount + 1 }, () => new Spill(folder));
    this.#job = {
      sections,
      outputs: this.#outputs.map(({ fd }) => fd),
      next: new Int32Array(new SharedArrayBuffer(4)),
      doneBy: new Int32Array(new SharedArrayBuffer(stretchCount * 4)),
      offsets: new Float64Array(new SharedArrayBuffer(stretchCount * 8)),
      blockBytes: sections.map(
        (section) => new Uint32Array(new SharedArrayBuffer(blockCountOf(section) * 4)),
      ),
    };
    this.#worker = new StretchWorker(this.#job, 0);
    this.#helpers = Array.from({ length: helperCount }, (_, i) => runHelper(this.#job, i + 1));
  }

  /** The share of the work that is done, from 0 to 1. */
  get progress(): number {
    const { doneBy, next } = this.#job;
    return doneBy.length === 0 ? 1 : Math.min(1, Atomics.load(next, 0) / doneBy.length);
  }

  /** Does what is not done; yields now and then, once a promise to wait for. */
  *finish(): Generator<Promise<unknown> | undefined, void> {
    while (this.#worker.takeStretch()) yield;
    yield this.ended();
    const { doneBy } = this.#job;
    for (let stretch = 0; stretch < doneBy.length; stretch++) {
      // Its helper failed; if this fails too, it says why.
      if (doneBy[stretch] === 0) this.#worker.doStretch(stretch);
    }
  }

  /** Resolves when no helper is running; those that are take no further stretch. */
  async ended(): Promise<void> {
    Atomics.store(this.#job.next, 0, this.#job.doneBy.length);
    await Promise.all(this.#helpers);
  }

  /** Whether every block of a section is deflated. */
  hasDeflated(section: number): boolean {
    const { sections, doneBy } = this.#job;
    const first = this.#firstStretch(section);
    const last = first + stretchCountOf(sections[section]);
    for (let stretch = first; stretch < last; stretch++) {
      if (Atomics.load(doneBy, stretch) === 0) return false;
    }
    return true;
  }

  #firstStretch(section: number): number {
    return this.#job.sections.slice(0, section).reduce((sum, before) => sum + stretchCountOf(before), 0);
  }

  /** Appends a section's blocks to the sink; returns where they begin. Requires: all are deflated. */
  copySection(section: number, sink: ByteSink): Float64Array {
    const { outputs, doneBy, offsets, blockBytes } = this.#job;
    const lengths = blockBytes[section];
    const starts = new Float64Array(lengths.length + 1);
    lengths.forEach((length, block) => {
      starts[block + 1] = starts[block] + length;
    });
    const chunk = Buffer.allocUnsafe(COPY_BYTES);
    const firstStretch = this.#firstStretch(section);
    for (let first = 0; first < lengths.length; first += STRETCH_BLOCKS) {
      const stretch = firstStretch + first / STRETCH_BLOCKS;
      const fd = outputs[doneBy[stretch] - 1];
      const bytes = lengths.subarray(first, first + STRETCH_BLOCKS).reduce((sum, length) => sum + length, 0);
      for (let at = 0; at < bytes; at += COPY_BYTES) {
        const part = chunk.subarray(0, Math.min(COPY_BYTES, bytes - at));
        readAt(fd, part, offsets[stretch] + at);
        sink.append(part);
      }
    }
    return starts;
  }

  /** Releases the scratch files. Requires: no helper is running. */
  close(): void {
    for (const output of this.#outputs) output.close();
  }
}

/** One thread's part in a job. */
export class StretchWorker {
  readonly #job: DeflateJob;
  readonly #owner: number;
  readonly #readers: readonly SectionReader[];
  readonly #block = new Block();
  #outputBytes = 0;

  constructor(job: DeflateJob, owner: number) {
    this.#job = job;
    this.#owner = owner;
    this.#readers = job.sections.map((section) => new SectionReader(section));
  }

  /** Takes a stretch and does it; false if none is left. */
  takeStretch(): boolean {
    const { next, doneBy } = this.#job;
    const stretch = Atomics.add(next, 0, 1);
    if (stretch >= doneBy.length) return false;
    this.doStretch(stretch);
    return true;
  }

  doStretch(stretch: number): void {
    const { sections, outputs, doneBy, offsets, blockBytes } = this.#job;
    let number = 0;
    let within = stretch;
    while (within >= stretchCountOf(sections[number])) within -= stretchCountOf(sections[number++]);
    const section = sections[number];
    const first = within * STRETCH_BLOCKS;
    const last = Math.min(first + STRETCH_BLOCKS, blockCountOf(section));
    const deflated: Uint8Array[] = [];
    for (let block = first; block < last; block++) {
      const bytes = this.#deflate(section, this.#readers[number], block);
      deflated.push(bytes);
      blockBytes[number][block] = bytes.length;
    }
    const bytes = Buffer.concat(deflated);
    writeAt(outputs[this.#owner], bytes, this.#outputBytes);
    offsets[stretch] = this.#outputBytes;
    this.#outputBytes += bytes.length;
    Atomics.store(doneBy, stretch, this.#owner + 1);
  }

  #deflate(section: SectionRows, reader: SectionReader, block: number): Uint8Array {
    const { order, rowsPerBlock, dictionary } = section;
    const first = block * rowsPerBlock;
    const last = Math.min(first + rowsPerBlock, order.length);
    const kept = findKeptBlock(section, first, last);
    if (kept !== undefined) return kept;
    for (let at = first; at < last; at++) this.#block.add(reader.row(order[at]));
    return deflateRawSync(this.#block.take(), { dictionary, level: LEVEL });
  }
}

function blockCountOf({ order, rowsPerBlock }: SectionRows): number {
  return Math.ceil(order.length / rowsPerBlock);
}

function stretchCountOf(section: SectionRows): number {
  return Math.ceil(blockCountOf(section) / STRETCH_BLOCKS);
}

/** Resolves when the thread has ended, for whatever reason. It cannot start when running from sources. */
function runHelper(job: DeflateJob, owner: number): Promise<void> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const url = new URL(`./deflate-thread.${extension}`, import.meta.url);
  return new Promise((resolve) => {
    try {
      const helper = new Worker(url, { workerData: { job, owner }, resourceLimits: HELPER_LIMITS });
      helper.on('error', () => {}); // `finish` does what the helper has not
      helper.on('exit', () => resolve());
    } catch {
      resolve(); // the process is at its thread limit
    }
  });
}
