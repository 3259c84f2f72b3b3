// Requests come first: threads that make what requests will be answered from have a lower priority.

import { getPriority, setPriority } from 'node:os';

/**
 * A tenth of a core that is full. With 19 a request waits for less during a swap, and a swap takes three
 * times as long (docs/decisions/0005).
 */
const NICENESS = 10;

/**
 * Lowers the priority of the calling thread. On Linux it belongs to a thread; elsewhere it belongs to the
 * process, and stays. A process that its operator has given a lower one keeps it: only root may raise it.
 * Throws the system's error: a system call filter may forbid it.
 */
export function lowerOwnPriority(): void {
  if (process.platform === 'linux' && getPriority() < NICENESS) setPriority(NICENESS);
}
