// Members of a feed record that the format does not have: finds them, guesses what was meant, and reports
// each once per compilation. They are ignored, but never silently: `cve` instead of `cves` loses data.

import { distance } from 'fastest-levenshtein';
import { FEED_RECORD, type FieldProblem, type Schema } from '../record/feed-schema.ts';

interface UnknownMember {
  /** For example `affected[0].fixedIn`. */
  readonly field: string;
  /** The most similar name that the same object may have. */
  readonly nearest: string | undefined;
}

const NONE: readonly UnknownMember[] = [];
/** Distinct names to count; a feed with ever new names must not fill the memory. */
const MAX_NAMES = 100;
const SHOWN_CHARACTERS = 80;
const PLAIN = /^[\w.[\]-]+$/;
/** Shorter names are similar to everything. */
const MIN_PREFIX = 3;
/** No name of the format is similar to a longer one. */
const MAX_NEAR_LENGTH = 40;

/** The unknown members of one record, in order. */
export function findUnknownMembers(record: object): readonly UnknownMember[] {
  members ??= membersOf(FEED_RECORD);
  // Nearly every record: no need to build paths.
  if (members !== null && !hasUnknown(record, members)) return NONE;
  const found: UnknownMember[] = [];
  const visit = (value: unknown, schema: Schema, field: string): void => {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      const { items } = schema;
      if (items === undefined) return;
      for (let at = 0; at < value.length; at++) visit(value[at], items, `${field}[${at}]`);
      return;
    }
    const { properties } = schema;
    if (properties === undefined) return;
    for (const [name, inner] of Object.entries(value)) {
      const path = field === '' ? name : `${field}.${name}`;
      if (Object.hasOwn(properties, name)) {
        visit(inner, properties[name], path);
      } else {
        found.push({ field: path, nearest: nearestName(name, Object.keys(properties)) });
      }
    }
  };
  visit(record, FEED_RECORD, '');
  return found;
}

/**
 * The names that an object may have, each with those of what is inside it; null for a value without members.
 */
type Members = ReadonlyMap<string, Members | null>;

let members: Members | null | undefined;

function membersOf({ properties, items }: Schema): Members | null {
  if (items !== undefined) return membersOf(items); // of each element
  if (properties === undefined) return null;
  return new Map(Object.entries(properties).map(([name, inner]) => [name, membersOf(inner)]));
}

function hasUnknown(value: unknown, known: Members): boolean {
  if (typeof value !== 'object' || value === null) return false;
  // A list in a list is refused by the schema; it may be nested deeper than the stack.
  if (Array.isArray(value)) return value.some((item) => !Array.isArray(item) && hasUnknown(item, known));
  for (const name in value) {
    const inner = known.get(name);
    if (inner === undefined) return true;
    if (inner !== null && hasUnknown((value as Record<string, unknown>)[name], inner)) return true;
  }
  return false;
}

/** What is wrong with a record that has an unknown member. */
export function unknownMemberProblem({ field, nearest }: UnknownMember): FieldProblem {
  return { field: shownName(field), message: `is not a member of the feed format${hint(nearest)}` };
}

interface Tally {
  /** Where it was first seen. */
  readonly place: string;
  readonly nearest: string | undefined;
  records: number;
}

/** Counts the unknown members of a compilation. */
export class UnknownMembers {
  readonly #tallies = new Map<string, Tally>();
  #uncounted = 0;

  /** Adds the unknown members of one record. */
  note(members: readonly UnknownMember[], file: string, line: number): void {
    if (members.length === 0) return;
    const names = new Map(members.map(({ field, nearest }) => [field.replace(/\[\d+\]/g, '[]'), nearest]));
    for (const [name, nearest] of names) {
      const tally = this.#tallies.get(name);
      if (tally !== undefined) tally.records++;
      else if (this.#tallies.size === MAX_NAMES) this.#uncounted++;
      else this.#tallies.set(name, { place: `${file}:${line}`, nearest, records: 1 });
    }
  }

  /** One line for each, in order of first appearance. */
  warnings(): string[] {
    const lines = [...this.#tallies].map(
      ([name, { place, nearest, records }]) =>
        `${place}: warning: ${shownName(name)}: is not a member of the feed format and was ignored ` +
        `in ${formatCount(records)} ${records === 1 ? 'record' : 'records'}${hint(nearest)}`,
    );
    if (this.#uncounted > 0) {
      const more = `${formatCount(this.#uncounted)} more unknown members were ignored`;
      lines.push(`warning: ${more}`);
    }
    return lines;
  }
}

/** The known name most likely meant; undefined when none is similar. */
function nearestName(name: string, known: readonly string[]): string | undefined {
  const plain = plainName(name);
  if (plain.length === 0 || plain.length > MAX_NEAR_LENGTH) return undefined;
  const mostEdits = Math.max(1, Math.floor(plain.length / 3));
  let best: { readonly name: string; readonly cost: number } | undefined;
  for (const candidate of known) {
    const other = plainName(candidate);
    const isPrefix =
      Math.min(plain.length, other.length) >= MIN_PREFIX &&
      (other.startsWith(plain) || plain.startsWith(other));
    const edits = distance(plain, other);
    if (edits > mostEdits && !isPrefix) continue;
    const cost = isPrefix ? edits - 0.5 : edits; // at equal distance a prefix wins: cve means cves, not cwe
    if (best === undefined || cost < best.cost) best = { name: candidate, cost };
  }
  return best?.name;
}

/** Without case and word separators, which people write differently. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

function hint(nearest: string | undefined): string {
  return nearest === undefined ? '' : `; did you mean ${nearest}?`;
}

/** A name from a feed can contain anything; this keeps it on one line of a terminal or log. */
function shownName(name: string): string {
  const shown = name.length <= SHOWN_CHARACTERS ? name : `${name.slice(0, SHOWN_CHARACTERS - 1)}…`;
  return PLAIN.test(name) && shown === name ? name : JSON.stringify(shown);
}

function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}
