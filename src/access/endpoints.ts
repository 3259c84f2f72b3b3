// The endpoint names that a tier lists. Owns only the names: which path belongs to which is up to the routes of the
// dialects, whose type admits no other names.

export const ENDPOINTS = ['all', 'latest', 'product', 'exists', 'batch', 'vulnerability'] as const;

export type Endpoint = (typeof ENDPOINTS)[number];

/** The most items in one batch, which may cost as many requests: see `batch_cost` of a tier. */
export const MAX_BATCH_ITEMS = 50;
