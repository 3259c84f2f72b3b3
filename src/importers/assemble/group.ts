// The drafts of all products in groups, each an advisory. Which drafts of a product are one is decided in
// identity.ts, and which CVE is whose in settle-ids.ts.

import { DraftFacts } from './draft-facts.ts';
import type { DraftStore } from './draft-store.ts';
import { advisoriesOf, compareDrafts } from './identity.ts';
import { type SettledIds, type Settlement, settleIds } from './settle-ids.ts';

/** Group `g` has the members from `starts[g]` to `starts[g + 1]`, the most preferred first. */
export interface Groups {
  readonly members: Uint32Array;
  readonly starts: Uint32Array;
  /** Which ids its contested members keep. */
  readonly settled: Settlement;
}

/** Drafts that are in no group. */
type Omitted = Pick<ReadonlySet<number>, 'has' | 'size'>;

/**
 * Groups all drafts but those in `omitted`. `order` has the sources, the most preferred first. Groups are in
 * the order of their first member in `store`.
 */
export function groupDrafts(
  store: DraftStore,
  order: readonly number[],
  omitted: Omitted = new Set(),
): Groups {
  const groups: (readonly number[])[] = [];
  const settled = new Map<number, SettledIds>();
  const rankOf = (draft: number): number => order.indexOf(store.sourceAt(draft));
  for (const drafts of draftsByProduct(store, omitted)) {
    if (drafts.length === 1 && !store.isClosure(drafts[0])) {
      groups.push([drafts[0]]);
      continue;
    }
    const facts = new DraftFacts((draft) => store.recordAt(draft));
    const ofProduct = settleIds(store, [...drafts], facts);
    for (const [draft, ids] of ofProduct) settled.set(draft, ids);
    for (const members of advisoriesOf(store, [...drafts], ofProduct, facts)) {
      groups.push(members.sort((a, b) => rankOf(a) - rankOf(b) || compareDrafts(store, a, b)));
    }
  }
  const first = groups.map((members) => Math.min(...members));
  const inOrder = Uint32Array.from(groups.keys()).sort((a, b) => first[a] - first[b]);
  const starts = new Uint32Array(groups.length + 1);
  const members = new Uint32Array(store.length - omitted.size);
  inOrder.forEach((group, i) => {
    members.set(groups[group], starts[i]);
    starts[i + 1] = starts[i] + groups[group].length;
  });
  return { members, starts, settled };
}

/** The drafts of each product, in their order. */
function* draftsByProduct(store: DraftStore, omitted: Omitted): Generator<Uint32Array> {
  const starts = new Uint32Array(store.productCount + 1);
  for (let draft = 0; draft < store.length; draft++) {
    if (!omitted.has(draft)) starts[store.productAt(draft) + 1]++;
  }
  for (let product = 0; product < store.productCount; product++) starts[product + 1] += starts[product];
  const ends = starts.slice();
  const drafts = new Uint32Array(store.length - omitted.size);
  for (let draft = 0; draft < store.length; draft++) {
    if (!omitted.has(draft)) drafts[ends[store.productAt(draft)]++] = draft;
  }
  for (let product = 0; product < store.productCount; product++) {
    if (starts[product] < ends[product]) yield drafts.subarray(starts[product], ends[product]);
  }
}
