// The endpoint names that a tier lists. Owns only the names: paths belong to the server's routes.

export const ENDPOINTS = ['all', 'latest', 'product', 'exists', 'batch', 'vulnerability'] as const;

export type Endpoint = (typeof ENDPOINTS)[number];

/** The most items in one batch, which may cost as many requests: see `batch_cost` of a tier. */
export const MAX_BATCH_ITEMS = 50;
