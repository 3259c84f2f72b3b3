// Advisories to a snapshot, in two passes, so that no advisory's text stays in memory. The first packs each
// advisory into its rows and facts (packed-advisory.ts) and writes those to scratch files. The second reads
// them in the snapshot's order: facts fill the columns, rows become blocks. In between, a few rows become the
// dictionaries for deflating. The result depends only on the set of advisories, not on the order they came
// in.

import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { RowReader, RowSpill, type StoredRows } from '../files/spill.ts';
import {
  BLOCK_SECTION_NAMES,
  BLOCK_SECTIONS,
  type BlockColumn,
  type BlockSection,
  type IndexColumns,
  NONE,
} from '../index/columns.ts';
import { GrowableF64, GrowableU8, GrowableU32 } from '../index/memory/growable.ts';
import type { Advisory } from './advisory.ts';
import { ColumnLayout, type FilledColumns } from './column-layout.ts';
import { BlockDeflater } from './deflate-blocks.ts';
import { sampleRows } from './dictionary.ts';
import type { FixCounts } from './effective-fixes.ts';
import { collectGarbage } from './garbage.ts';
import { packIndex } from './index-section.ts';
import { measureItems } from './item-bytes.ts';
import { type Origins, type PackedAdvisory, packAdvisory, unpackFacts } from './packed-advisory.ts';
import { PreviousAdvisories, type PreviousSnapshot, shared } from './previous.ts';
import { type KeptRows, SectionReader, type SectionRows } from './section-rows.ts';
import { sortByWords, wordOfNumber } from './sort-by-words.ts';
import type { SnapshotWriter, WrittenSnapshot } from './writer.ts';

/** Fewer advisories leave less behind than a collection between two stages costs. */
const COLLECTED_FROM = 10_000;

const ADVISORIES_PER_TURN = 1024; // about ten milliseconds
/** From this share on, the dictionaries of the previous snapshot are kept too. */
const KEPT_SHARE = 0.75;
const NO_BYTES = new Uint8Array(0);

export interface CompiledSnapshot extends WrittenSnapshot {
  readonly fixes: Readonly<FixCounts>;
}

/** Work in turns; what it yields is to be awaited before the next one. */
type Turns<Result> = Generator<Promise<unknown> | undefined, Result>;

interface CompiledColumns {
  readonly columns: IndexColumns;
  readonly origins: Origins;
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
  readonly #previous: PreviousAdvisories | undefined;
  /** By record: its ordinal in the previous snapshot, or NONE if it is not kept from there. */
  readonly #keptOrdinals = new GrowableU32();
  #keptCount = 0;

  /** Scratch files go to `folder`. Advisories can be kept from `previous`. */
  constructor(folder: string, previous?: PreviousSnapshot) {
    this.#folder = folder;
    this.#previous = previous === undefined ? undefined : new PreviousAdvisories(previous);
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

  /** Adds an advisory that is already packed. Requires: as for `add`. */
  addPacked({ id, run, facts, text, detail, body }: PackedAdvisory): void {
    this.#ids.push(id);
    this.#runs.push(run);
    this.#keptOrdinals.push(NONE);
    this.#facts.append(facts);
    this.#texts.append(text);
    this.#details.append(detail);
    this.#bodies.append(body);
  }

  /**
   * Adds an advisory of the previous snapshot; returns its run. Requires: it has an origin there; once for
   * each.
   */
  addKept(ordinal: number): number {
    const previous = this.#previous;
    assert(previous !== undefined, 'there is no previous snapshot to keep an advisory from');
    this.#ids.push(previous.idOf(ordinal));
    const run = previous.runOf(ordinal);
    this.#runs.push(run);
    this.#keptOrdinals.push(ordinal);
    this.#keptCount++;
    for (const spill of [this.#facts, this.#texts, this.#details, this.#bodies]) spill.append(NO_BYTES);
    return run;
  }

  /** `write`, yielding to the event loop now and then, so that signals are handled. */
  async writeInTurns(
    writer: SnapshotWriter,
    builtAtMs: number,
    nameOf: (id: string) => string,
    onProgress: (done: number) => void,
  ): Promise<CompiledSnapshot> {
    const turns = this.write(writer, builtAtMs, nameOf, onProgress);
    for (;;) {
      const turn = turns.next();
      if (turn.done) return turn.value;
      await (turn.value ?? nextTurn());
    }
  }

  /**
   * Writes and publishes the snapshot. `onProgress` gets the number of advisories done. Requires: at least
   * one advisory; called once; what it yields is awaited.
   */
  *write(
    writer: SnapshotWriter,
    builtAtMs: number,
    nameOf: (id: string) => string,
    onProgress: (done: number) => void = () => {},
  ): Turns<CompiledSnapshot> {
    this.#collectGarbage(); // of whoever made the advisories
    const progress = new Progress(this.count, onProgress);
    const { columns, origins, fixes } = yield* this.#writeSections(writer, builtAtMs, progress);
    this.close(); // only the columns are still needed: packing them takes as much memory again
    this.#collectGarbage();
    writer.append(packIndex(columns));
    writer.endSection('index');
    for (const half of [origins.high, origins.low]) writer.append(new Uint8Array(half.buffer));
    writer.endSection('origins');
    progress.reach(1);
    return { ...writer.publish(builtAtMs, nameOf), fixes };
  }

  /** Writes the sections before the index, and fills its columns meanwhile. */
  *#writeSections(writer: SnapshotWriter, builtAtMs: number, progress: Progress): Turns<CompiledColumns> {
    const order = this.#order();
    const sections = this.#sectionRows(order);
    const deflater = new BlockDeflater(
      this.#folder,
      BLOCK_SECTION_NAMES.map((name) => sections[name]),
    );
    try {
      const blockStarts: Float64Array[] = [];
      /** Writes the next sections, if all their blocks are deflated. */
      const writeDeflated = (): void => {
        for (let section = blockStarts.length; section < BLOCK_SECTION_NAMES.length; section++) {
          if (!deflater.hasDeflated(section)) return;
          blockStarts.push(deflater.copySection(section, writer));
          writer.endSection(BLOCK_SECTION_NAMES[section]);
        }
      };
      const onDone = (share: number): void => {
        writeDeflated();
        progress.reach((share + deflater.progress) / 2);
      };
      const {
        columns: filled,
        origins,
        fixes,
      } = yield* this.#fillColumns(builtAtMs, order, (done) => onDone(done / order.length / 2));
      this.#collectGarbage();
      const texts = new SectionReader(sections.texts);
      const measuring = measureItems(
        filled,
        (ordinal) => texts.row(order[ordinal]),
        (ordinal) => this.#keptItemBytes(order[ordinal]),
      );
      let measured = measuring.next();
      for (; !measured.done; measured = measuring.next()) {
        onDone((1 + measured.value / order.length) / 2);
        yield;
      }
      for (const turn of deflater.finish()) {
        onDone(1);
        yield turn;
      }
      writeDeflated();
      const blockColumns = BLOCK_SECTION_NAMES.flatMap((name, section) => [
        [BLOCK_SECTIONS[name].starts, blockStarts[section]],
        [BLOCK_SECTIONS[name].dictionary, sections[name].dictionary],
      ]);
      const columns = {
        ...filled,
        advisoryItemBytes: measured.value,
        ...(Object.fromEntries(blockColumns) as Pick<IndexColumns, BlockColumn>), // both of each section
      };
      return { columns, origins, fixes };
    } finally {
      yield deflater.ended();
      deflater.close();
    }
  }

  /** What the sections that hold blocks are made of. */
  #sectionRows(order: Uint32Array): Readonly<Record<BlockSection, SectionRows>> {
    const keptOrdinals = this.#keptOrdinals.view();
    const kept = this.#keptCount === 0 ? undefined : this.#previous?.keptRows(keptOrdinals);
    const bodyRows = this.#bodies.finish();
    const hasBody = (record: number): boolean =>
      kept !== undefined && keptOrdinals[record] !== NONE
        ? kept.bodies.rowOf[record] !== NONE
        : bodyRows.starts[record + 1] > bodyRows.starts[record];
    const section = (name: BlockSection, rows: StoredRows, rowOrder: Uint32Array): SectionRows =>
      this.#sectionOf(rows, rowOrder, BLOCK_SECTIONS[name].rowsPerBlock, kept?.[name]);
    return {
      texts: section('texts', this.#texts.finish(), order),
      details: section('details', this.#details.finish(), order),
      bodies: section('bodies', bodyRows, shared(order.filter(hasBody))),
    };
  }

  /** Apart from the rest, so that what columns are made of is released when they are filled. */
  *#fillColumns(
    builtAtMs: number,
    order: Uint32Array,
    onDone: (done: number) => void,
  ): Turns<Omit<CompiledColumns, 'columns'> & { readonly columns: FilledColumns }> {
    const layout = new ColumnLayout(order.length, Math.floor(builtAtMs / 1000));
    const reader = new RowReader(this.#facts.finish());
    const previous = this.#previous;
    const keptOrdinals = this.#keptOrdinals.view();
    for (let ordinal = 0; ordinal < order.length; ordinal++) {
      if (ordinal % ADVISORIES_PER_TURN === 0) {
        onDone(ordinal);
        yield;
      }
      const record = order[ordinal];
      const kept = keptOrdinals[record];
      if (previous !== undefined && kept !== NONE) layout.addKept(ordinal, previous, kept);
      else layout.add(ordinal, unpackFacts(reader.row(record)));
    }
    this.#collectGarbage();
    return { ...layout.finish(), fixes: layout.fixes };
  }

  /** What an item takes in the previous snapshot, of which a kept advisory has all facts. */
  #keptItemBytes(record: number): number | undefined {
    const kept = this.#keptOrdinals.at(record);
    return kept === NONE ? undefined : this.#previous?.columns.advisoryItemBytes[kept];
  }

  /** Between two stages. */
  #collectGarbage(): void {
    if (this.count >= COLLECTED_FROM) collectGarbage();
  }

  /** Releases the scratch files. */
  close(): void {
    for (const spill of [this.#facts, this.#texts, this.#details, this.#bodies]) spill.close();
  }

  /** Records in the snapshot's order: by run, then by descending id. */
  #order(): Uint32Array {
    const ids = this.#ids.view();
    const runs = this.#runs.view();
    // The run's number is above the 21 high bits of how far the id is below the greatest.
    const wordAt = (record: number, round: number): number => {
      const word = wordOfNumber(Number.MAX_SAFE_INTEGER - ids[record], round);
      return round === 0 ? runs[record] * 2 ** 21 + word : word;
    };
    return shared(sortByWords(0, ids.length, wordAt, (a, b) => runs[a] - runs[b] || ids[b] - ids[a]));
  }

  #sectionOf(
    rows: StoredRows,
    order: Uint32Array,
    rowsPerBlock: number,
    kept: KeptRows | undefined,
  ): SectionRows {
    // Under another dictionary no block could be kept. After many changes the old one no longer suits the
    // rows.
    if (kept !== undefined && this.#keptCount >= KEPT_SHARE * this.count) {
      return { rows, order, rowsPerBlock, dictionary: kept.dictionary, kept };
    }
    const reader = new SectionReader({ rows, rowsPerBlock, kept });
    const dictionary = sampleRows(order.length, rowsPerBlock, (index) => reader.row(order[index]));
    return { rows, order, rowsPerBlock, dictionary, kept };
  }
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
