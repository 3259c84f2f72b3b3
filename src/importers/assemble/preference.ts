// Which source wins a field: one order of sources for all fields, and others for single fields. Also what
// wins between a malware report and the withdrawal of the advisory it is about.

import { FEED_RECORD, type FeedRecord } from '../record/feed-schema.ts';

export type FieldName = keyof FeedRecord;

/**
 * What becomes of a live malware report whose advisory is withdrawn: `origins` withdraws it too if it rests
 * on nothing else, and otherwise limits it to the versions that it lists; `stays` and `falls` do one thing
 * with every report.
 */
export const MALWARE_RULES = ['origins', 'stays', 'falls'] as const;
export type MalwareRule = (typeof MALWARE_RULES)[number];

/** Sources are numbered in the order in which they are read. */
export interface Preference {
  /** Every source once, the most preferred first. */
  readonly order: readonly number[];
  /** For fields with an order of their own: every source once. */
  readonly fields: ReadonlyMap<FieldName, readonly number[]>;
  readonly malware: MalwareRule;
}

export class PreferenceError extends Error {
  override readonly name = 'PreferenceError';
}

/** Fields that no source wins: the registry numbers records, and lists are merged. */
const UNCHOSEN: readonly string[] = ['id', 'cves', 'aliases', 'references', 'sources'];
/** These state one thing together; their order is that of `affected`. */
const WITH_AFFECTED: readonly string[] = ['affected_versions', 'version_scheme'];

const CHOSEN = Object.keys(FEED_RECORD.properties ?? {}).filter(
  (name) => !UNCHOSEN.includes(name) && !WITH_AFFECTED.includes(name),
);

/**
 * Parses rules such as `osv,wordfence` (all fields) and `cvss=wordfence` (one field). A source that a rule
 * does not name comes after those that it names, in the order for all fields. Throws PreferenceError.
 */
export function parsePreference(
  rules: readonly string[],
  names: readonly string[],
  malware: MalwareRule = 'origins',
): Preference {
  let order: readonly number[] | undefined;
  const ranked = new Map<FieldName, readonly number[]>();
  for (const rule of rules) {
    const at = rule.indexOf('=');
    const named = sourcesOf(rule, rule.slice(at + 1), names);
    if (at === -1) {
      if (order !== undefined) throw new PreferenceError(`${rule}: there is already an order for all fields`);
      order = named;
      continue;
    }
    const field = fieldOf(rule, rule.slice(0, at));
    if (ranked.has(field)) throw new PreferenceError(`${rule}: there is already an order for ${field}`);
    ranked.set(field, named);
  }
  const inOrder = completed(
    order ?? [],
    names.map((_, i) => i),
  );
  return {
    order: inOrder,
    fields: new Map([...ranked].map(([field, named]) => [field, completed(named, inOrder)])),
    malware,
  };
}

function completed(first: readonly number[], all: readonly number[]): readonly number[] {
  return [...first, ...all.filter((source) => !first.includes(source))];
}

function sourcesOf(rule: string, text: string, names: readonly string[]): readonly number[] {
  const found = text.split(',').map((word) => {
    const at = names.indexOf(word.trim());
    if (at !== -1) return at;
    throw new PreferenceError(
      `${rule}: ${JSON.stringify(word.trim())} is not a source of this run; they are ${names.join(', ')}`,
    );
  });
  if (new Set(found).size === found.length) return found;
  throw new PreferenceError(`${rule}: names a source twice`);
}

function fieldOf(rule: string, text: string): FieldName {
  const name = text.trim();
  if (CHOSEN.includes(name)) return name as FieldName; // CHOSEN holds only such names
  if (WITH_AFFECTED.includes(name)) {
    throw new PreferenceError(`${rule}: ${name} is taken together with affected; write affected=…`);
  }
  throw new PreferenceError(
    `${rule}: ${JSON.stringify(name)} is not a field that a source can win; they are ${CHOSEN.join(', ')}`,
  );
}
