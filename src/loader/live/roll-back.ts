// An operator's order to serve an older snapshot: followed until a snapshot arrives that is newer than the
// one rolled back from, or until the order is removed. Owns that rule; hot-swap.ts loads the file.
//
//   (no order) --> pending --> held --> over      `over` stays until the order is replaced or removed
//                     '------------------^

import { join } from 'node:path';
import { type Candidate, isCandidate, type KnownFile } from './known-files.ts';
import { MarkerError, MarkerWatch, parseRollBack, ROLL_BACK_FILE, type RollBackOrder } from './markers.ts';
import { compareAge, type SnapshotAge } from './snapshot-age.ts';
import type { FolderLook } from './snapshot-folder.ts';

/** Pending: not followed yet; `problem` says why, if known. */
type RollBackPhase =
  | { readonly kind: 'pending'; readonly problem: string | undefined }
  | { readonly kind: 'held' | 'over' };

export interface RollBack {
  /** The marker's whole text, which identifies the order. */
  readonly text: string;
  readonly order: RollBackOrder;
  /** While the roll-back lasts, only a snapshot newer than this is loaded. */
  readonly from: SnapshotAge;
  readonly phase: RollBackPhase;
}

interface Events {
  readonly onRollBack: (rollBack: RollBack | undefined) => void;
  readonly onMarker: (path: string, problem: string) => void;
}

/** What following an order takes. */
interface RollBackMeans {
  readonly find: (file: string) => KnownFile | undefined;
  readonly isAhead: (file: string, known: Candidate) => boolean;
  /** Whether it is live now. */
  readonly load: (file: string, known: Candidate) => boolean;
}

export class RollBackKeeper {
  readonly #folder: string;
  readonly #watch: MarkerWatch<{ readonly text: string; readonly order: RollBackOrder }>;
  readonly #onRollBack: Events['onRollBack'];
  #current: RollBack | undefined;

  /** `inherited` is the state of the previous follower. `latestMs` returns the latest allowed build time. */
  constructor(folder: string, latestMs: () => number, inherited: RollBack | undefined, events: Events) {
    this.#folder = folder;
    this.#current = inherited;
    this.#onRollBack = events.onRollBack;
    const parse = (text: string): { text: string; order: RollBackOrder } => {
      const order = parseRollBack(text);
      // No snapshot could be newer until then.
      if (order.newerThan.builtAtMs > latestMs()) throw new MarkerError('newer_than is ahead of the clock');
      return { text, order };
    };
    this.#watch = new MarkerWatch(join(folder, ROLL_BACK_FILE), parse, events.onMarker);
  }

  get current(): RollBack | undefined {
    return this.#current;
  }

  /** The order still to be followed. */
  get pending(): RollBackOrder | undefined {
    return this.#current?.phase.kind === 'pending' ? this.#current.order : undefined;
  }

  /** A snapshot must be newer than this to be loaded; undefined allows any. */
  floor(inForce: SnapshotAge | undefined): SnapshotAge | undefined {
    return this.#current === undefined || this.#current.phase.kind === 'over' ? inForce : this.#current.from;
  }

  /** Reads the marker. The snapshot that is live when an order is first seen is rolled back from too. */
  read(inForce: SnapshotAge | undefined): void {
    const look = this.#watch.look();
    if (look.kind === 'bad') return; // an unreadable marker does not end the order being followed
    if (look.kind === 'none') {
      if (this.#current !== undefined) this.#enter(undefined);
      return;
    }
    const { text, order } = look.value;
    if (text === this.#current?.text) return;
    const { newerThan } = order;
    const from = inForce !== undefined && compareAge(inForce, newerThan) > 0 ? inForce : newerThan;
    this.#enter({ text, order, from, phase: { kind: 'pending', problem: undefined } });
  }

  /** Loads the snapshot of a pending order, or reports why not. */
  follow(look: FolderLook, liveId: string | undefined, means: RollBackMeans): void {
    const order = this.pending;
    if (order === undefined) return;
    if (order.id === liveId) {
      this.#enterPhase({ kind: 'held' });
      return;
    }
    const file = join(this.#folder, order.file);
    const known = means.find(file);
    if (known === undefined) {
      if (!look.marks.has(file)) this.#postpone(`no file ${order.file}`);
    } else if (!isCandidate(known) || means.isAhead(file, known)) {
      this.#postpone(`${order.file} is refused`);
    } else if (known.age.id !== order.id) {
      this.#postpone(`${order.file} is now snapshot ${known.age.id}, not ${order.id}`);
    } else if (means.load(file, known)) {
      this.#enterPhase({ kind: 'held' });
    } else if (means.find(file) !== undefined) {
      this.#postpone(`${order.file} is refused`);
    }
  }

  /** The order cannot be followed now, for this reason. Reported once. */
  #postpone(problem: string): void {
    const phase = this.#current?.phase;
    if (phase?.kind === 'pending' && phase.problem !== problem)
      this.#enterPhase({ kind: 'pending', problem });
  }

  /** A snapshot was loaded because it is newer. */
  loaded(age: SnapshotAge): void {
    const current = this.#current;
    if (current === undefined || current.phase.kind === 'over') return;
    if (compareAge(age, current.from) > 0) this.#enterPhase({ kind: 'over' });
  }

  #enterPhase(phase: RollBackPhase): void {
    if (this.#current !== undefined) this.#enter({ ...this.#current, phase });
  }

  #enter(rollBack: RollBack | undefined): void {
    this.#current = rollBack;
    this.#onRollBack(rollBack);
  }
}
