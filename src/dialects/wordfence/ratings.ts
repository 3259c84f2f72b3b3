// Weakness and score of a record. Clients check each member's type, so what is not known is null as a whole.

import type { Generation } from '../../index/generation.ts';
import type { ItemView } from '../../index/items/item-view.ts';
import { type Severity, severityFacts, severityOfLabel, severityOfScore } from '../severity.ts';

interface Cwe {
  readonly id: number;
  readonly name: string;
  readonly description: string;
}

interface Cvss {
  readonly vector: string;
  readonly score: number;
  readonly rating: string;
}

/**
 * Null without a number. Snapshots have no descriptions of weaknesses. Requires: the view is on the advisory.
 */
export function cweOf(view: ItemView): Cwe | null {
  const id = view.number('cweId');
  return id === null ? null : { id, name: view.text('cweName') ?? `CWE-${id}`, description: '' };
}

/** Null without a score. Requires: the view is on the advisory. */
export function cvssOf(generation: Generation, view: ItemView, ordinal: number): Cvss | null {
  const score = view.number('cvssScore');
  if (score === null) return null;
  const { label } = severityFacts(generation, ordinal, score);
  const rating = WORDS[severityOfLabel(label) ?? severityOfScore(score)];
  return { vector: view.text('cvssVector') ?? '', score, rating };
}

/** Severities in the words of the feed. */
const WORDS: Readonly<Record<Severity, string>> = {
  none: 'None',
  low: 'Low',
  medium: 'Medium',
  high: 'High',
  critical: 'Critical',
};
