// The snapshot files refused since the start: how many for which cause, and the last of them.

import { basename } from 'node:path';

const MOST_RECENT = 20;
const MOST_MESSAGE_CHARS = 500;

interface Refusal {
  /** Without its folder. */
  readonly file: string;
  readonly code: string;
  readonly message: string;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

export class Refusals {
  readonly #counts = new Map<string, number>();
  #recent: readonly Refusal[] = [];

  add(file: string, code: string, message: string, atMs: number): void {
    this.#counts.set(code, (this.#counts.get(code) ?? 0) + 1);
    const text = message.length > MOST_MESSAGE_CHARS ? `${message.slice(0, MOST_MESSAGE_CHARS)}…` : message;
    const refusal = { file: basename(file), code, message: text, atMs };
    this.#recent = [refusal, ...this.#recent.slice(0, MOST_RECENT - 1)];
  }

  /** By code, a closed list. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  /** The last one first. */
  get recent(): readonly Refusal[] {
    return this.#recent;
  }
}
