// What is printed for the person at the terminal once the server listens.

import type { Generation } from '../index/generation.ts';
import { openGeneration } from '../loader/snapshot/load.ts';
import type { SupervisorRecord } from './supervisor-record.ts';

interface GreetingContext extends Served {
  readonly generation: Generation | undefined;
}

interface Served {
  readonly address: string;
  /** The key made for this run. */
  readonly key: string | undefined;
  /** The address of the console; undefined if it is off. */
  readonly consoleUrl: string | undefined;
}

/** Lines in place of the one that names the console. */
export type Greet = (context: GreetingContext) => readonly string[];

/**
 * A separate function, because `run` never ends and its variables would keep the first generation in memory.
 */
export function greeting(
  greet: Greet | undefined,
  { generation: posted }: Pick<SupervisorRecord, 'generation'>,
  served: Served,
): readonly string[] {
  if (greet === undefined) return consoleLine(served);
  const generation = posted === undefined ? undefined : openGeneration(posted.parts, posted.packed);
  return greet({ ...served, generation });
}

/**
 * The key of this run is printed above in any case; in the fragment, which browsers do not
 * send, it opens the page at once.
 */
function consoleLine({ consoleUrl, key }: Served): readonly string[] {
  if (consoleUrl === undefined) return [];
  return [`console on ${consoleUrl}${key === undefined ? '' : `#/lookup?key=${key}`}`];
}
