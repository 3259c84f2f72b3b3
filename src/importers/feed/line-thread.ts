// A helper thread that packs batches of lines, one after another. Started and ended by line-threads.ts.

import { parentPort } from 'node:worker_threads';
import { type LineBatch, packLines } from './pack-lines.ts';

parentPort?.on('message', (batch: LineBatch) => {
  const packed = packLines(batch);
  const { ids, psids, runs, ends, bytes } = packed;
  const buffers = [ids, psids, runs, ends, bytes].map((each) => each.buffer as ArrayBuffer); // packLines made them
  parentPort?.postMessage(packed, buffers);
});
