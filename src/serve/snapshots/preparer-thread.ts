// A thread for what is made from the live generation: posts it and waits for the next. It is kept because its
// code would else be compiled again after every swap. Started by preparer.ts.

import { parentPort, workerData } from 'node:worker_threads';
import { DIALECTS } from '../../dialects/dialects.ts';
import type { FromPreparer, PreparerData, ToPreparer } from '../messages.ts';
import { lowerOwnPriority } from '../priority.ts';
import { collectGarbageSoon } from '../thread.ts';
import { HaltedError, prepareData } from './prepare-data.ts';

try {
  lowerOwnPriority();
} catch {
  // Not allowed here: requests and this thread then share the cores equally. The loader says so in the log.
}
const data = workerData as PreparerData;
const dialects = DIALECTS.filter(({ name }) => data.dialects.includes(name));
const post = (message: FromPreparer): void => parentPort?.postMessage(message);

parentPort?.on('message', (message: ToPreparer) => {
  if (message.kind === 'stop') {
    parentPort?.close();
    return;
  }
  const { number, preparation } = message;
  try {
    prepareData(preparation, dialects, (prepared) => post({ number, prepared }));
  } catch (error) {
    if (!(error instanceof HaltedError)) throw error;
  }
  collectGarbageSoon();
});
