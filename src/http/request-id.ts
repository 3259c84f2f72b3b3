// Ids for requests that have none: a random name for this thread, and a count. A random id for each request
// would cost as much as the rest of a refusal. They are written as bytes into heads and bodies that are
// prepared around them; only a log needs their text.

import { randomBytes } from 'node:crypto';
import { digitsOf, putNumber } from './digits.ts';

/** The one that was sent, '' for none, or one that was made. */
export type RequestId = string | MadeId;

/** A thread that has counted so far takes another name. */
const LAST = 2 ** 32 - 1;
const THREAD_BYTES = 8; // enough that no two threads of a fleet have the same name

/** An id as a name and a count: ASCII that needs no escaping, in JSON or in a header. */
export class MadeId {
  readonly #name: Uint8Array;
  readonly #count: number;

  /** Requires: a count from 0 to 2^32 - 1. */
  constructor(name: Uint8Array, count: number) {
    this.#name = name;
    this.#count = count;
  }

  get length(): number {
    return this.#name.length + digitsOf(this.#count);
  }

  /** Requires: room for `length` bytes. Returns where it ends. */
  put(bytes: Uint8Array, start: number): number {
    const name = this.#name;
    for (let i = 0; i < name.length; i++) bytes[start + i] = name[i];
    return putNumber(bytes, start + name.length, this.#count);
  }

  toString(): string {
    return `${Buffer.from(this.#name).toString('latin1')}${this.#count}`;
  }
}

/**
 * A generator of ids that no other generator returns, in characters that the service accepts. `made` is how
 * many there were.
 */
export function requestIds(made = 0): () => MadeId {
  let name = threadName();
  let count = made;
  return () => {
    if (count === LAST) {
      name = threadName();
      count = 0;
    }
    count += 1;
    return new MadeId(name, count);
  };
}

function threadName(): Uint8Array {
  return new TextEncoder().encode(`${randomBytes(THREAD_BYTES).toString('hex')}-`);
}
