// A helper thread that deflates blocks. Started by deflate-blocks.ts; ends after the last stretch.

import { workerData } from 'node:worker_threads';
import { type DeflateJob, StretchWorker } from './deflate-blocks.ts';

const { job, owner } = workerData as { readonly job: DeflateJob; readonly owner: number };
const worker = new StretchWorker(job, owner);
while (worker.takeStretch());
