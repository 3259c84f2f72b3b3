// Which advisories are one record. A source publishes one record for all products that it affects, and here
// it is one again: its members are the advisories with one source id, and those of which it is a further
// record (twins.ts). A record is a number, its head: the first advisory with its id as source id, or where no
// advisory has that, a number above all ordinals. What was found out about an advisory's record is kept: a
// batch asks for thousands.

import { numberOf } from '../../index/columns.ts';
import type { Generation, GenerationParts } from '../../index/generation.ts';
import { findAlias, formatPsid, writePsid } from '../../index/lookup/alias-table.ts';
import { copySourceId, MOST_ADDED_BYTES } from '../../index/lookup/source-id.ts';
import type { ByteWriter } from '../../index/memory/byte-writer.ts';
import { type Twin, twinsIn } from './twins.ts';

export const MAX_ID_CHARS = 100;

/** By byte: 1 if it may be in an id, which is also the name of a file. */
const IS_ID_BYTE = new Uint8Array(256);
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.:+') {
  IS_ID_BYTE[char.charCodeAt(0)] = 1;
}
const DOT = 0x2e;
const OWN_PREFIX = 'PSID-';
const OWN_START = Buffer.from(`"${OWN_PREFIX}`);
const QUOTE = Buffer.from('"');
const NONE: readonly number[] = [];

/** The records of one generation, found out as they are asked for. */
export class Records {
  readonly #generation: Generation;
  // In all three 0 means "not known yet", so that none is filled: the system gives memory to what is written
  // to, and the first request after a swap does not wait for 16 bytes an advisory.
  /** By ordinal: the head of its record, plus 1. */
  readonly #heads: Uint32Array;
  /** By head: epoch seconds, plus 1. */
  readonly #modified: Float64Array;
  /** By head: the last turn in which `isNew` saw it. */
  readonly #turns: Uint32Array;
  #turn = 0;
  /** Of the record that is being written: with room for one that is too long to be asked for. */
  readonly #id = new Uint8Array(MAX_ID_CHARS + MOST_ADDED_BYTES);
  /** By head: the advisories of which the record is a further one. */
  readonly #twins = new Map<number, Twin>();
  /** By ordinal: the heads of its further records. */
  readonly #furtherOf = new Map<number, number[]>();

  constructor(generation: Generation) {
    this.#generation = generation;
    this.#heads = new Uint32Array(generation.advisoryCount);
    let count = generation.advisoryCount;
    for (const twin of twinsIn(generation)) {
      const own = ownerOf(generation, twin);
      const head = own === undefined ? count++ : this.headOf(own);
      this.#twins.set(head, twin);
      for (const ordinal of twin.ordinals) {
        const known = this.#furtherOf.get(ordinal);
        if (known === undefined) this.#furtherOf.set(ordinal, [head]);
        else known.push(head);
      }
    }
    this.#modified = new Float64Array(count);
    this.#turns = new Uint32Array(count);
  }

  /** The heads of the records that an advisory is beside the one of `headOf`. */
  furtherOf(ordinal: number): readonly number[] {
    return this.#furtherOf.get(ordinal) ?? NONE;
  }

  /** Every record of the generation once. Neighbours share a block of details. */
  *all(): Generator<number> {
    for (let ordinal = 0; ordinal < this.#generation.advisoryCount; ordinal++) {
      if (this.headOf(ordinal) === ordinal) yield ordinal;
      for (const head of this.furtherOf(ordinal)) {
        const isOwn = head < this.#generation.advisoryCount;
        if (!isOwn && this.#twins.get(head)?.ordinals[0] === ordinal) yield head;
      }
    }
  }

  headOf(ordinal: number): number {
    if (this.#heads[ordinal] === 0) {
      const siblings = this.#generation.siblingsOf(ordinal);
      for (const sibling of siblings) this.#heads[sibling] = siblings[0] + 1; // published ones come first
    }
    return this.#heads[ordinal] - 1;
  }

  /** The advisories that a record shows: the published ones, or all if none is. */
  membersOf(head: number): readonly number[] {
    const siblings = this.#allOf(head);
    const published = siblings.filter((ordinal) => ordinal < this.#generation.publishedCount);
    return published.length > 0 ? published : siblings;
  }

  /**
   * Epoch seconds: when the source last changed any of it, or if it does not say, when a compilation first
   * met it so.
   */
  modifiedOf(head: number): number {
    if (this.#modified[head] === 0) {
      const { columns } = this.#generation.parts;
      const instants = this.#allOf(head).map((ordinal) =>
        numberOf(columns, columns.advisoryModifiedAt[ordinal]),
      );
      this.#modified[head] = Math.max(...instants) + 1;
    }
    return this.#modified[head] - 1;
  }

  /** Those with its id as source id come first. */
  #allOf(head: number): readonly number[] {
    const siblings = head < this.#generation.advisoryCount ? this.#generation.siblingsOf(head) : NONE;
    const twin = this.#twins.get(head);
    return twin === undefined ? siblings : [...siblings, ...twin.ordinals];
  }

  /** Begins a list in which each record shall be once. */
  beginList(): void {
    this.#turn++;
    if (this.#turn > 0xffff_ffff) {
      this.#turns.fill(0);
      this.#turn = 1;
    }
  }

  /** Whether this is the first call for the record since `beginList`. */
  isNew(head: number): boolean {
    if (this.#turns[head] === this.#turn) return false;
    this.#turns[head] = this.#turn;
    return true;
  }

  /** Appends the id of a record as JSON: its source's, if clients can ask for that. */
  writeId(out: ByteWriter, head: number): void {
    if (head >= this.#generation.advisoryCount) {
      out.text(`"${this.idOf(head)}"`);
      return;
    }
    const length = copySourceId(this.#generation.parts.columns, head, this.#id);
    if (length !== undefined && isId(this.#id, length)) {
      out.piece(QUOTE);
      out.copy(this.#id, 0, length);
    } else {
      out.piece(OWN_START);
      writePsid(out, this.#generation.parts.columns.advisoryPsid[head]);
    }
    out.piece(QUOTE);
  }

  /** The id that `writeId` appends, as text. */
  idOf(head: number): string {
    if (head >= this.#generation.advisoryCount) return this.#twins.get(head)!.id; // numbers there are of twins
    const length = copySourceId(this.#generation.parts.columns, head, this.#id);
    return length !== undefined && isId(this.#id, length)
      ? this.#generation.sourceIdAt(head)
      : this.#ownId(head);
  }

  #ownId(head: number): string {
    return `${OWN_PREFIX}${formatPsid(this.#generation.parts.columns.advisoryPsid[head])}`;
  }
}

/** An advisory that has the id as its source id: of other products, where the versions differ. */
function ownerOf(generation: Generation, { id }: Twin): number | undefined {
  return findAlias(generation.parts.columns, id).find((ordinal) => generation.sourceIdAt(ordinal) === id);
}

function isId(bytes: Uint8Array, length: number): boolean {
  if (length === 0 || length > MAX_ID_CHARS || bytes[0] === DOT) return false;
  for (let i = 0; i < length; i++) if (IS_ID_BYTE[bytes[i]] === 0) return false;
  return true;
}

const known = new WeakMap<GenerationParts, Records>();

/** The records of a generation, for as long as it is used. */
export function recordsOf(generation: Generation): Records {
  let records = known.get(generation.parts);
  if (records === undefined) {
    records = new Records(generation);
    known.set(generation.parts, records);
  }
  return records;
}
