// Which drafts are one advisory. Only drafts of one product can be. Within a source, those are one that are a
// malware report and the advisory it is about, or what several databases say about one vulnerability; between
// sources, pairs that share an id which is their own. Neither the order of the drafts nor that of the sources
// matters, except for the order of the members. docs/sources.md has the rules.

import { claimsOf, compareTwins } from './claims.ts';
import { DraftFacts } from './draft-facts.ts';
import type { DraftKeys } from './draft-keys.ts';
import { pairClaims } from './pair-claims.ts';
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
 * the order of their first member in `keys`.
 */
export function groupDrafts(keys: DraftKeys, order: readonly number[], omitted: Omitted = new Set()): Groups {
  const groups: (readonly number[])[] = [];
  const settled = new Map<number, SettledIds>();
  for (const drafts of draftsByProduct(keys, omitted)) {
    if (drafts.length === 1 && !keys.isClosure(drafts[0])) {
      groups.push([drafts[0]]);
      continue;
    }
    const facts = new DraftFacts((draft) => keys.recordAt(draft));
    const ofProduct = settleIds(keys, [...drafts], facts);
    for (const [draft, ids] of ofProduct) settled.set(draft, ids);
    groups.push(...groupOneProduct(keys, drafts, order, ofProduct, facts));
  }
  const first = groups.map((members) => Math.min(...members));
  const inOrder = Uint32Array.from(groups.keys()).sort((a, b) => first[a] - first[b]);
  const starts = new Uint32Array(groups.length + 1);
  const members = new Uint32Array(keys.length - omitted.size);
  inOrder.forEach((group, i) => {
    members.set(groups[group], starts[i]);
    starts[i + 1] = starts[i] + groups[group].length;
  });
  return { members, starts, settled };
}

/** The drafts of each product, in their order. */
function* draftsByProduct(keys: DraftKeys, omitted: Omitted): Generator<Uint32Array> {
  const starts = new Uint32Array(keys.productCount + 1);
  for (let draft = 0; draft < keys.length; draft++) {
    if (!omitted.has(draft)) starts[keys.productAt(draft) + 1]++;
  }
  for (let product = 0; product < keys.productCount; product++) starts[product + 1] += starts[product];
  const ends = starts.slice();
  const drafts = new Uint32Array(keys.length - omitted.size);
  for (let draft = 0; draft < keys.length; draft++) {
    if (!omitted.has(draft)) drafts[ends[keys.productAt(draft)]++] = draft;
  }
  for (let product = 0; product < keys.productCount; product++) {
    if (starts[product] < ends[product]) yield drafts.subarray(starts[product], ends[product]);
  }
}

function groupOneProduct(
  keys: DraftKeys,
  drafts: Uint32Array,
  order: readonly number[],
  settled: Settlement,
  facts: DraftFacts,
): number[][] {
  const claims = order.flatMap((source) =>
    claimsOf(
      keys,
      [...drafts].filter((draft) => keys.sourceAt(draft) === source),
      facts,
    ),
  );
  const rankOf = (draft: number): number => order.indexOf(keys.sourceAt(draft));
  return pairClaims(keys, claims, settled, facts).map((group) =>
    group.flat().sort((a, b) => rankOf(a) - rankOf(b) || compareTwins(keys, a, b)),
  );
}
