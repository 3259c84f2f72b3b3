// Ids for requests that have none: a random name for this thread, and a count. A random id for each request
// would cost as much as the rest of a refusal.

import { randomBytes } from 'node:crypto';

const THREAD_BYTES = 8; // enough that no two threads of a fleet have the same name

/** A generator of ids that no other generator returns, in characters that the service accepts. */
export function requestIds(): () => string {
  const thread = randomBytes(THREAD_BYTES).toString('hex');
  let count = 0;
  return () => {
    count += 1;
    return `${thread}-${count}`;
  };
}
