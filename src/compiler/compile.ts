// Advisories to a snapshot, in two passes, so that no advisory's text stays in memory. The first packs each advisory
// into its rows and facts (packed-advisory.ts) and writes those to scratch files. The second reads them in the
// snapshot's order: facts fill the columns, rows become blocks. In between, a few rows become the dictionaries for
// deflating. The result depends only on the set of advisories, not on the order they came in.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { RowReader, RowSpill, type StoredRows } from '../files/spill.ts';
import {
  BODY_BLOCK_BODIES,
  DETAIL_BLOCK_ADVISORIES,
  type IndexColumns,
  TEXT_BLOCK_ADVISORIES,
} from '../index/columns.ts';
import { GrowableF64, GrowableU8 } from '../index/memory/growable.ts';
import type { Advisory } from './advisory.ts';
import { BlockWriter } from './blocks.ts';
import { ColumnLayout } from './column-layout.ts';
import { BlockDeflater, type SectionRows } from './deflate-blocks.ts';
import { sampleRows } from './dictionary.ts';
import type { FixCounts } from './effective-fixes.ts';
import { packIndex } from './index-section.ts';
import { type PackedAdvisory, packAdvisory, unpackFacts } from './packed-advisory.ts';
import type { SnapshotWriter, WrittenSnapshot } from './writer.ts';

const ADVISORIES_PER_TURN = 1024; // about ten milliseconds
const DETAILS = 0;
const BODIES = 1;

export interface CompiledSnapshot extends WrittenSnapshot {
  readonly fixes: Readonly<FixCounts>;
}

/** Work in turns; what it yields is to be awaited before the next one. */
type Turns<Result> = Generator<Promise<unknown> | undefined, Result>;

interface FilledColumns {
  readonly columns: IndexColumns;
  readonly fixes: Readonly<FixCounts>;
}

export class SnapshotCompiler {
  readonly #folder: string;
  readonly #ids = new GrowableF64();
  readonly #runs = new GrowableU8();
  readonly #facts: RowSpill;
  readonly #texts: RowSpill;
  readonly #details: RowSpill;
  readonly #bodies: RowSpill;

  /** Scratch files go to `folder`. */
  constructor(folder: string) {
    this.#folder = folder;
    this.#facts = new RowSpill(folder);
    this.#texts = new RowSpill(folder);
    this.#details = new RowSpill(folder);
    this.#bodies = new RowSpill(folder);
  }

  get count(): number {
    return this.#ids.length;
  }

  /** Adds one advisory. Requires: ids and PSIDs unique, spans checked. */
  add(advisory: Advisory): void {
    this.addPacked(packAdvisory(advisory));
  }

  /** The same for an advisory that is already packed. */
  addPacked({ id, run, facts, text, detail, body }: PackedAdvisory): void {
    this.#ids.push(id);
    this.#runs.push(run);
    this.#facts.append(facts);
    this.#texts.append(text);
    this.#details.append(detail);
    this.#bodies.append(body);
  }

  /**
   * Writes and publishes the snapshot. `onProgress` gets the number of advisories done. Requires: at least one
   * advisory; called once.
   */
  write(
    writer: SnapshotWriter,
    builtAtMs: number,
    nameOf: (id: string) => string,
    onProgress: (done: number) => void = () => {},
  ): CompiledSnapshot {
    const turns = this.#turns(writer, builtAtMs, nameOf, onProgress, false);
    for (;;) {
      const turn = turns.next();
      if (turn.done) return turn.value;
    }
  }

  /** Like `write`, but with helper threads, and yielding to the event loop now and then, so that signals are handled. */
  async writeInTurns(
    writer: SnapshotWriter,
    builtAtMs: number,
    nameOf: (id: string) => string,
    onProgress: (done: number) => void,
  ): Promise<CompiledSnapshot> {
    const turns = this.#turns(writer, builtAtMs, nameOf, onProgress, true);
    for (;;) {
      const turn = turns.next();
      if (turn.done) return turn.value;
      await (turn.value ?? nextTurn());
    }
  }

  *#turns(
    writer: SnapshotWriter,
    builtAtMs: number,
    nameOf: (id: string) => string,
    onProgress: (done: number) => void,
    isHelped: boolean,
  ): Turns<CompiledSnapshot> {
    const progress = new Progress(this.count, onProgress);
    const { columns, fixes } = yield* this.#writeSections(writer, progress, isHelped);
    // By now only the columns are still needed: packing them takes as much memory again.
    writer.append(packIndex(columns));
    writer.endSection('index');
    progress.reach(1);
    return { ...writer.publish(builtAtMs, nameOf), fixes };
  }

  /** Writes the sections before the index, and fills its columns meanwhile. */
  *#writeSections(writer: SnapshotWriter, progress: Progress, isHelped: boolean): Turns<FilledColumns> {
    const order = this.#order();
    const details = this.#sectionOf(this.#details.finish(), order, DETAIL_BLOCK_ADVISORIES);
    const bodyRows = this.#bodies.finish();
    const withBody = order.filter((record) => bodyRows.starts[record + 1] > bodyRows.starts[record]);
    const bodies = this.#sectionOf(bodyRows, shared(withBody), BODY_BLOCK_BODIES);
    const deflater = new BlockDeflater(this.#folder, [details, bodies], isHelped);
    try {
      const texts = new BlockWriter(writer, TEXT_BLOCK_ADVISORIES);
      const layout = new ColumnLayout();
      for (const done of this.#fill(order, layout, texts)) {
        progress.reach((done / order.length + deflater.progress) / 2);
        yield;
      }
      const textBlockStart = texts.finish();
      writer.endSection('texts');
      const filled = layout.finish();
      for (const turn of deflater.finish()) {
        progress.reach((1 + deflater.progress) / 2);
        yield turn;
      }
      const detailBlockStart = deflater.copySection(DETAILS, writer);
      writer.endSection('details');
      const bodyBlockStart = deflater.copySection(BODIES, writer);
      writer.endSection('bodies');
      const dictionaries = { detailDictionary: details.dictionary, bodyDictionary: bodies.dictionary };
      const columns = { ...filled, textBlockStart, detailBlockStart, bodyBlockStart, ...dictionaries };
      return { columns, fixes: layout.fixes };
    } finally {
      yield deflater.ended();
      deflater.close();
    }
  }

  /** Fills columns and texts; yields the number of advisories done now and then. */
  *#fill(order: Uint32Array, layout: ColumnLayout, texts: BlockWriter): Generator<number, void> {
    const factReader = new RowReader(this.#facts.finish());
    const textReader = new RowReader(this.#texts.finish());
    for (let ordinal = 0; ordinal < order.length; ordinal++) {
      if (ordinal % ADVISORIES_PER_TURN === 0) yield ordinal;
      layout.add(ordinal, unpackFacts(factReader.row(order[ordinal])));
      texts.add(textReader.row(order[ordinal]));
    }
  }

  /** Releases the scratch files. */
  close(): void {
    for (const spill of [this.#facts, this.#texts, this.#details, this.#bodies]) spill.close();
  }

  /** Records in the snapshot's order: by run, then by descending id. */
  #order(): Uint32Array {
    const ids = this.#ids.view();
    const runs = this.#runs.view();
    const order = Uint32Array.from(runs, (_, record) => record);
    return shared(order.sort((a, b) => runs[a] - runs[b] || ids[b] - ids[a]));
  }

  #sectionOf(rows: StoredRows, order: Uint32Array, rowsPerBlock: number): SectionRows {
    const reader = new RowReader(rows);
    const dictionary = sampleRows(order.length, rowsPerBlock, (index) => reader.row(order[index]));
    return { rows, order, rowsPerBlock, dictionary };
  }
}

function shared(numbers: Uint32Array): Uint32Array {
  const copy = new Uint32Array(new SharedArrayBuffer(numbers.byteLength));
  copy.set(numbers);
  return copy;
}

/** Turns a share of the work done into the number of advisories done, each number once. */
class Progress {
  readonly #total: number;
  readonly #onProgress: (done: number) => void;
  #done = 0;

  constructor(total: number, onProgress: (done: number) => void) {
    this.#total = total;
    this.#onProgress = onProgress;
  }

  reach(share: number): void {
    const done = Math.floor(share * this.#total);
    while (this.#done < done) this.#onProgress(++this.#done);
  }
}
