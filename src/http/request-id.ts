// Ids for requests that came without one: what this thread is called, and how many it has named. Random ids would
// cost as much as the rest of a refusal.

import { randomBytes } from 'node:crypto';

const THREAD_BYTES = 8; // two threads of a fleet with the same name are not to be expected

/** A source of ids that no other source gives, each of the characters that the service accepts in one. */
export function requestIds(): () => string {
  const thread = randomBytes(THREAD_BYTES).toString('hex');
  let count = 0;
  return () => {
    count += 1;
    return `${thread}-${count}`;
  };
}
