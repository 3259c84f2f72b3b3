// Finds the caller of a key. A ring is one thread's view of the key table, and is replaced as a
// whole when the keys file changes. Status codes are the service's job, counting is
// rate-limit.ts's, the file is access/'s.

import { createHash } from 'node:crypto';
import { MAX_BATCH_ITEMS } from '../../access/batch-items.ts';
import { type KeyTable, KeyTableView } from '../../access/key-table.ts';
import type { Tier } from '../../access/keys-file.ts';
import { PresentedKeys } from './presented-keys.ts';
import type { Limiter, Rate } from './rate-limit.ts';
import { tierRate } from './rate-limit.ts';

// Our keys have 36 characters. Without a limit, a caller could make us hash whatever fits in a header.
const MAX_KEY_CHARS = 512;

/** The tier of a keys file that rules callers without a key; see anonymous.ts. */
export const ANONYMOUS_TIER = 'anonymous';

export type Caller = {
  readonly id: string;
  /** Tells callers apart, also those with the same id. */
  readonly source: string;
  readonly tier: string;
  readonly endpoints: Pick<ReadonlySet<string>, 'has'>;
  /** `size` is for callers without a key; see quota.ts. */
  readonly batchCost: 'request' | 'item' | 'size';
  /** null: no limit. One object per tier. */
  readonly rate: Rate | null;
  /** Its row in the limiter. */
  readonly slot: number;
  /** The limiter that counts it; by default, the one of the keys. */
  readonly limiter?: Limiter;
};

/** What a tier means for a request. */
export type TierRules = Pick<Caller, 'tier' | 'endpoints' | 'rate' | 'batchCost'>;

/** Unknown, disabled and expired keys are all `invalid`: an outsider cannot learn that a key once worked. */
export type AuthResult =
  | { readonly kind: 'caller'; readonly caller: Caller }
  | { readonly kind: 'missing' }
  | { readonly kind: 'invalid' };

export const MISSING: AuthResult = { kind: 'missing' };
const INVALID: AuthResult = { kind: 'invalid' };

interface Entry {
  readonly expiresAtMs: number;
  readonly result: AuthResult;
}

export class KeyRing {
  readonly #table: KeyTableView;
  readonly #tiers: readonly TierRules[];
  // Saves a SHA-256 on a caller's later requests. Unknown keys are not kept: anyone can make those up.
  readonly #presented: PresentedKeys<Entry>;

  /** Takes the same time for any number of keys. */
  constructor(table: KeyTable) {
    this.#table = new KeyTableView(table);
    this.#tiers = table.tiers.map(([name, tier]) => tierRules(name, tier));
    this.#presented = new PresentedKeys(this.#table.keyCount);
  }

  /** `key` is as sent, '' for none. */
  authenticate(key: string, nowMs: number): AuthResult {
    if (key === '') return MISSING;
    if (key.length > MAX_KEY_CHARS) return INVALID;
    const entry = this.#presented.find(key) ?? this.#lookUp(key, nowMs);
    return entry !== undefined && nowMs < entry.expiresAtMs ? entry.result : INVALID;
  }

  /** A tier of the keys file by its name, whether or not any key has it. */
  tier(name: string): TierRules | undefined {
    return this.#tiers.find(({ tier }) => tier === name);
  }

  #lookUp(key: string, nowMs: number): Entry | undefined {
    const row = this.#table.find(createHash('sha256').update(key).digest('binary'));
    if (row === undefined) return undefined;
    const expiresAtMs = this.#table.expiresAtMs(row);
    const tier = this.#tiers[this.#table.tierIndex(row)];
    const id = this.#table.id(row);
    const caller: Caller = { id, source: `key ${id}`, slot: this.#table.slot(row), ...tier };
    const entry: Entry = { expiresAtMs, result: { kind: 'caller', caller } };
    if (nowMs < expiresAtMs) this.#presented.keep(key, entry);
    return entry;
  }
}

export function mayCall(caller: Caller, endpoint: string): boolean {
  return caller.endpoints.has(endpoint);
}

/** The endpoints that a tier grants. Remembers the last, as requests in a row are mostly for the same. */
export class Endpoints {
  readonly #granted: ReadonlySet<string>;
  #last: string | undefined;

  constructor(granted: Iterable<string>) {
    this.#granted = new Set(granted);
  }

  has(endpoint: string): boolean {
    if (endpoint === this.#last) return true;
    if (!this.#granted.has(endpoint)) return false;
    this.#last = endpoint;
    return true;
  }
}

/** What the tier of a keys file means for a request. */
export function tierRules(name: string, tier: Tier): TierRules {
  const { endpoints, rate, batch_cost: batchCost = name === ANONYMOUS_TIER ? 'size' : 'request' } = tier;
  return {
    tier: name,
    endpoints: new Endpoints(endpoints),
    batchCost,
    rate: rate === null ? null : tierRate(name, rate, batchCost === 'item' ? MAX_BATCH_ITEMS : 1),
  };
}
