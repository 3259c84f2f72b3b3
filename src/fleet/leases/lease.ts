// What a replica and the engine of the quotas say to each other. A quota is GCRA's, as in one process: a key
// has a level, which each token raises by one emission interval, and which falls with time. Levels are in
// milliseconds: the tat, from now. The engine keeps them on its own clock.

/** GCRA's terms. */
export interface LeaseRate {
  readonly emissionIntervalMs: number;
  readonly burst: number;
}

/** What a replica asks for one key. */
export interface KeyCall {
  readonly id: string;
  readonly rate: LeaseRate;
  /** Tokens that were spent already, or without which a request cannot be admitted: granted first. */
  readonly owed: number;
  /** Tokens to be spent soon: at most a fair part of what is left is granted. */
  readonly wanted: number;
  /** Tokens of earlier leases that nobody will spend here. */
  readonly returned: number;
  /** The key's level now, by what this replica last heard. */
  readonly seenMs: number;
}

export interface KeyReply {
  readonly granted: number;
  readonly levelMs: number;
  /** The engine no longer knew a level that this replica had seen. */
  readonly isLost: boolean;
}

export interface LeaseCall {
  readonly keys: readonly KeyCall[];
  /** The epoch of the engine's memory that this replica has heard of, or ''. */
  readonly epoch: string;
  /** `seenMs` is not less than what the engine knows, whose memory may be gone. */
  readonly isRestating: boolean;
  /** The engine's time by the replica's reckoning, or 0. If it is far later, nothing is granted. */
  readonly expectedMs: number;
  /** The replica ends. */
  readonly isLeaving: boolean;
}

export interface LeaseReply {
  /** In the order of the call's keys. */
  readonly keys: readonly KeyReply[];
  /** Of the engine's clock. */
  readonly nowMs: number;
  /** Those that called in the last seconds, this one included. */
  readonly replicas: number;
  /** Nothing is granted yet: the memory was lost, and replicas restate what they saw. */
  readonly isHolding: boolean;
  readonly epoch: string;
}

/** What an engine says of itself. */
export interface EngineFacts {
  /** Of its `maxmemory-policy`; undefined if it does not say. */
  readonly evictionPolicy: string | undefined;
}

/** All methods but `close` reject with EngineError. */
export interface LeaseEngine {
  /** Before the first call, and after one that was rejected. */
  connect(): Promise<EngineFacts>;
  /** Is never repeated: tokens may be returned only once. */
  call(call: LeaseCall): Promise<LeaseReply>;
  close(): void;
}
