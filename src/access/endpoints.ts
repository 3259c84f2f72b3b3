// The names by which a tier lists what it may call. Owns the list only: paths belong to the server's routes.

export const ENDPOINTS = ['all', 'latest', 'product', 'exists', 'batch', 'vulnerability'] as const;

export type Endpoint = (typeof ENDPOINTS)[number];
