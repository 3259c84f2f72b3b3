// Weakness and score of a record. Clients check each member's type, so what is not known is null as a whole.

import type { Generation } from '../../index/generation.ts';
import type { ItemView } from '../../index/items/item-view.ts';

export interface Cwe {
  readonly id: number;
  readonly name: string;
  readonly description: string;
}

export interface Cvss {
  readonly vector: string;
  readonly score: number;
  readonly rating: string;
}

/** Null without a number. Snapshots have no descriptions of weaknesses. Requires: the view is on the advisory. */
export function cweOf(view: ItemView): Cwe | null {
  const id = view.number('cweId');
  return id === null ? null : { id, name: view.text('cweName') ?? `CWE-${id}`, description: '' };
}

/** Null without a score. Requires: the view is on the advisory. */
export function cvssOf(generation: Generation, view: ItemView, ordinal: number): Cvss | null {
  const score = view.number('cvssScore');
  if (score === null) return null;
  // The loader checked that the term is a text.
  const severity = generation.records.termAt(generation.parts.columns.advisorySeverity[ordinal]) as string;
  return {
    vector: view.text('cvssVector') ?? '',
    score,
    rating: WORDS.get(severity.toLowerCase()) ?? ratingOf(score),
  };
}

/** Labels of sources, in the words of the feed. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['none', 'None'],
  ['low', 'Low'],
  ['medium', 'Medium'],
  ['moderate', 'Medium'],
  ['high', 'High'],
  ['critical', 'Critical'],
]);

/** By the scale of CVSS 3. */
export function ratingOf(score: number): string {
  if (score >= 9) return 'Critical';
  if (score >= 7) return 'High';
  if (score >= 4) return 'Medium';
  return score > 0 ? 'Low' : 'None';
}
