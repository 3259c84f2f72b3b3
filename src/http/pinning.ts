// The parameter `snapshot`, which every keyed route about the data has: its answer comes from the generation
// with that id, as long as the process holds it, so that several requests agree while the data is refreshed.

import type { Generation } from '../index/generation.ts';
import { SNAPSHOT_ID, SNAPSHOT_ID_DIGITS } from '../index/snapshot-id.ts';
import type { KeptGeneration } from './context.ts';
import type { PreparedSet } from './replies/prepared-files.ts';
import { type ParameterError, serviceProblem } from './replies/problems.ts';
import { type Answer, type Refusal, refuse } from './replies/responses.ts';
import { readParameters } from './routing/query.ts';

/** Where an answer comes from. */
type Pin = { readonly kind: 'live' } | { readonly kind: 'pinned'; readonly generation: Generation } | Refusal;

export const LIVE: Pin = { kind: 'live' };

/** What is wrong with the text of a snapshot's id, or undefined. */
export function idComplaint(text: string): string | undefined {
  if (SNAPSHOT_ID.test(text)) return undefined;
  return `must be the id of a snapshot: ${SNAPSHOT_ID_DIGITS} hex digits, as an ETag begins with`;
}

/** Reads the parameter from a query that is not empty. */
export function pinOf(query: string, kept: readonly KeptGeneration[]): Pin {
  // Its name can be escaped, so only a query without either needs no decoding.
  if (!query.includes('snapshot') && !query.includes('%')) return LIVE;
  const id = namedSnapshot(query);
  if (typeof id === 'object') return id;
  if (id === undefined) return LIVE;
  const found = kept.find(({ generation }) => generation.id === id);
  if (found !== undefined) return { kind: 'pinned', generation: found.generation };
  return unknownSnapshot(id, idsOf(kept));
}

/** The parameter, undefined if there is none, or what to answer if it is not the id of a snapshot. */
export function namedSnapshot(query: string): string | Refusal | undefined {
  const errors: ParameterError[] = [];
  const [id] = readParameters(query, ['snapshot'], errors);
  if (id !== undefined) {
    const message = idComplaint(id);
    if (message !== undefined) errors.push({ parameter: 'snapshot', message });
  }
  if (errors.length === 0) return id;
  const [{ parameter, message }] = errors;
  return refuse({ ...serviceProblem('invalid_parameter', `${parameter}: ${message}`), errors });
}

/** 412, with the ids of what is there, newest first. */
export function unknownSnapshot(id: string, snapshots: readonly string[], advice?: string): Refusal {
  const more = advice === undefined ? '' : `; ${advice}`;
  const detail = `Snapshot ${id} is not held here. There is ${snapshots.join(', ')}${more}.`;
  return refuse({ ...serviceProblem('unknown_snapshot', detail), members: { snapshots } });
}

export function idsOf(kept: readonly KeptGeneration[]): readonly string[] {
  return kept.map(({ generation }) => generation.id);
}

/** The answer, or 412 if it is a file that was prepared from another generation than the pinned one. */
export function asPinned(answer: Answer, generation: Generation, prepared: PreparedSet | undefined): Answer {
  if (answer.kind !== 'prepared' || prepared === undefined || prepared.snapshot === generation.id)
    return answer;
  return unknownSnapshot(generation.id, [prepared.snapshot]);
}
