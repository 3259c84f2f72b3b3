// Credential to caller. A ring is one keys file made ready for requests, and is replaced whole when the file
// changes. Leaves the status codes to the server, counting to rate-limit.ts, the file to access/.

import assert from 'node:assert/strict';
import type { Endpoint } from '../access/endpoints.ts';
import type { KeysFile, Tier } from '../access/keys-file.ts';
import { expiresAtMs, hashKey } from '../access/keys-file.ts';
import type { Rate } from './rate-limit.ts';
import { tierRate } from './rate-limit.ts';

// Ours have 36 characters. The bound keeps a caller from having us hash whatever fits in a header.
const MAX_KEY_CHARS = 512;

export type Caller = {
  readonly id: string;
  readonly name: string;
  readonly tier: string;
  readonly endpoints: ReadonlySet<Endpoint>;
  readonly batchCost: 'request' | 'item';
  /** null: no limit. One object per tier. */
  readonly rate: Rate | null;
  /** The key's row in the RateLimiterTable. */
  readonly slot: number;
};

/** Unknown, disabled and expired keys are all `invalid`: an outsider cannot learn that a key once worked. */
export type AuthResult =
  | { readonly kind: 'caller'; readonly caller: Caller }
  | { readonly kind: 'missing' }
  | { readonly kind: 'invalid' };

const MISSING: AuthResult = { kind: 'missing' };
const INVALID: AuthResult = { kind: 'invalid' };

type Entry = { readonly expiresAtMs: number; readonly result: AuthResult };

export class KeyRing {
  /** By SHA-256; disabled keys are left out. */
  readonly #byHash = new Map<string, Entry>();
  // By the key as presented, so that a caller's later requests cost one look-up and no hash. Unknown keys are not
  // kept: anybody can make those up. Keys in clear stay in memory only as long as the ring.
  readonly #presented = new Map<string, Entry>();

  /**
   * Requires: a file from `parseKeysFile`. `slots` are what the RateLimiterTable gave for it; without them a key's
   * row is its position in the file, which fits only a ring that is never replaced.
   */
  constructor(file: KeysFile, slots?: ReadonlyMap<string, number>) {
    const tiers = new Map(Object.entries(file.tiers).map(([name, tier]) => [name, prepareTier(name, tier)]));
    for (const [position, key] of file.keys.entries()) {
      const tier = tiers.get(key.tier);
      if (key.disabled === true || tier === undefined) continue;
      const { id, name } = key;
      const slot = slots === undefined ? position : slots.get(id);
      assert(slot !== undefined, `the slots are those of another file: none is for the key "${id}"`);
      const caller: Caller = { id, name, tier: key.tier, ...tier, slot };
      this.#byHash.set(key.sha256, { expiresAtMs: expiresAtMs(key), result: { kind: 'caller', caller } });
    }
  }

  /** Takes the values of the `PSKey` and `Authorization` headers, '' when absent. `PSKey` wins, also when it is bad. */
  authenticate(psKey: string, authorization: string, nowMs: number): AuthResult {
    const key = psKey === '' ? bearerToken(authorization) : psKey;
    const entry = this.#presented.get(key) ?? this.#lookUp(key, nowMs);
    if (entry !== undefined) return nowMs < entry.expiresAtMs ? entry.result : INVALID;
    return key === '' ? MISSING : INVALID;
  }

  #lookUp(key: string, nowMs: number): Entry | undefined {
    if (key === '' || key.length > MAX_KEY_CHARS) return undefined;
    const entry = this.#byHash.get(hashKey(key));
    // The second bound holds by itself for well-formed text; strings with lone surrogates can share one hash.
    if (entry !== undefined && nowMs < entry.expiresAtMs && this.#presented.size < this.#byHash.size) {
      this.#presented.set(key, entry);
    }
    return entry;
  }
}

export function mayCall(caller: Caller, endpoint: Endpoint): boolean {
  return caller.endpoints.has(endpoint);
}

function prepareTier(name: string, tier: Tier): Pick<Caller, 'endpoints' | 'rate' | 'batchCost'> {
  const { endpoints, rate, batch_cost: batchCost = 'request' } = tier;
  return { endpoints: new Set(endpoints), batchCost, rate: rate === null ? null : tierRate(name, rate) };
}

/** The token after `Bearer`, or '' when the header is absent or of another scheme. */
function bearerToken(authorization: string): string {
  return /^bearer +([^ ].*)$/i.exec(authorization)?.[1] ?? '';
}
