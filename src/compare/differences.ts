// What changed from one generation to another, advisory by advisory: added, changed in which fields,
// withdrawn, restored, gone. Yields one difference at a time and keeps none of them.

import { WITHDRAWN_RUN } from '../index/columns.ts';
import type { Generation } from '../index/generation.ts';
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
