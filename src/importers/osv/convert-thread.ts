// A helper thread that converts batches of files, one after another. Started and ended by convert-threads.ts.

import { parentPort } from 'node:worker_threads';
import type { OsvFile } from './osv-file.ts';
import { buffersOf, packFiles } from './pack-files.ts';

parentPort?.on('message', (files: readonly OsvFile[]) => {
  const entries = packFiles(files);
  parentPort?.postMessage(entries, buffersOf(entries));
});
