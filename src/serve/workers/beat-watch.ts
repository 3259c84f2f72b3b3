// Detects workers whose event loop has stopped, from the heartbeats they count. Counts checks rather than
// time: while a process was stopped or a machine asleep there were no checks, so no worker is taken for hung.

interface Pulse {
  beat: number;
  /** Consecutive checks that found this beat. */
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

  /**
   * The workers that are hung. `beats` has an entry per worker, undefined for one that should not be judged.
   */
  look(nowMs: number, beats: readonly (number | undefined)[]): readonly number[] {
    // This check was late, so the workers may have been held up too: start over for all.
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
