// One replica without threads: its rows, its leaser, and a limiter that spends as a worker does.

import { buildKeyTable } from '../../../src/access/key-table.ts';
import { hashKey, type RateRecord } from '../../../src/access/keys-file.ts';
import type { LeaseEngine } from '../../../src/fleet/leases/lease.ts';
import { Leaser } from '../../../src/fleet/leases/leaser.ts';
import { tierRules } from '../../../src/http/callers/auth.ts';
import { allocateLeases, LeaseRows } from '../../../src/http/callers/lease-rows.ts';
import { LeasedLimiter } from '../../../src/http/callers/leased-limiter.ts';
import type { Rate, Verdict } from '../../../src/http/callers/rate-limit.ts';
import { RateLimiterTable } from '../../../src/http/callers/rate-limit.ts';
import { TableRows } from '../../../src/serve/limits/table-rows.ts';

export interface ReplicaPlan {
  readonly engine: LeaseEngine;
  readonly rate: RateRecord;
  readonly nowMs: () => number;
  /** This machine's time of day, less the test's clock. */
  readonly wallOffsetMs?: () => number;
  readonly keys?: number;
  readonly batchCost?: 'request' | 'item';
}

export class Replica {
  readonly leaser: Leaser;
  readonly rows: LeaseRows;
  readonly rate: Rate;
  readonly told: string[] = [];
  readonly #limiter: LeasedLimiter;
  readonly #wallMs: () => number;

  constructor({ engine, rate, nowMs, wallOffsetMs = () => 0, keys = 1, batchCost = 'request' }: ReplicaPlan) {
    const tier = { endpoints: [], rate, batch_cost: batchCost };
    const file = {
      tiers: { t: tier },
      keys: Array.from({ length: keys }, (_, i) => {
        return { id: `k${i}`, name: 'n', sha256: hashKey(String(i)), tier: 't' };
      }),
    };
    this.rate = tierRules('t', tier).rate as Rate;
    const { memory } = new RateLimiterTable(keys);
    const leases = allocateLeases(memory);
    this.#wallMs = () => Math.floor(nowMs() + wallOffsetMs());
    this.#limiter = new LeasedLimiter(memory, leases);
    this.rows = new LeaseRows(memory, leases);
    this.leaser = new Leaser({
      rows: new TableRows(this.rows, buildKeyTable(file), this.#wallMs),
      engine,
      nowMs,
      wallMs: this.#wallMs,
      random: () => 0,
      onStateLost: () => this.told.push('state'),
      onKeysLost: (count) => this.told.push(`${count} keys`),
      onClockJumped: (byMs) => this.told.push(`${byMs} ms`),
    });
  }

  take(cost = 1, slot = 0): Verdict {
    return this.#limiter.take(slot, this.rate, this.#wallMs(), cost);
  }

  /** How many of so many requests at once are admitted. */
  send(count: number, slot = 0): number {
    let admitted = 0;
    for (let i = 0; i < count; i++) if (this.take(1, slot).allowed) admitted += 1;
    return admitted;
  }

  get allowance(): number {
    return this.rows.allowance(this.rate);
  }
}
