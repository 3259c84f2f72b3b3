// The second thread of a check of details. Started by detail-check.ts; it ends with the last stretch.

import { workerData } from 'node:worker_threads';
import { type DetailJob, takeStretches } from './detail-check.ts';

takeStretches(workerData as DetailJob);
