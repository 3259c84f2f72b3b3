// A thread for what is made from one generation: posts it and ends, which frees the memory it
// needed. Started by preparer.ts.

import { getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { DIALECTS } from '../../dialects/dialects.ts';
import type { PreparerData } from '../messages.ts';
import { HaltedError, prepareData } from './prepare-data.ts';

const NICENESS = 10; // as the loader: requests come first

try {
  // This thread alone: on Linux a priority belongs to a thread.
  if (getPriority() < NICENESS) setPriority(NICENESS);
} catch {
  // Not allowed here: requests and this thread then share the cores equally. The loader says so in the log.
}
const data = workerData as PreparerData;
const dialects = DIALECTS.filter(({ name }) => data.dialects.includes(name));
try {
  prepareData(data, dialects, (message) => parentPort?.postMessage(message));
} catch (error) {
  if (!(error instanceof HaltedError)) throw error;
}
