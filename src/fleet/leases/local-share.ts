// What a replica grants itself while the engine cannot be used: of each quota the n-th part, n being the
// fleet as last heard. A key begins with its part of the level that this replica last saw. When the engine is
// back, what was granted here and has not drained since is owed.

import type { KeyCall, KeyReply } from './lease.ts';

interface Share {
  readonly slot: number;
  readonly intervalMs: number;
  /** The fleet's level as last heard, as if heard when the engine went. */
  seenMs: number;
  /** In tokens: the part of the level that was seen, and the level now; both drain alike. */
  seen: number;
  level: number;
  atMs: number;
}

/** What a key owes, and the fleet's level without it. */
interface Settled {
  readonly slot: number;
  readonly owed: number;
  readonly levelMs: number;
}

export class LocalShare {
  readonly #shares = new Map<string, Share>();
  readonly #replicas: number;
  readonly #sinceMs: number;

  /** Times are of one clock that never jumps. */
  constructor(replicas: number, nowMs: number) {
    this.#replicas = replicas;
    this.#sinceMs = nowMs;
  }

  /** The reply that the engine would give, had it a share of the quota alone. Takes nothing back. */
  lease(slot: number, key: KeyCall, nowMs: number): KeyReply {
    const { burst, emissionIntervalMs } = key.rate;
    const capacity = Math.max(1, burst / this.#replicas);
    const intervalMs = emissionIntervalMs * this.#replicas;
    const share = this.#shares.get(key.id) ?? this.#begin(slot, key, capacity, nowMs);
    drain(share, nowMs, intervalMs);
    // Sums of fractions: a token that is missing by a rounding is there.
    const left = Math.floor(capacity - share.level + 1e-9);
    const granted = Math.max(0, Math.min(key.owed + key.wanted, left));
    share.level += granted;
    const rest = left - granted;
    // As clients read it, by the key's own interval: so many left, or so long until the next.
    const levelMs =
      rest >= 1
        ? Math.max(0, burst - rest) * emissionIntervalMs
        : (burst - 1) * emissionIntervalMs + (share.level + 1 - capacity) * intervalMs;
    return { granted, levelMs, isLost: false };
  }

  /**
   * The level that was last heard from the engine, drained until now; undefined for a key without a share.
   */
  seenMs(id: string, nowMs: number): number | undefined {
    const share = this.#shares.get(id);
    return share === undefined ? undefined : Math.max(0, share.seenMs - (nowMs - this.#sinceMs));
  }

  /** The fleet's level was heard, in an answer that came late. */
  hear(id: string, levelMs: number, nowMs: number): void {
    const share = this.#shares.get(id);
    if (share !== undefined) share.seenMs = levelMs + nowMs - this.#sinceMs;
  }

  /** What every key owes. */
  *settle(nowMs: number): Iterable<Settled> {
    for (const share of this.#shares.values()) {
      drain(share, nowMs, share.intervalMs * this.#replicas);
      const levelMs = Math.max(0, share.seenMs - (nowMs - this.#sinceMs));
      yield { slot: share.slot, owed: Math.ceil(share.level - share.seen - 1e-9), levelMs };
    }
  }

  #begin(slot: number, { id, rate, seenMs }: KeyCall, capacity: number, nowMs: number): Share {
    const intervalMs = rate.emissionIntervalMs;
    const seen = Math.min(capacity, seenMs / intervalMs / this.#replicas);
    const sinceStartMs = nowMs - this.#sinceMs;
    const share: Share = { slot, intervalMs, seenMs: seenMs + sinceStartMs, seen, level: seen, atMs: nowMs };
    this.#shares.set(id, share);
    return share;
  }
}

function drain(share: Share, nowMs: number, intervalMs: number): void {
  const drained = Math.max(0, nowMs - share.atMs) / intervalMs;
  share.seen = Math.max(0, share.seen - drained);
  share.level = Math.max(share.seen, share.level - drained);
  share.atMs = nowMs;
}
