/** The most items in one batch, which may cost as many requests: see `batch_cost` of a tier. */
export const MAX_BATCH_ITEMS = 50;
