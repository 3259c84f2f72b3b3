// Work that must not grow with the square of its input: it is given so much that it would then outlast any
// patience.

import { runInNewContext } from 'node:vm';
import { PATIENCE_MS } from './until.ts';

/**
 * What the work returns. Interrupts it when the patience has run out, which a timer of this thread could not.
 */
export function finishes<Value>(work: () => Value): Value {
  return runInNewContext('work()', { work }, { timeout: PATIENCE_MS }) as Value;
}
