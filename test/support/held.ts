// Whether something is still in memory once nobody should hold it.

import { collectGarbage } from '../../src/serve/thread.ts';

/** Collects garbage first. Make the target in a function of its own: a stack frame holds its variables. */
export async function isHeldInMemory(target: WeakRef<object>): Promise<boolean> {
  // Until the end of a turn a WeakRef holds its target itself.
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  return target.deref() !== undefined;
}
