// A helper thread that converts batches of files, one after another. Started and ended by convert-threads.ts.

import { parentPort, workerData } from 'node:worker_threads';
import type { ConvertOptions } from './informational.ts';
import { type NewFile, packFiles } from './pack-files.ts';

const options = workerData as ConvertOptions; // what convert-threads.ts gives

parentPort?.on('message', (files: readonly NewFile[]) => {
  const packed = packFiles(files, options);
  parentPort?.postMessage(packed, [packed.bytes.buffer as ArrayBuffer, packed.ends.buffer as ArrayBuffer]);
});
