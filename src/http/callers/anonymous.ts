// Callers without a key, on the mounts where the operator admits them: who they are, by their address, and
// what they may do. A request with any key is judged by that key, also here; auth.ts does so.

import { type Dialect, endpointsOf } from '../routing/dialect.ts';
import type { RequestView } from '../transport/request-view.ts';
import { clientBlock } from './address.ts';
import { AddressTable } from './address-table.ts';
import { ANONYMOUS_TIER, type AuthResult, type Caller, Endpoints, MISSING, type TierRules } from './auth.ts';
import { RateLimiter, tierRate } from './rate-limit.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/**
 * Without a tier of their own in the keys file: enough for a person and for the audits of a small project.
 */
export const DEFAULT_RATE = { limit: 1000, window_seconds: 3600 };

interface AnonymousOptions {
  /** Those that answer without a key. */
  readonly dialects: readonly Dialect[];
  /** The memory of an address table. */
  readonly memory: SharedArrayBuffer;
  readonly proxies: TrustedProxies;
}

export class AnonymousCallers {
  readonly #limiter: RateLimiter;
  /** The headers of each dialect that carry keys, in lower case. */
  readonly #keyHeaders: ReadonlyMap<Dialect, readonly string[]>;
  readonly #table: AddressTable;
  readonly #proxies: TrustedProxies;
  readonly #defaultTier: TierRules;

  constructor({ dialects, memory, proxies }: AnonymousOptions) {
    this.#limiter = new RateLimiter(memory);
    this.#keyHeaders = new Map(
      dialects.map((dialect) => [dialect, dialect.keys.headers.map((name) => name.toLowerCase())]),
    );
    this.#table = new AddressTable(memory);
    this.#proxies = proxies;
    this.#defaultTier = {
      tier: ANONYMOUS_TIER,
      endpoints: new Endpoints(endpointsOf(dialects)),
      batchCost: 'size',
      rate: tierRate(ANONYMOUS_TIER, DEFAULT_RATE),
    };
  }

  /**
   * Judges a request in which no key was found, or an unknown one of another service: `missing` on all other
   * mounts, and if a header that carries keys is there but cannot be read. `tier` is that of the keys file.
   */
  admit(request: RequestView, dialect: Dialect, tier: TierRules | undefined): AuthResult {
    const headers = this.#keyHeaders.get(dialect);
    if (headers === undefined) return MISSING;
    // All lines: an empty one must not hide a key behind it.
    const isSent = headers.some((name) => request.list(name) !== '');
    if (isSent && dialect.keys.isForeign?.(request) !== true) return MISSING;
    const block = clientBlock(this.#proxies.clientOf(request));
    const caller = new AnonymousCaller(tier ?? this.#defaultTier, this.#limiter, this.#table, block);
    return { kind: 'caller', caller };
  }
}

/** Finds its row whenever it is counted: when a body has arrived, the row may belong to another caller. */
class AnonymousCaller implements Caller {
  /** For the log. Never the address. */
  readonly id = ANONYMOUS_TIER;
  readonly tier: string;
  readonly endpoints: Pick<ReadonlySet<string>, 'has'>;
  readonly batchCost: Caller['batchCost'];
  readonly rate: Caller['rate'];
  readonly limiter: RateLimiter;
  readonly #table: AddressTable;
  readonly #block: string;

  constructor(rules: TierRules, limiter: RateLimiter, table: AddressTable, block: string) {
    this.tier = rules.tier;
    this.endpoints = rules.endpoints;
    this.batchCost = rules.batchCost;
    this.rate = rules.rate;
    this.limiter = limiter;
    this.#table = table;
    this.#block = block;
  }

  get source(): string {
    return `address ${this.#block}`;
  }

  get slot(): number {
    return this.#table.rowOf(this.#block);
  }
}
