// A helper thread that packs batches of lines, one after another. Started and ended by line-threads.ts.

import { parentPort, workerData } from 'node:worker_threads';
import { type LineBatch, type PackOptions, packLines } from './pack-lines.ts';

const options = workerData as PackOptions;

parentPort?.on('message', (batch: LineBatch) => {
  const packed = packLines(batch, options);
  const { ids, known, psids, runs, ends, bytes } = packed;
  // packLines made them.
  const buffers = [ids, known, psids, runs, ends, bytes].map((each) => each.buffer as ArrayBuffer);
  parentPort?.postMessage(packed, buffers);
});
