// Which generations a thread holds: the live one and as many older ones as the operator keeps, with
// what is known of the differences between neighbours. The supervisor and every worker have such a
// list, of the same generations.

import type { ChangedIds, KeptGeneration } from '../../http/context.ts';
import type { GenerationParts } from '../../index/generation.ts';
import type { PostedChanges } from '../messages.ts';

/** A generation, or its posted form. */
interface Held {
  readonly parts: Pick<GenerationParts, 'id'>;
}

/** Two neighbours whose differences are not known. */
interface Neighbours<Each> {
  readonly previous: Each;
  readonly next: Each;
}

export class KeptGenerations<Each extends Held> {
  readonly #olderCount: number;
  /** The live one first, then in the order in which they were live, the latest first. */
  #generations: readonly Each[] = [];
  #changes: readonly PostedChanges[] = [];
  #list: readonly KeptGeneration<Each>[] = [];

  /** Keeps that many generations beside the live one. */
  constructor(olderCount: number) {
    this.#olderCount = olderCount;
  }

  /** Stays one array until something changes. */
  get list(): readonly KeptGeneration<Each>[] {
    return this.#list;
  }

  get live(): Each | undefined {
    return this.#generations[0];
  }

  /** A new live generation. One with the same id, as after a roll-back, is released for it. */
  publish(generation: Each): void {
    const others = this.#generations.filter(({ parts }) => parts.id !== generation.parts.id);
    this.#adopt([generation, ...others.slice(0, this.#olderCount)]);
  }

  /** A generation that was live before all those in the list. */
  addOlder(generation: Each): void {
    this.#adopt([...this.#generations, generation]);
  }

  /** Releases one that is not live. */
  drop(id: string): void {
    this.#adopt(this.#generations.filter(({ parts }, i) => i === 0 || parts.id !== id));
  }

  learn(changes: PostedChanges): void {
    this.#changes = [...this.#changes, changes];
    this.#adopt(this.#generations);
  }

  /** The neighbours whose differences are not known yet, the newest first. */
  unknown(): readonly Neighbours<Each>[] {
    return this.#generations.slice(1).flatMap((previous, i) => {
      const next = this.#generations[i];
      return this.#changedIds(previous, next) === undefined ? [{ previous, next }] : [];
    });
  }

  /** What was learned about neighbours in the list. */
  get changes(): readonly PostedChanges[] {
    return this.#changes;
  }

  #adopt(generations: readonly Each[]): void {
    this.#generations = generations;
    const isAsked = ({ from, to }: PostedChanges): boolean =>
      generations.some(({ parts }, i) => parts.id === to && generations[i + 1]?.parts.id === from);
    this.#changes = this.#changes.filter(isAsked);
    this.#list = generations.map((generation, i) => {
      const previous: Each | undefined = generations[i + 1];
      const changedIds = previous === undefined ? undefined : this.#changedIds(previous, generation);
      return { generation, changedIds };
    });
  }

  #changedIds(previous: Each, next: Each): ChangedIds | undefined {
    const { id: from } = previous.parts;
    const { id: to } = next.parts;
    return this.#changes.find((each) => each.from === from && each.to === to)?.ids;
  }
}
