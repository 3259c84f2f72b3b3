// The engine's clock and this machine's, against one that never jumps: levels are kept by the engine's time
// and drained by it, requests are judged by the time of day here.

import { JUMP_MS } from './lease-script.ts';

/** The time of day here was set. */
const WALL_JUMP_MS = 500;

export interface Clocks {
  /** Never jumps. */
  readonly nowMs: () => number;
  /** The time of day, which the engine's is compared with. */
  readonly wallMs: () => number;
}

export class ClockWatch {
  readonly #clocks: Clocks;
  /** The time of day when `nowMs` was 0. */
  #wallStartMs: number;
  #heard: { readonly engineMs: number; readonly nowMs: number } | undefined;
  #offsetMs = 0;

  constructor(clocks: Clocks) {
    this.#clocks = clocks;
    this.#wallStartMs = clocks.wallMs() - clocks.nowMs();
  }

  /** The engine's clock less the time of day here. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  /** What the engine's clock should say now; 0 before it was heard. */
  get expectedMs(): number {
    const heard = this.#heard;
    return heard === undefined ? 0 : heard.engineMs + this.#clocks.nowMs() - heard.nowMs;
  }

  /** How far the engine's clock was set since it was last heard; 0 if it was not. */
  hear(engineMs: number, nowMs: number): number {
    const before = this.#heard;
    this.#heard = { engineMs, nowMs };
    this.#offsetMs = engineMs - this.#clocks.wallMs();
    if (before === undefined) return 0;
    const byMs = engineMs - before.engineMs - (nowMs - before.nowMs);
    return Math.abs(byMs) < JUMP_MS ? 0 : byMs;
  }

  /** How far the time of day here was set since the last call; 0 if it was not. */
  followWall(nowMs: number): number {
    const startMs = this.#clocks.wallMs() - nowMs;
    const byMs = startMs - this.#wallStartMs;
    if (Math.abs(byMs) < WALL_JUMP_MS) return 0;
    this.#wallStartMs = startMs;
    return byMs;
  }
}
