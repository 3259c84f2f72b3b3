// What changed from one generation to another, advisory by advisory: added, changed in which fields,
// withdrawn, restored, gone. Yields one difference at a time and keeps none of them; or the ids that differ.

import { WITHDRAWN_RUN } from '../index/columns.ts';
import type { Generation } from '../index/generation.ts';
import { runAt } from '../index/lookup/id-list.ts';
import { PLATFORMS } from '../index/product-type.ts';
import { differingFields, type FieldName } from './fields.ts';
import { AdvisoryReader } from './reader.ts';
import { pairIds } from './walk.ts';

export const CHANGES = ['added', 'changed', 'withdrawn', 'restored', 'gone'] as const;
export type Change = (typeof CHANGES)[number];

/** Ordinals are those of the generation that they are named after. */
export type Difference =
  /** Only the next generation has the id, published or withdrawn. */
  | { readonly kind: 'added'; readonly id: number; readonly next: number }
  /** Only the previous one has it. */
  | { readonly kind: 'gone'; readonly id: number; readonly previous: number }
  | {
      /** `restored` was withdrawn before. `changed` is published in both, or withdrawn in both. */
      readonly kind: 'changed' | 'withdrawn' | 'restored';
      readonly id: number;
      readonly previous: number;
      readonly next: number;
      /** Never empty; `withdrawn` and `restored` have `withdrawn_at`. */
      readonly fields: readonly FieldName[];
    };

/**
 * By descending id. `onPair` is called for each id of either generation, also for those that are the same.
 */
export function* compareGenerations(
  previous: Generation,
  next: Generation,
  onPair: () => void = () => {},
): Generator<Difference> {
  const before = new AdvisoryReader(previous);
  const after = new AdvisoryReader(next);
  for (const { id, previous: from, next: to } of pairIds(previous.parts.columns, next.parts.columns)) {
    onPair();
    if (from !== undefined && to !== undefined) {
      before.enter(from);
      after.enter(to);
      const fields = differingFields(before, after);
      if (fields.length === 0) continue;
      const kind = changeOf(from.run === WITHDRAWN_RUN, to.run === WITHDRAWN_RUN);
      yield { kind, id, previous: from.ordinal, next: to.ordinal, fields };
    } else if (to !== undefined) {
      yield { kind: 'added', id, next: to.ordinal };
    } else if (from !== undefined) {
      yield { kind: 'gone', id, previous: from.ordinal };
    }
  }
}

function changeOf(wasWithdrawn: boolean, isWithdrawn: boolean): 'changed' | 'withdrawn' | 'restored' {
  if (wasWithdrawn === isWithdrawn) return 'changed';
  return isWithdrawn ? 'withdrawn' : 'restored';
}

/**
 * For each platform: the differing ids that either generation publishes there, descending, as memory that
 * threads share: enough to say later what became of each, because both generations can be asked.
 */
export function findChangedIds(previous: Generation, next: Generation): Float64Array[] {
  const found: number[][] = PLATFORMS.map(() => []);
  const runOfPrevious = platformFinder(previous);
  const runOfNext = platformFinder(next);
  for (const difference of compareGenerations(previous, next)) {
    const from = 'previous' in difference ? runOfPrevious(difference.previous) : undefined;
    const to = 'next' in difference ? runOfNext(difference.next) : undefined;
    if (from !== undefined) found[from].push(difference.id);
    if (to !== undefined && to !== from) found[to].push(difference.id);
  }
  return found.map(toShared);
}

/**
 * The platform, as an index, for which a generation publishes an ordinal; undefined for withdrawn advisories.
 */
function platformFinder({ parts }: Generation): (ordinal: number) => number | undefined {
  const ends = PLATFORMS.map((_, platform) => runAt(parts.columns, platform).end);
  const { start: published } = runAt(parts.columns, WITHDRAWN_RUN);
  return (ordinal) => (ordinal < published ? ends.findIndex((end) => ordinal < end) : undefined);
}

function toShared(ids: readonly number[]): Float64Array {
  const shared = new Float64Array(new SharedArrayBuffer(ids.length * Float64Array.BYTES_PER_ELEMENT));
  shared.set(ids);
  return shared;
}
