// The defaults of the guards against losing data: of the options of `compile`, and of the configuration of
// `refresh`.

/** In percent. The second is also what a server refuses by default. */
export const DEFAULT_LOSS_LIMITS = { maxWithdrawn: 10, maxShrink: 20 } as const;
