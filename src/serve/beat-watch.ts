// Which workers have stopped turning their event loop, told from the heartbeats they count. Counts looks rather than time:
// a process that was stopped, or a machine that slept, has had no looks, and nobody is hung because of it.

interface Pulse {
  beat: number;
  /** Looks in a row that found this beat. */
  silentLooks: number;
}

export class BeatWatch {
  readonly #lookEveryMs: number;
  readonly #hungMs: number;
  readonly #pulses = new Map<number, Pulse>();
  #lastLookMs: number | undefined;

  constructor(lookEveryMs: number, hungMs: number) {
    this.#lookEveryMs = lookEveryMs;
    this.#hungMs = hungMs;
  }

  /** The workers that are hung. `beats` has a place for each worker, undefined for one that is not to be judged. */
  look(nowMs: number, beats: readonly (number | undefined)[]): readonly number[] {
    // Whoever looks was held up, and so may they have been: all begin anew.
    if (nowMs - (this.#lastLookMs ?? nowMs) > this.#hungMs / 2) this.#pulses.clear();
    this.#lastLookMs = nowMs;
    return beats.flatMap((beat, worker) => (this.#isHung(worker, beat) ? [worker] : []));
  }

  #isHung(worker: number, beat: number | undefined): boolean {
    const pulse = this.#pulses.get(worker);
    if (beat === undefined) {
      this.#pulses.delete(worker);
      return false;
    }
    if (pulse === undefined || pulse.beat !== beat) {
      this.#pulses.set(worker, { beat, silentLooks: 0 });
      return false;
    }
    pulse.silentLooks++;
    return pulse.silentLooks * this.#lookEveryMs >= this.#hungMs;
  }
}
