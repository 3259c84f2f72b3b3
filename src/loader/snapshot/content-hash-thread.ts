// The helper thread of a content hash. Started by content-hash.ts; ends with the hash.

import { workerData } from 'node:worker_threads';
import { type HashJob, takeHashJob } from './content-hash.ts';

takeHashJob(workerData as HashJob);
