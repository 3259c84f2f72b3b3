// The helper thread of a load. Started by load-helper.ts; ends with it.

import { workerData } from 'node:worker_threads';
import { type HelperJob, helpLoad } from './load-helper.ts';

helpLoad(workerData as HelperJob);
