// Which drafts are one advisory. Only drafts of one product can be. Within a source, those are one of which one names
// the other's id; between sources, those that share any id, but never two advisories of one source. Numbers only: what
// the drafts say is merged elsewhere.

/** What decides; ids are numbers, equal if and only if the ids are. */
export interface DraftKeys {
  readonly length: number;
  readonly productCount: number;
  sourceAt(draft: number): number;
  productAt(draft: number): number;
  /** The id under which its source publishes it; undefined if the record does not say. */
  selfAt(draft: number): number | undefined;
  /** All ids of the record, each once. */
  idsAt(draft: number): Uint32Array;
  /** The id that identifies the draft in its source. */
  sourceIdText(draft: number): string;
}

/** Group `g` has the members from `starts[g]` to `starts[g + 1]`, the most preferred first. */
export interface Groups {
  readonly members: Uint32Array;
  readonly starts: Uint32Array;
}

/** Drafts that are in no group. */
type Left = Pick<ReadonlySet<number>, 'has' | 'size'>;
/** One advisory of one source, or of several: never empty, the most preferred member first. */
type Members = readonly number[];

/**
 * Groups all drafts but those in `left`. `order` has the sources, the most preferred first. Groups are in the order of
 * their first member in `keys`.
 */
export function groupDrafts(keys: DraftKeys, order: readonly number[], left: Left = new Set()): Groups {
  const groups: Members[] = [];
  for (const drafts of draftsByProduct(keys, left)) {
    if (drafts.length === 1) groups.push([drafts[0]]);
    else groups.push(...groupOneProduct(keys, drafts, order));
  }
  const first = groups.map((members) => Math.min(...members));
  const inOrder = Uint32Array.from(groups.keys()).sort((a, b) => first[a] - first[b]);
  const starts = new Uint32Array(groups.length + 1);
  const members = new Uint32Array(keys.length - left.size);
  inOrder.forEach((group, i) => {
    members.set(groups[group], starts[i]);
    starts[i + 1] = starts[i] + groups[group].length;
  });
  return { members, starts };
}

/** The drafts of each product, in their order. */
function* draftsByProduct(keys: DraftKeys, left: Left): Generator<Uint32Array> {
  const starts = new Uint32Array(keys.productCount + 1);
  for (let draft = 0; draft < keys.length; draft++) {
    if (!left.has(draft)) starts[keys.productAt(draft) + 1]++;
  }
  for (let product = 0; product < keys.productCount; product++) starts[product + 1] += starts[product];
  const ends = starts.slice();
  const drafts = new Uint32Array(keys.length - left.size);
  for (let draft = 0; draft < keys.length; draft++) {
    if (!left.has(draft)) drafts[ends[keys.productAt(draft)]++] = draft;
  }
  for (let product = 0; product < keys.productCount; product++) {
    if (starts[product] < ends[product]) yield drafts.subarray(starts[product], ends[product]);
  }
}

/** Source by source, the most preferred first: each of its advisories joins the group it fits best, or begins one. */
function groupOneProduct(keys: DraftKeys, drafts: Uint32Array, order: readonly number[]): Members[] {
  const groups: number[][] = [];
  const groupsById = new Map<number, Set<number>>();
  for (const source of order) {
    const own = drafts.filter((draft) => keys.sourceAt(draft) === source);
    if (own.length === 0) continue;
    const units = unitsOf(keys, own);
    const partners = pairUp(keys, units, groups, groupsById);
    units.forEach((unit, i) => {
      const at = partners[i] ?? groups.push([]) - 1;
      groups[at].push(...unit);
      for (const draft of unit) {
        for (const id of keys.idsAt(draft)) {
          const known = groupsById.get(id);
          if (known === undefined) groupsById.set(id, new Set([at]));
          else known.add(at);
        }
      }
    });
  }
  return groups;
}

interface Pair {
  readonly unit: number;
  readonly group: number;
  readonly shared: number;
}

/** For each unit the group that it joins, if any; no group is joined twice. The pairs that share most ids come first. */
function pairUp(
  keys: DraftKeys,
  units: readonly Members[],
  groups: readonly Members[],
  groupsById: ReadonlyMap<number, ReadonlySet<number>>,
): (number | undefined)[] {
  const pairs: Pair[] = [];
  units.forEach((members, unit) => {
    const shared = new Map<number, number>();
    for (const id of new Set(members.flatMap((draft) => [...keys.idsAt(draft)]))) {
      for (const group of groupsById.get(id) ?? []) shared.set(group, (shared.get(group) ?? 0) + 1);
    }
    for (const [group, count] of shared) pairs.push({ unit, group, shared: count });
  });
  const nameOf = (members: Members): string => keys.sourceIdText(members[0]);
  pairs.sort(
    (a, b) =>
      b.shared - a.shared ||
      compare(nameOf(groups[a.group]), nameOf(groups[b.group])) ||
      a.group - b.group || // groups of more preferred sources were made first
      compare(nameOf(units[a.unit]), nameOf(units[b.unit])),
  );
  const joined: (number | undefined)[] = units.map(() => undefined);
  const taken = new Set<number>();
  for (const { unit, group } of pairs) {
    if (joined[unit] !== undefined || taken.has(group)) continue;
    joined[unit] = group;
    taken.add(group);
  }
  return joined;
}

/** The advisories of one source for one product: drafts of which one names the other's id are one. */
function unitsOf(keys: DraftKeys, drafts: Uint32Array): Members[] {
  if (drafts.length === 1) return [[drafts[0]]];
  const bySelf = new Map<number, number[]>();
  for (const draft of drafts) {
    const self = keys.selfAt(draft);
    if (self === undefined) continue;
    const same = bySelf.get(self);
    if (same === undefined) bySelf.set(self, [draft]);
    else same.push(draft);
  }
  const parents = new Map<number, number>();
  const rootOf = (draft: number): number => {
    let root = draft;
    for (let parent = parents.get(root); parent !== undefined; parent = parents.get(root)) root = parent;
    if (root !== draft) parents.set(draft, root);
    return root;
  };
  for (const draft of drafts) {
    for (const id of keys.idsAt(draft)) {
      if (id === keys.selfAt(draft)) continue;
      for (const named of bySelf.get(id) ?? []) {
        const [a, b] = [rootOf(draft), rootOf(named)];
        if (a !== b) parents.set(Math.max(a, b), Math.min(a, b));
      }
    }
  }
  const units = new Map<number, number[]>();
  for (const draft of drafts) {
    const root = rootOf(draft);
    const unit = units.get(root);
    if (unit === undefined) units.set(root, [draft]);
    else unit.push(draft);
  }
  return [...units.values()].map((unit) => unit.sort((a, b) => compareTwins(keys, a, b)));
}

/** Reviewed advisories before others, then by id: the record with the better text comes first. */
function compareTwins(keys: DraftKeys, a: number, b: number): number {
  const [one, other] = [keys.sourceIdText(a), keys.sourceIdText(b)];
  return Number(isReviewed(other)) - Number(isReviewed(one)) || compare(one, other) || a - b;
}

function isReviewed(sourceId: string): boolean {
  return /^GHSA-/i.test(sourceId);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
