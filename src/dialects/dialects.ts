// The languages that this server speaks. Adding one is a line here.

import { type Dialect, endpointsOf, labelsOf } from '../http/dialect.ts';
import { patchstack } from './patchstack/patchstack.ts';

/** The first tells clients of paths that no dialect has. */
export const DIALECTS: readonly Dialect[] = [patchstack];

/** What a tier can grant. */
export const ENDPOINTS = endpointsOf(DIALECTS);

/** What requests are counted as. */
export const ROUTE_LABELS = labelsOf(DIALECTS);
