// Records of one source that are one vulnerability: several databases publish it, each under its own id, and
// an export has all of them. Two are one if they name each other, nothing they say differs, and nothing
// leaves a choice; docs/sources.md has the rule.

import type { DraftFacts } from './draft-facts.ts';
import { type DraftKeys, MAX_SHARING } from './draft-keys.ts';

/** By draft, then by database: those of the database that may be the same vulnerability. */
type Partners = ReadonlyMap<number, ReadonlyMap<string, ReadonlySet<number>>>;

/**
 * The drafts of each vulnerability, in the order of their first; most are alone. Requires: drafts of one
 * product and one source, without malware reports.
 */
export function twinsAmong(keys: DraftKeys, drafts: readonly number[], facts: DraftFacts): number[][] {
  if (drafts.length < 2) return drafts.map((draft) => [draft]);
  const partners = partnersOf(keys, drafts, facts);
  if (partners.size === 0) return drafts.map((draft) => [draft]);
  const seen = new Set<number>();
  return drafts.flatMap((draft) => {
    if (seen.has(draft)) return [];
    const together = reachable(keys, draft, partners);
    for (const each of together) seen.add(each);
    return isOne(keys, together) ? [together] : together.map((each) => [each]);
  });
}

function partnersOf(keys: DraftKeys, drafts: readonly number[], facts: DraftFacts): Partners {
  const carriers = new Map<number, number[]>();
  for (const draft of drafts) {
    const own = ownIds(keys, draft);
    if (own.length === 0 || keys.isClosure(draft)) continue;
    for (const id of new Set([...own, ...keys.namesAt(draft)])) {
      const known = carriers.get(id);
      if (known === undefined) carriers.set(id, [draft]);
      else known.push(draft);
    }
  }
  const partners = new Map<number, Map<string, Set<number>>>();
  const note = (one: number, other: number): void => {
    const known = partners.get(one) ?? new Map<string, Set<number>>();
    partners.set(one, known);
    const database = databaseOf(keys, other);
    known.set(database, (known.get(database) ?? new Set()).add(other));
  };
  for (const [id, sharing] of carriers) {
    if (sharing.length < 2 || sharing.length > MAX_SHARING) continue;
    for (const owner of sharing.filter((draft) => ownIds(keys, draft).includes(id))) {
      for (const other of sharing) {
        if (other === owner || !areAlike(keys, owner, other, facts)) continue;
        note(owner, other);
        note(other, owner);
      }
    }
  }
  return partners;
}

function ownIds(keys: DraftKeys, draft: number): number[] {
  return [keys.selfAt(draft) ?? [], keys.ghsaAt(draft) ?? []].flat();
}

/** `GHSA`, `PYSEC`: the letters that the ids of a database begin with. */
function databaseOf(keys: DraftKeys, draft: number): string {
  const [own] = ownIds(keys, draft); // only drafts that have one are compared
  const text = keys.idText(own);
  return text.slice(0, Math.max(0, text.indexOf('-')));
}

function areAlike(keys: DraftKeys, a: number, b: number, facts: DraftFacts): boolean {
  return (
    keys.isWithdrawn(a) === keys.isWithdrawn(b) &&
    // A database does not publish one vulnerability twice.
    databaseOf(keys, a) !== databaseOf(keys, b) &&
    isOne(keys, [a, b]) &&
    facts.versionsOf(a) === facts.versionsOf(b)
  );
}

/** The draft, and all that are linked with it without a choice. */
function reachable(keys: DraftKeys, start: number, partners: Partners): number[] {
  const found = new Set([start]);
  // A set goes on with what is added while it is walked.
  for (const draft of found) {
    for (const several of partners.get(draft)?.values() ?? []) {
      const [other] = several;
      const back = partners.get(other)?.get(databaseOf(keys, draft));
      if (several.size === 1 && back?.size === 1) found.add(other);
    }
  }
  return [...found];
}

/** Whether nothing that any of them says contradicts another. */
function isOne(keys: DraftKeys, drafts: readonly number[]): boolean {
  if (drafts.length === 1) return true;
  const databases = new Set(drafts.map((draft) => databaseOf(keys, draft)));
  const ghsas = new Set(drafts.flatMap((draft) => keys.ghsaAt(draft) ?? []));
  const cves = drafts.map((draft) => new Set(keys.cvesAt(draft)));
  return (
    databases.size === drafts.length &&
    ghsas.size <= 1 &&
    cves.every((one, i) => cves.slice(i + 1).every((other) => areSameCves(one, other)))
  );
}

/** A record without any leaves open which it is about. */
export function areSameCves(a: ReadonlySet<number>, b: ReadonlySet<number>): boolean {
  return a.size === 0 || b.size === 0 || (a.size === b.size && [...a].every((id) => b.has(id)));
}
