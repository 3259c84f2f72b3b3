// What a thread remembers of bodies that are posted again byte for byte, as a build posts the same lockfile
// every time: the whole answer. It is of the live generation and forgotten at a swap. A table of fixed size
// with one place for each body, as path-notes.ts has for paths, and a bound on the bytes in it. So nobody can
// make it grow, and who sends bodies that collide only gets the speed of a body that never came before.

import { randomInt } from 'node:crypto';
import type { CountedLookup, Generation } from '../../index/generation.ts';
import type { Answer } from '../replies/responses.ts';
import type { BodyRoute, PathParts } from '../routing/dialect.ts';
import type { ContentCoding } from './content-coding.ts';

/** All that an answer depends on, beside the generation. */
export interface AskedBody {
  readonly route: BodyRoute;
  readonly parts: PathParts;
  readonly query: string;
  readonly coding: ContentCoding;
  /** As sent. */
  readonly body: Uint8Array;
}

export interface KeptAnswer {
  readonly answer: Extract<Answer, { readonly kind: 'json' }>;
  /** What the body cost: its bytes without the coding, and its items. */
  readonly bodyBytes: number;
  readonly itemCount: number;
  /** What was looked up, as often as it was: the canary must see those who ask the same every day. */
  readonly lookups: readonly CountedLookup[];
}

/** A body that came before. */
interface BodyNote {
  readonly hash: number;
  readonly asked: AskedBody;
  /** Undefined until it is kept. */
  readonly kept: KeptAnswer | undefined;
}

interface KeptNote extends BodyNote {
  readonly kept: KeptAnswer;
}

/** A power of two. */
const PLACES = 4096;
/** Of bodies and what is kept with them: some 100 KB for a lockfile of 1,500 packages. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_NOTE_BYTES = MAX_BYTES / 4;
/** A longer body is not hashed either: this takes a quarter of a millisecond. */
const MAX_BODY_BYTES = 512 * 1024;
/** A pair and a short text. */
const LOOKUP_BYTES = 64;
const WORD_BYTES = Int32Array.BYTES_PER_ELEMENT;

export class BodyNotes {
  /** Nobody else can tell which bodies share a place. */
  readonly #seed = randomInt(2 ** 32) | 0;
  /** The hashes of bodies that came: only a second time is worth a copy. */
  readonly #seen = new Int32Array(PLACES);
  readonly #notes = new Array<KeptNote | undefined>(PLACES).fill(undefined);
  #snapshotId = '';
  #bytes = 0;
  /** The place that is emptied next when there are too many bytes. */
  #hand = 0;

  /** The note of a body that came before; undefined for any other. Requires: the live generation. */
  find({ id }: Pick<Generation, 'id'>, asked: AskedBody): BodyNote | undefined {
    if (asked.body.length > MAX_BODY_BYTES) return undefined;
    if (id !== this.#snapshotId) this.#begin(id);
    const hash = hashOf(asked.body, this.#seed);
    const place = hash & (PLACES - 1);
    const note = this.#notes[place];
    if (note !== undefined && note.hash === hash && isSame(note.asked, asked)) return note;
    if (this.#seen[place] === hash) return { hash, asked, kept: undefined };
    this.#seen[place] = hash;
    return undefined;
  }

  /** Keeps a copy. Requires: a note that `find` returned for this generation, and the answer from it. */
  keep({ id }: Pick<Generation, 'id'>, { hash, asked }: BodyNote, kept: KeptAnswer): void {
    const bytes = bytesOf(asked, kept);
    if (id !== this.#snapshotId || bytes > MAX_NOTE_BYTES) return;
    const { route, parts, query, coding } = asked; // nothing else that may hang on it
    const { answer } = kept;
    const body = typeof answer.body === 'string' ? answer.body : new Uint8Array(answer.body);
    const place = hash & (PLACES - 1);
    this.#empty(place);
    this.#notes[place] = {
      hash,
      asked: { route, parts, query, coding, body: new Uint8Array(asked.body) },
      kept: { ...kept, answer: { ...answer, body } },
    };
    this.#bytes += bytes;
    while (this.#bytes > MAX_BYTES) {
      this.#hand = (this.#hand + 1) & (PLACES - 1);
      this.#empty(this.#hand);
    }
  }

  #begin(snapshotId: string): void {
    this.#snapshotId = snapshotId;
    this.#notes.fill(undefined);
    this.#bytes = 0;
  }

  #empty(place: number): void {
    const note = this.#notes[place];
    if (note === undefined) return;
    this.#bytes -= bytesOf(note.asked, note.kept);
    this.#notes[place] = undefined;
  }
}

function bytesOf({ body }: AskedBody, { answer, lookups }: KeptAnswer): number {
  return body.length + answer.body.length + lookups.length * LOOKUP_BYTES;
}

function isSame(a: AskedBody, b: AskedBody): boolean {
  return (
    a.route === b.route &&
    a.parts.join('\n') === b.parts.join('\n') &&
    a.query === b.query &&
    a.coding === b.coding &&
    a.body.length === b.body.length &&
    Buffer.compare(a.body, b.body) === 0
  );
}

/** FNV-1a by words, and the bytes that are left. */
function hashOf(body: Uint8Array, seed: number): number {
  const { buffer, byteOffset, length } = body.byteOffset % WORD_BYTES === 0 ? body : new Uint8Array(body);
  const words = new Int32Array(buffer, byteOffset, Math.floor(length / WORD_BYTES));
  let hash = seed ^ length;
  for (let i = 0; i < words.length; i++) {
    hash = Math.imul(hash ^ words[i], 0x01000193);
    hash ^= hash >>> 15;
  }
  for (let i = words.length * WORD_BYTES; i < length; i++) hash = Math.imul(hash ^ body[i], 0x01000193);
  return hash ^ (hash >>> 15);
}
