// Which number each group gets: one that a member is registered with, else one that a member had for a
// product which its source has corrected since, else one that a member brings along, else a new one. All
// groups are looked at before any number is given, as the members of an advisory that fell apart all have its
// number.

import { isDeepStrictEqual } from 'node:util';
import { describeHolder, type IdRegistry, type RecordKey, recordText } from '../ids/id-registry.ts';
import type { FieldProblem } from '../record/feed-schema.ts';
import type { Groups } from './group.ts';

interface NumberedDrafts {
  registryKeyAt(draft: number): RecordKey;
  /** The id that the draft brings with it. */
  ownNumberAt(draft: number): number | undefined;
  /** Whether the draft is about the same advisory and product as this record, by its ids. */
  isSame(draft: number, key: RecordKey): boolean;
  /** Smaller is more preferred. */
  rankAt(draft: number): number;
}

export interface Numbers {
  /** By group; 0 for a group of which every member was refused. */
  readonly numbers: Float64Array;
  /** Members that cannot be part of any group: another advisory has the id that they bring along. */
  readonly refused: ReadonlyMap<number, FieldProblem>;
  /** Members that took their number along from another product, with their keys there. */
  readonly moved: ReadonlyMap<number, RecordKey>;
  /**
   * Whether a number that a member of the group is registered with is the group's, even if it uses another.
   */
  isOwner(group: number, number: number): boolean;
}

/** Requires: the registry is locked. Issues numbers, but registers none. */
export function numberGroups(groups: Groups, drafts: NumberedDrafts, registry: IdRegistry): Numbers {
  const numbers = new Float64Array(groups.starts.length - 1);
  const owners = findOwners(groups, drafts, registry);
  for (const [number, { group }] of owners) {
    if (numbers[group] === 0 || number < numbers[group]) numbers[group] = number;
  }
  const moved = moveNumbers(groups, drafts, registry, numbers, (number) => owners.has(number));
  const given = new Set(numbers);
  const taken = new Set<number>(); // ids that drafts brought along in this run
  const refused = takeOwn(
    groups,
    drafts,
    registry,
    numbers,
    (number) => given.has(number) || owners.has(number),
    taken,
  );
  for (let group = 0; group < numbers.length; group++) {
    if (numbers[group] !== 0 || membersOf(groups, group).every((draft) => refused.has(draft))) continue;
    numbers[group] = registry.issueNumber((number) => taken.has(number));
  }
  return { numbers, refused, moved, isOwner: (group, number) => owners.get(number)?.group === group };
}

interface Owner {
  readonly group: number;
  readonly rank: number;
}

/**
 * The group of each registered number. One that several groups have a member of, because their advisory fell
 * apart, belongs to the group with the most preferred such member; of equally preferred ones, to that which
 * had it first.
 */
function findOwners(groups: Groups, drafts: NumberedDrafts, registry: IdRegistry): Map<number, Owner> {
  const owners = new Map<number, Owner>();
  for (let group = 0; group + 1 < groups.starts.length; group++) {
    for (const draft of membersOf(groups, group)) {
      const key = drafts.registryKeyAt(draft);
      const number = registry.numberOf(key);
      if (number === undefined) continue;
      const owner = owners.get(number);
      const rank = drafts.rankAt(draft);
      const isBetter =
        owner === undefined ||
        rank < owner.rank ||
        (rank === owner.rank && isDeepStrictEqual(registry.holderOf(number), key));
      if (isBetter) owners.set(number, { group, rank });
    }
  }
  return owners;
}

/**
 * Groups without a registered number take along the one that a member, the same record of the same source,
 * has for a product of which nothing is left in this run. A record that left several products, or came to
 * several, says too little.
 */
function moveNumbers(
  groups: Groups,
  drafts: NumberedDrafts,
  registry: IdRegistry,
  numbers: Float64Array,
  isOwned: (number: number) => boolean,
): ReadonlyMap<number, RecordKey> {
  const moved = new Map<number, RecordKey>();
  if (registry.isEmpty) return moved;
  const groupOf = new Map<number, number>(); // by number, as several records can have had it
  const newcomers = new Map<string, { readonly draft: number; readonly group: number }[]>();
  for (let group = 0; group < numbers.length; group++) {
    if (numbers[group] !== 0) continue;
    for (const draft of membersOf(groups, group)) {
      const record = recordText(drafts.registryKeyAt(draft));
      const others = newcomers.get(record);
      if (others === undefined) newcomers.set(record, [{ draft, group }]);
      else others.push({ draft, group });
    }
  }
  for (const [record, known] of registry.numbersOf(new Set(newcomers.keys()))) {
    const vacated = known.filter(({ number }) => !isOwned(number));
    const arrived = newcomers.get(record) ?? [];
    if (vacated.length !== 1 || arrived.length !== 1) continue;
    const [{ draft, group }] = arrived;
    const [{ number, key }] = vacated;
    if ((numbers[group] !== 0 && numbers[group] !== number) || (groupOf.get(number) ?? group) !== group)
      continue;
    numbers[group] = number;
    groupOf.set(number, group);
    moved.set(draft, key);
  }
  return moved;
}

/**
 * Groups without a registered number take that of their most preferred member which brings one. A number that
 * is registered for the same advisory is fine too: an earlier import gave it, and wrote it to the feed which
 * is read now.
 */
function takeOwn(
  groups: Groups,
  drafts: NumberedDrafts,
  registry: IdRegistry,
  numbers: Float64Array,
  isOwned: (number: number) => boolean,
  taken: Set<number>,
): ReadonlyMap<number, FieldProblem> {
  const refused = new Map<number, FieldProblem>();
  for (let group = 0; group < numbers.length; group++) {
    for (const draft of membersOf(groups, group)) {
      const own = drafts.ownNumberAt(draft);
      if (own === undefined || numbers[group] !== 0) continue;
      const holder = registry.holderOf(own);
      const isFree = holder === undefined || (!isOwned(own) && drafts.isSame(draft, holder));
      if (isFree && !taken.has(own)) {
        taken.add(own);
        numbers[group] = own;
        continue;
      }
      const by = isFree ? 'another record of this run has it' : `it belongs to ${describeHolder(holder)}`;
      refused.set(draft, { field: 'id', message: `${own} cannot be used: ${by}` });
    }
  }
  return refused;
}

function membersOf({ members, starts }: Groups, group: number): Uint32Array {
  return members.subarray(starts[group], starts[group + 1]);
}
