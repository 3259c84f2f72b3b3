// A helper thread that converts batches of files, one after another. Started and ended by convert-threads.ts.

import { parentPort } from 'node:worker_threads';
import { type NewFile, packFiles } from './pack-files.ts';

parentPort?.on('message', (files: readonly NewFile[]) => {
  const packed = packFiles(files);
  parentPort?.postMessage(packed, [packed.bytes.buffer as ArrayBuffer, packed.ends.buffer as ArrayBuffer]);
});
