// The helper thread of a detail check. Started by detail-check.ts; ends after the last stretch.

import { workerData } from 'node:worker_threads';
import { type DetailJob, takeStretches } from './detail-check.ts';

takeStretches(workerData as DetailJob);
