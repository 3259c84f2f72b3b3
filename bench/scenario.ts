// What a scenario is: the requests of one kind of client, and the status that each must get.

import type { Question } from './questions.ts';

export interface BenchRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface Scenario {
  readonly name: string;
  /** What is requested, for a reader of the table. */
  readonly title: string;
  /** Sent in this order, repeatedly. */
  readonly requests: readonly BenchRequest[];
  /** The status that every request must get. */
  readonly status: number;
}

export type Suffix = '' | '/exists';

/** The path of a lookup in the contract's API, below the root or another endpoint. */
export function productPath(
  { type, name, version }: Question,
  suffix: Suffix = '',
  endpoint = 'product',
): string {
  return `/${endpoint}/${type}/${encodeURIComponent(name)}/${encodeURIComponent(version)}${suffix}`;
}
