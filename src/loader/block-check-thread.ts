// The helper thread of a block check. Started by block-check.ts; ends after the last stretch.

import { workerData } from 'node:worker_threads';
import { type BlockJob, takeStretches } from './block-check.ts';

takeStretches(workerData as BlockJob);
