// Which sound files are not served, although they are newer: one built ahead of the clock, and one that a
// guard stopped and no operator has accepted. guards.ts has the rules; hot-swap.ts takes the others.

import { basename } from 'node:path';
import type { Generation } from '../../index/generation.ts';
import type { SnapshotError } from '../errors.ts';
import { readPublishedCount, withSnapshot } from '../snapshot/reader.ts';
import { findBuiltAhead, findShrunk } from './guards.ts';
import type { Candidate, KnownFiles } from './known-files.ts';
import { ACCEPT_SUFFIX, MarkerWatch, parseAccept } from './markers.ts';
import { compareAge, type SnapshotAge } from './snapshot-age.ts';
import type { FolderLook } from './snapshot-folder.ts';

/** The newest files that are compared when nothing is live: a folder mostly has a handful. */
const MOST_COMPARED = 8;

/** A sound file above the live snapshot that is not served until an operator accepts it. */
export interface Guarded {
  /** Without its folder. */
  readonly file: string;
  readonly id: string;
}

/** The live snapshot, as much as guards must know; plain data, so that a thread can pass it on. */
export interface InForce extends SnapshotAge {
  readonly publishedCount: number;
}

export type FindChanged = (live: Generation, next: Generation) => SnapshotError | undefined;

interface Rules {
  readonly maxShrinkPercent: number;
  readonly findChanged: FindChanged;
  readonly nowMs: () => number;
}

interface Events {
  readonly onRefused: (error: Error, file: string) => void;
  readonly onGuarded?: (guarded: Guarded | undefined) => void;
  readonly onMarker: (file: string, problem: string) => void;
}

export class HeldBack {
  readonly #known: KnownFiles;
  readonly #rules: Rules;
  readonly #events: Events;
  /** What was reported last. */
  #guarded: Guarded | undefined;

  constructor(known: KnownFiles, rules: Rules, events: Events) {
    this.#known = known;
    this.#rules = rules;
    this.#events = events;
  }

  /** Whether the file was built ahead of the clock; reports that once. */
  isAhead(file: string, candidate: Candidate): boolean {
    const error = findBuiltAhead(candidate.age.builtAtMs, this.#rules.nowMs());
    if (error === undefined) return false;
    if (candidate.reported !== 'ahead') this.#events.onRefused(error, file);
    candidate.reported = 'ahead';
    return true;
  }

  /** Whether a marker next to the file names this snapshot. */
  isAccepted({ names }: FolderLook, file: string, candidate: Candidate): boolean {
    if (!names.has(basename(file) + ACCEPT_SUFFIX)) return false;
    candidate.accept ??= new MarkerWatch(file + ACCEPT_SUFFIX, parseAccept, this.#events.onMarker);
    const look = candidate.accept.look();
    return look.kind === 'read' && look.value === candidate.age.id;
  }

  /** Throws SnapshotError if the file lost too much of the live snapshot, or answers too differently. */
  requireLike(live: Generation | undefined, inForce: InForce, file: string, next: Generation): void {
    const { maxShrinkPercent, findChanged } = this.#rules;
    const error =
      findShrunk(file, next.publishedCount, inForce.publishedCount, maxShrinkPercent) ??
      (live === undefined ? undefined : findChanged(live, next));
    if (error !== undefined) throw error;
  }

  /**
   * With nothing live, nothing is there to compare the newest file with but the others: each is compared with
   * the newest sound one before it, so that a restart does not lift the guard.
   */
  guardStart(look: FolderLook): void {
    const { maxShrinkPercent } = this.#rules;
    if (maxShrinkPercent >= 100) return;
    let before: number | undefined;
    for (const [file, candidate] of this.#known.candidates().slice(0, MOST_COMPARED).reverse()) {
      if (candidate.verdict !== 'none' || this.isAhead(file, candidate)) continue;
      try {
        const count = withSnapshot(file, (open) =>
          open.mark === candidate.mark ? readPublishedCount(open) : undefined,
        );
        if (count === undefined) continue;
        const error = before === undefined ? undefined : findShrunk(file, count, before, maxShrinkPercent);
        if (error === undefined || this.isAccepted(look, file, candidate)) before = count;
        else this.#known.refuse(file, candidate, error);
      } catch {
        // Whether it is sound is seen when it is loaded.
      }
    }
  }

  /** Reports the newest file if a guard holds it back, whenever that changes. */
  report(look: FolderLook, inForce: SnapshotAge | undefined): void {
    const found = this.#known
      .candidates()
      .find(([, { age }]) => inForce === undefined || compareAge(age, inForce) > 0);
    const isHeld = found !== undefined && found[1].verdict === 'guarded' && !this.isAccepted(look, ...found);
    const guarded = isHeld ? { file: basename(found[0]), id: found[1].age.id } : undefined;
    if (guarded?.file === this.#guarded?.file && guarded?.id === this.#guarded?.id) return;
    this.#guarded = guarded;
    this.#events.onGuarded?.(guarded);
  }
}
