// The engine of the quotas without sockets: what the script says, by a clock that a test turns, and with the
// faults of an engine. As strict as the script: test/fleet/leases/engine.test.ts holds one against the other.

import assert from 'node:assert/strict';
import { EngineError, type EngineErrorCode } from '../../../src/fleet/leases/engine-error.ts';
import type {
  KeyCall,
  KeyReply,
  LeaseCall,
  LeaseEngine,
  LeaseReply,
} from '../../../src/fleet/leases/lease.ts';
import { ANNOUNCED_MS, HOLD_MS, JUMP_MS } from '../../../src/fleet/leases/lease-script.ts';

const KEPT_MS = 10_000;

interface Kept {
  readonly tatMs: number;
  readonly untilMs: number;
}

/** What all replicas reach. */
export class FakeEngine {
  /** Its own clock, less the test's. */
  offsetMs = 0;
  /** Every connection is refused for this reason. */
  refusal: EngineErrorCode | undefined;
  run = 'run-0';
  evictionPolicy = 'noeviction';
  keys = new Map<string, Kept>();
  #state: { epoch: string; run: string; until: number } | undefined;
  #replicas = new Map<string, number>();
  #epochs = 0;
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get nowMs(): number {
    return Math.floor(this.#nowMs() + this.offsetMs);
  }

  flush(): void {
    this.keys.clear();
    this.#state = undefined;
    this.#replicas.clear();
  }

  /** As after a restart from what was saved earlier. */
  saved(): () => void {
    const [keys, state, replicas] = [new Map(this.keys), this.#state, new Map(this.#replicas)];
    return () => {
      this.keys = new Map(keys);
      this.#state = state === undefined ? undefined : { ...state };
      this.#replicas = new Map(replicas);
      this.run += '+';
    };
  }

  /** Levels in milliseconds, by key. */
  levelMs(id: string): number {
    return Math.max(0, (this.keys.get(id)?.tatMs ?? 0) - this.nowMs);
  }

  answer(call: LeaseCall, replica: string, run: string): LeaseReply {
    const now = this.nowMs;
    if (this.#state === undefined || this.#state.run !== run) {
      this.#epochs += 1;
      this.#state = { epoch: `epoch-${this.#epochs}`, run, until: now + HOLD_MS };
    }
    const { epoch, until } = this.#state;
    const isHolding = now < until && until - now <= HOLD_MS;
    if (call.isLeaving) this.#replicas.delete(replica);
    else this.#replicas.set(replica, now + ANNOUNCED_MS);
    for (const [name, endMs] of this.#replicas) if (endMs <= now) this.#replicas.delete(name);
    const replicas = Math.max(1, this.#replicas.size);
    const isRestating = call.isRestating || (call.epoch !== '' && call.epoch !== epoch);
    const grantsNothing = isHolding || (call.expectedMs > 0 && now - Math.floor(call.expectedMs) >= JUMP_MS);
    const keys = call.keys.map((key) => this.#lease(key, isRestating, grantsNothing, replicas, now));
    return { keys, nowMs: now, replicas, isHolding, epoch };
  }

  #lease(
    key: KeyCall,
    isRestating: boolean,
    grantsNothing: boolean,
    replicas: number,
    now: number,
  ): KeyReply {
    const { id, owed, wanted, returned, seenMs } = key;
    const { emissionIntervalMs: intervalMs, burst } = key.rate;
    for (const count of [owed, wanted, returned]) assert.ok(Number.isInteger(count) && count >= 0);
    assert.ok(seenMs >= 0);
    const stored = this.keys.get(id);
    if (stored !== undefined && stored.untilMs <= now) this.keys.delete(id);
    const kept = this.keys.get(id);
    let levelMs = kept === undefined ? 0 : Math.max(0, kept.tatMs - now);
    let isLost = false;
    if (seenMs > levelMs && (isRestating || kept === undefined)) {
      isLost = !isRestating;
      levelMs = seenMs;
    }
    levelMs = Math.max(0, Math.min(levelMs, burst * intervalMs) - returned * intervalMs);
    const left = Math.floor(burst - levelMs / intervalMs + 1e-9);
    const forOwed = Math.min(owed, left);
    const granted = grantsNothing ? 0 : forOwed + Math.min(wanted, Math.ceil((left - forOwed) / replicas));
    levelMs += granted * intervalMs;
    const untilMs = Math.max(now + levelMs + KEPT_MS, returned > 0 ? (kept?.untilMs ?? 0) : 0);
    if (granted > 0 || returned > 0 || isLost || isRestating) {
      this.keys.set(id, { tatMs: now + levelMs, untilMs });
    }
    return { granted, levelMs, isLost };
  }
}

/** How a connection fares. */
export interface Wire {
  /** Not reached: nothing is executed. */
  isCut?: boolean;
  /** Executed, but no answer arrives. */
  isDeaf?: boolean;
}

/** A replica's client of it. */
export class FakeConnection implements LeaseEngine {
  readonly #engine: FakeEngine;
  readonly #replica: string;
  readonly #wire: Wire;
  #run: string | undefined;
  calls = 0;

  constructor(engine: FakeEngine, replica: string, wire: Wire = {}) {
    this.#engine = engine;
    this.#replica = replica;
    this.#wire = wire;
  }

  async connect() {
    this.#reach();
    this.#run = this.#engine.run;
    return { evictionPolicy: this.#engine.evictionPolicy };
  }

  async call(call: LeaseCall): Promise<LeaseReply> {
    this.calls += 1;
    this.#reach();
    // An engine that was started again has closed its connections.
    if (this.#run !== this.#engine.run) throw this.#failed('unreachable');
    const reply = this.#engine.answer(call, this.#replica, this.#run);
    if (this.#wire.isDeaf === true) throw this.#failed('timed_out');
    return reply;
  }

  close(): void {
    this.#run = undefined;
  }

  #reach(): void {
    const { refusal } = this.#engine;
    if (refusal !== undefined) throw this.#failed(refusal);
    if (this.#wire.isCut === true) throw this.#failed('unreachable');
  }

  #failed(code: EngineErrorCode): EngineError {
    this.#run = undefined;
    return new EngineError(code, 'the fake engine');
  }
}
