// Reads the JSON bodies of every dialect, with the result of JSON.parse and in steps of a few milliseconds.
// One scan of the bytes comes first: it refuses what would take long to parse, and finds the large
// containers, which are then parsed a piece at a time, because JSON.parse cannot pause.
//
//     {"a":[1,2,...],"b":3,"c":{...}}     `a` and `c` are large: they are entered; what is between them, and the members of each,
//          ^-------^           ^---^      are runs of whole members, which JSON.parse reads in brackets of their own

import type { Steps } from '../work/steps.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export type ReadJson =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'not-json' }
  /** `what` says what a body may have at most. */
  | { readonly kind: 'too-complex'; readonly what: string };

/**
 * Commas, colons, opening brackets and braces outside of strings. Bodies that clients send
 * have one in ten bytes or fewer.
 */
export const MAX_MARKS = 400_000;
export const MAX_LEVELS = 1_000;
/** A container of fewer bytes is never divided: with the dearest members, it takes JSON.parse 4 ms. */
const PIECE_BYTES = 16 * 1024;
/** Scanned without a pause. */
export const SCAN_BYTES = 512 * 1024;

const NOT_JSON: ReadJson = { kind: 'not-json' };
const TOO_MANY_MARKS: ReadJson = {
  kind: 'too-complex',
  what: `have ${MAX_MARKS} commas, colons, brackets and braces`,
};
const TOO_DEEP: ReadJson = { kind: 'too-complex', what: `be nested ${MAX_LEVELS} levels deep` };

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const BOM_BYTES = 3;

const OTHER = 0;
const MARK = 1;
const OPEN = 2;
const CLOSE = 3;
const TEXT = 4;
/** By byte. */
const KINDS = new Uint8Array(256).fill(OTHER);
KINDS[COMMA] = MARK;
KINDS[0x3a] = MARK;
KINDS[OPEN_LIST] = OPEN;
KINDS[OPEN_OBJECT] = OPEN;
KINDS[CLOSE_LIST] = CLOSE;
KINDS[CLOSE_OBJECT] = CLOSE;
KINDS[QUOTE] = TEXT;
/** By byte: 1 for what may stand between two tokens. Eight million look-ups in a Set took 50 ms. */
const IS_BLANK = new Uint8Array(256);
for (const blank of [0x09, 0x0a, 0x0d, 0x20]) IS_BLANK[blank] = 1;

// A byte order mark is allowed at the start of a body and nowhere else.
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function* readJson(body: Uint8Array): Steps<ReadJson> {
  const hasBom = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;
  const text = hasBom ? body.subarray(BOM_BYTES) : body;
  try {
    if (text.length < PIECE_BYTES) {
      const short = strictUtf8.decode(text); // too short for large containers and for many marks
      if (!mayBeDeep(short)) return { kind: 'json', value: JSON.parse(short) };
    }
    const large = yield* findLarge(text);
    if (!(large instanceof Map)) return large;
    const start = yield* tokenFrom(text, 0);
    const end = large.get(start);
    const isDivided = end !== undefined && (yield* tokenFrom(text, end + 1)) === text.length;
    // Parsed without the blanks before it, which were looked at already.
    const value = isDivided ? yield* new Pieces(text, large).read(start) : parse(text.subarray(start));
    return { kind: 'json', value };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return NOT_JSON; // the latter: not UTF-8
    throw error;
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a text opens more containers than levels are allowed. Faster than a look at each byte. */
function mayBeDeep(text: string): boolean {
  let left = MAX_LEVELS;
  for (let at = text.indexOf('['); at >= 0 && left >= 0; at = text.indexOf('[', at + 1)) left--;
  for (let at = text.indexOf('{'); at >= 0 && left >= 0; at = text.indexOf('{', at + 1)) left--;
  return left < 0;
}

/**
 * Where the large containers end, by where they begin; or why the body is refused.
 * It need not be JSON otherwise.
 */
function* findLarge(text: Uint8Array): Steps<Map<number, number> | ReadJson> {
  const large = new Map<number, number>();
  const starts = new Uint32Array(MAX_LEVELS);
  let levels = 0;
  let marks = 0;
  for (let at = 0; at < text.length; ) {
    const pauseAt = Math.min(at + SCAN_BYTES, text.length);
    for (; at < pauseAt; at++) {
      const kind = KINDS[text[at]];
      if (kind === OTHER) continue;
      if (kind === TEXT) at = endOfText(text, at);
      else if (kind === CLOSE) {
        if (levels === 0) return NOT_JSON;
        const start = starts[--levels];
        if (at - start >= PIECE_BYTES) large.set(start, at);
      } else {
        if (++marks > MAX_MARKS) return TOO_MANY_MARKS;
        if (kind === OPEN) {
          if (levels === MAX_LEVELS) return TOO_DEEP;
          starts[levels++] = at;
        }
      }
    }
    if (at < text.length) yield;
  }
  return levels === 0 ? large : NOT_JSON;
}

/** A large container that is being read. */
interface Open {
  readonly isList: boolean;
  readonly value: unknown[] | Record<string, unknown>;
  readonly end: number;
  /** Where the members begin that were not read yet. */
  from: number;
  /** Whether a member must follow there. */
  isAfterComma: boolean;
}

/** Reads what is inside of large containers. Throws as JSON.parse and a strict decoder do. */
class Pieces {
  readonly #text: Uint8Array;
  readonly #large: ReadonlyMap<number, number>;
  readonly #open: Open[] = [];

  constructor(text: Uint8Array, large: ReadonlyMap<number, number>) {
    this.#text = text;
    this.#large = large;
  }

  /** The value of the large container that begins there. */
  *read(start: number): Steps<unknown> {
    const root = this.#enter(start);
    for (;;) {
      const container = this.#open.at(-1);
      if (container === undefined) return root;
      yield* this.#advance(container);
      yield;
    }
  }

  #enter(start: number): Open['value'] {
    const end = this.#large.get(start) as number; // only large containers are entered
    const isList = this.#text[start] === OPEN_LIST;
    if (isList !== (this.#text[end] === CLOSE_LIST)) throw new SyntaxError('brackets that do not match');
    const value = isList ? [] : {};
    this.#open.push({ isList, value, end, from: start + 1, isAfterComma: false });
    return value;
  }

  /** Reads the next run of members, or enters the next large one. */
  *#advance(container: Open): Steps<void> {
    const text = this.#text;
    const { end } = container;
    container.from = yield* tokenFrom(text, container.from);
    let member = container.from;
    let levels = 0;
    for (let at = member; at < end; ) {
      const pauseAt = Math.min(at + SCAN_BYTES, end);
      for (; at < pauseAt; at++) {
        const kind = KINDS[text[at]];
        if (kind === OTHER) continue;
        if (kind === TEXT) at = endOfText(text, at);
        else if (kind === CLOSE) levels--;
        else if (kind === OPEN) {
          if (levels === 0 && this.#large.has(at)) {
            yield* this.#enterMember(container, member, at);
            return;
          }
          levels++;
        } else if (levels === 0 && text[at] === COMMA) {
          member = at + 1;
          if (member - container.from > PIECE_BYTES) {
            this.#readRun(container, at);
            return;
          }
        }
      }
      if (at < end) yield;
    }
    // Blanks alone are a run of no members: right only where none must follow.
    const isEmpty = container.from >= end;
    if (!isEmpty) this.#take(container, container.from, end);
    else if (container.isAfterComma) throw new SyntaxError('a comma before a bracket');
    this.#open.pop();
  }

  /** Reads the members up to the comma at `comma`. */
  #readRun(container: Open, comma: number): void {
    this.#take(container, container.from, comma);
    container.from = comma + 1;
    container.isAfterComma = true;
  }

  /** Enters the large container at `start`, which is in the member that begins at `member`. */
  *#enterMember(container: Open, member: number, start: number): Steps<void> {
    if (member > container.from) this.#readRun(container, member - 1);
    const before = this.#text.subarray(member, start);
    const [key] = Object.keys(this.#members(container.isList, before, '[]'));
    const end = this.#large.get(start) as number; // it is there, or it would not be entered
    const next = yield* tokenFrom(this.#text, end + 1);
    container.isAfterComma = this.#text[next] === COMMA;
    if (!container.isAfterComma && next !== container.end) throw new SyntaxError('no comma between members');
    container.from = container.isAfterComma ? next + 1 : next;
    const value = this.#enter(start);
    if (Array.isArray(container.value)) container.value.push(value);
    else put(container.value, key, value);
  }

  /** Adds the members between two places, of which there is at least one. */
  #take({ isList, value }: Open, start: number, end: number): void {
    const members = this.#members(isList, this.#text.subarray(start, end), '');
    if (Array.isArray(value)) for (const each of members as unknown[]) value.push(each);
    else for (const key of Object.keys(members)) put(value, key, (members as JsonObject)[key]);
  }

  /** The members in a text, or the one that is written before `after`. Throws if there is none. */
  #members(isList: boolean, bytes: Uint8Array, after: string): object {
    const inside = strictUtf8.decode(bytes) + after;
    // These brackets hold nothing else.
    const members = JSON.parse(isList ? `[${inside}]` : `{${inside}}`) as object;
    for (const _ in members) return members;
    throw new SyntaxError('no member');
  }
}

function parse(text: Uint8Array): unknown {
  return JSON.parse(strictUtf8.decode(text));
}

/** As JSON.parse does it: an own property whatever its name. */
function put(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') target[key] = value;
  else Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}

/** Where the first token from `at` on begins, or the length. */
function* tokenFrom(text: Uint8Array, at: number): Steps<number> {
  let token = at;
  for (;;) {
    const pauseAt = Math.min(token + SCAN_BYTES, text.length);
    while (token < pauseAt && IS_BLANK[text[token]] === 1) token++;
    if (token < pauseAt || token === text.length) return token;
    yield;
  }
}

/** Where the string ends that begins at `start`; the length if it does not end. */
function endOfText(text: Uint8Array, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === QUOTE) return at;
    if (text[at] === BACKSLASH) at++;
  }
  return text.length;
}
