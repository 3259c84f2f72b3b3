// What one transfer may take: a file, or all answers of a mirror.

export interface TransferLimits {
  readonly maxBytes: number;
  readonly maxMs: number;
}

export const DEFAULT_TRANSFER_LIMITS: TransferLimits = { maxBytes: 4 * 2 ** 30, maxMs: 2 * 3_600_000 };
