// The names by which a tier lists what it may call. Owns the list only: which path asks for which of them is said by
// the routes of the dialects, whose type knows no other names.

export const ENDPOINTS = ['all', 'latest', 'product', 'exists', 'batch', 'vulnerability'] as const;

export type Endpoint = (typeof ENDPOINTS)[number];

/** Of one batch, which may cost as many requests: see `batch_cost` of a tier. */
export const MAX_BATCH_ITEMS = 50;
