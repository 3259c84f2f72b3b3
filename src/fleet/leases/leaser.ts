// Keeps a replica's keys in tokens: looks at what was spent, leases and returns in as few calls as possible,
// and grants the local share while the engine cannot be used. It is told the time and turned by its owner,
// and is never on the way of a request.
//
//   fleet --- a call fails, or is late, or the engine holds ---> local
//   local --- a call succeeds, and everything is restated   ---> fleet; what was granted meanwhile is owed

import { type Clocks, ClockWatch } from './clock-watch.ts';
import { Demand } from './demand.ts';
import { EngineError, type EngineErrorCode } from './engine-error.ts';
import type { EngineFacts, KeyCall, LeaseEngine, LeaseReply } from './lease.ts';
import { LocalShare } from './local-share.ts';
import type { QuotaRows } from './quota-rows.ts';

/** Time between two turns. */
export const TICK_MS = 100;
/** A replica that leases nothing says that it is there. */
const ANNOUNCE_MS = 1_000;
/** An answer that takes longer is not waited for: the local share bridges it. */
const LATE_MS = 250;
/** Between two attempts to reach an engine that failed, and somewhat more by chance. */
const RETRY_MS = 500;
/** The script takes 3 us for each, in which the engine answers nobody else. */
const KEYS_PER_CALL = 500;

interface LeaserEvents {
  /** The engine's memory was lost or is older than what was seen from it; replicas restate their part. */
  readonly onStateLost: () => void;
  readonly onKeysLost: (count: number) => void;
  readonly onClockJumped: (byMs: number) => void;
}

interface LeaserOptions extends LeaserEvents, Clocks {
  readonly rows: QuotaRows;
  readonly engine: LeaseEngine;
  readonly random: () => number;
}

export interface LeaserState {
  readonly mode: 'starting' | 'fleet' | 'local';
  /** Why the mode is local. */
  readonly problem: { readonly code: EngineErrorCode; readonly message: string } | undefined;
  /** 0: none has been heard of. */
  readonly replicas: number;
  /** Keys that spend, hold or owe. */
  readonly keys: number;
  readonly calls: number;
  readonly failures: number;
  readonly granted: number;
  readonly returned: number;
  readonly grantedLocally: number;
  readonly lostKeys: number;
  readonly lostStates: number;
  /** The engine's clock less ours. */
  readonly clockOffsetMs: number;
  readonly evictionPolicy: string | undefined;
}

type Asked = KeyCall & { readonly demand: Demand };

export class Leaser {
  readonly #options: LeaserOptions;
  readonly #demands = new Map<number, Demand>();
  #share: LocalShare | undefined;
  #mode: LeaserState['mode'] = 'starting';
  #problem: EngineError | undefined;
  #isConnected = false;
  #facts: EngineFacts = { evictionPolicy: undefined };
  #epoch = '';
  /** Slots whose level is to be restated; undefined if none is. */
  #restating: number[] | undefined;
  #replicas = 0;
  #inFlightSinceMs: number | undefined;
  #lastCallMs = Number.NEGATIVE_INFINITY;
  #nextAttemptMs = Number.NEGATIVE_INFINITY;
  readonly #clocks: ClockWatch;
  readonly #counts = {
    calls: 0,
    failures: 0,
    granted: 0,
    returned: 0,
    grantedLocally: 0,
    lostKeys: 0,
    lostStates: 0,
  };

  constructor(options: LeaserOptions) {
    this.#options = options;
    this.#clocks = new ClockWatch(options);
  }

  get state(): LeaserState {
    const problem = this.#problem;
    return {
      mode: this.#mode,
      problem: problem === undefined ? undefined : { code: problem.code, message: problem.message },
      replicas: this.#replicas,
      keys: this.#demands.size,
      ...this.#counts,
      clockOffsetMs: this.#clocks.offsetMs,
      ...this.#facts,
    };
  }

  /** The keys file changed: the rows show other keys. */
  adoptKeys(): void {
    const { rows } = this.#options;
    for (const [slot, demand] of this.#demands) {
      const key = rows.key(slot);
      if (key?.id === demand.key.id) demand.key = key;
      else {
        this.#demands.delete(slot);
        // The row will be another key's.
        rows.withhold(slot, 0);
        rows.grant(slot, -rows.held(slot));
      }
    }
  }

  /**
   * One turn; every TICK_MS, and before that, if more is spent than was expected. Resolves when its calls are
   * answered, which the next turn need not wait for.
   */
  async turn(isTick = true): Promise<void> {
    const { nowMs } = this.#options;
    const now = nowMs();
    this.#followWall(now);
    if (this.#inFlightSinceMs !== undefined) {
      if (now - this.#inFlightSinceMs < LATE_MS) return;
      this.#goLocal(new EngineError('timed_out', `no answer within ${LATE_MS} ms`));
    }
    const asked = this.#look(now, isTick);
    if (this.#mode === 'local') this.#leaseLocally(asked, now);
    if (this.#inFlightSinceMs !== undefined) return;
    const isDue = this.#mode === 'fleet' ? now - this.#lastCallMs >= ANNOUNCE_MS : now >= this.#nextAttemptMs;
    if (!isDue && (this.#mode === 'local' || asked.length === 0)) return;
    this.#inFlightSinceMs = now;
    try {
      await this.#ask(this.#mode === 'local' ? [] : asked);
    } finally {
      this.#inFlightSinceMs = undefined;
    }
  }

  /** Returns what nobody has spent, and leaves the fleet. Never rejects. */
  async leave(): Promise<void> {
    const { rows, engine } = this.#options;
    const keys = [...this.#demands.values()].map(({ slot, key }): KeyCall => {
      const returned = rows.takeBack(slot, Number.POSITIVE_INFINITY);
      const owed = Math.max(0, -rows.held(slot));
      return { ...key, owed, wanted: 0, returned, seenMs: rows.levelMs(slot) };
    });
    const epoch = this.#epoch;
    try {
      if (!this.#isConnected || this.#mode !== 'fleet') return;
      for (let at = 0; at === 0 || at < keys.length; at += KEYS_PER_CALL) {
        const part = keys.slice(at, at + KEYS_PER_CALL);
        await engine.call({ keys: part, epoch, isRestating: false, isLeaving: true, expectedMs: 0 });
      }
    } catch {
      // What is not returned drains.
    } finally {
      engine.close();
    }
  }

  #look(now: number, isTick: boolean): Asked[] {
    const { rows } = this.#options;
    const demands = this.#demands;
    rows.eachUsed((slot) => {
      if (demands.has(slot)) return;
      const key = rows.key(slot);
      if (key !== undefined) demands.set(slot, new Demand(slot, key));
    });
    const canReturn = this.#mode === 'fleet';
    // A local share is nobody else's.
    const sharers = canReturn ? Math.max(1, this.#replicas) : 1;
    const asked: Asked[] = [];
    for (const [slot, demand] of demands) {
      const call = demand.look(rows, { sharers, nowMs: now, isTick, canReturn });
      if (call !== undefined) asked.push({ ...call, demand, seenMs: this.#seenMs(slot, call.id, now) });
      else if (demand.isIdle) demands.delete(slot);
    }
    return asked;
  }

  #seenMs(slot: number, id: string, now: number): number {
    return this.#share?.seenMs(id, now) ?? this.#options.rows.levelMs(slot);
  }

  async #ask(asked: readonly Asked[]): Promise<void> {
    const { engine, nowMs } = this.#options;
    let at = 0;
    try {
      if (!this.#isConnected) {
        this.#facts = await engine.connect();
        this.#isConnected = true;
      }
      do {
        const part = asked.slice(at, at + KEYS_PER_CALL);
        this.#lastCallMs = nowMs();
        const reply = await this.#call(part);
        at += part.length;
        this.#take(reply, part);
      } while (at < asked.length);
      await this.#restate();
    } catch (error) {
      this.#isConnected = false;
      this.#counts.failures += 1;
      this.#goLocal(error instanceof EngineError ? error : EngineError.of(error, 'the engine of the quotas'));
      // What the failed call returned is lost: it may have been executed.
      const rest = asked.slice(at).map((each) => ({ ...each, returned: 0 }));
      this.#leaseLocally(rest, nowMs());
    }
  }

  #call(keys: readonly KeyCall[]): Promise<LeaseReply> {
    this.#counts.calls += 1;
    const isRestating = this.#restating !== undefined;
    const { expectedMs } = this.#clocks;
    return this.#options.engine.call({ keys, epoch: this.#epoch, isRestating, isLeaving: false, expectedMs });
  }

  /** Hears a reply; what was granted is there at once, also when it comes late. */
  #take(reply: LeaseReply, asked: readonly Asked[]): void {
    const { rows, nowMs, onKeysLost } = this.#options;
    const now = nowMs();
    const hasJumped = this.#hearClock(reply.nowMs, now);
    // Those who have not called since its memory was lost are still there.
    this.#replicas = Math.max(reply.replicas, reply.isHolding ? this.#replicas : 0);
    if (this.#mode !== 'local') rows.setReplicas(this.#replicas);
    let lost = 0;
    for (const [index, keyReply] of reply.keys.entries()) {
      const { demand, rate, owed, wanted, returned, seenMs } = asked[index];
      const seen = hasJumped ? seenMs + keyReply.granted * rate.emissionIntervalMs : 0;
      const heard = { ...keyReply, levelMs: Math.max(keyReply.levelMs, seen) };
      demand.take(rows, heard, owed + wanted, reply.replicas, now);
      this.#share?.hear(demand.key.id, heard.levelMs, now);
      this.#counts.granted += keyReply.granted;
      this.#counts.returned += returned;
      if (keyReply.isLost) lost += 1;
    }
    if (reply.epoch !== this.#epoch) {
      if (this.#epoch !== '') this.#lost();
      this.#epoch = reply.epoch;
    }
    if (lost > 0) {
      this.#counts.lostKeys += lost;
      onKeysLost(lost);
    }
    if (reply.isHolding) this.#hold();
    else if (this.#restating === undefined) this.#goFleet(reply.replicas, now);
  }

  /** All that was seen, in calls that ask for nothing. */
  async #restate(): Promise<void> {
    while (this.#restating !== undefined) {
      const { rows, nowMs } = this.#options;
      const slots = this.#restating.slice(0, KEYS_PER_CALL);
      const keys = slots.flatMap((slot): KeyCall[] => {
        const key = rows.key(slot);
        if (key === undefined) return [];
        return [{ ...key, owed: 0, wanted: 0, returned: 0, seenMs: this.#seenMs(slot, key.id, nowMs()) }];
      });
      const reply = await this.#call(keys); // if it fails, they are restated later
      this.#restating.splice(0, KEYS_PER_CALL);
      if (reply.epoch !== this.#epoch)
        this.#lost(); // once more
      else if (this.#restating.length === 0) this.#restating = undefined;
      this.#epoch = reply.epoch;
      if (reply.isHolding) this.#hold();
      else if (this.#restating === undefined) this.#goFleet(reply.replicas, nowMs());
    }
  }

  #lost(): void {
    this.#counts.lostStates += 1;
    this.#beginRestating();
    this.#options.onStateLost();
  }

  #beginRestating(): void {
    const slots: number[] = [];
    this.#options.rows.eachSeen((slot) => slots.push(slot));
    this.#restating = slots;
  }

  /** Whether levels have drained by the clock alone. */
  #hearClock(engineMs: number, now: number): boolean {
    const byMs = this.#clocks.hear(engineMs, now);
    if (byMs === 0) return false;
    this.#options.onClockJumped(byMs);
    // Levels drained by the jump; what was seen of them has not.
    if (byMs > 0) this.#beginRestating();
    return byMs > 0;
  }

  /** Levels are kept by the time of day, as requests are judged by it. */
  #followWall(now: number): void {
    const byMs = this.#clocks.followWall(now);
    if (byMs !== 0) this.#options.rows.shiftLevels(byMs);
  }

  /**
   * A replica that has just started has nothing to bridge: until it knows the fleet, it spends allowances.
   */
  #hold(): void {
    if (this.#mode !== 'starting') this.#goLocal(new EngineError('state_lost', HOLDING));
  }

  #goLocal(problem: EngineError): void {
    const { rows, nowMs, random } = this.#options;
    if (this.#problem?.code !== problem.code) this.#problem = problem;
    this.#nextAttemptMs = nowMs() + RETRY_MS * (1 + random() / 2);
    if (this.#mode === 'local') return;
    this.#mode = 'local';
    this.#share = new LocalShare(Math.max(1, this.#replicas), nowMs());
    rows.setReplicas(Math.max(1, this.#replicas));
  }

  #goFleet(replicas: number, now: number): void {
    const { rows } = this.#options;
    if (this.#mode === 'fleet') return;
    for (const { slot, owed, levelMs } of this.#share?.settle(now) ?? []) {
      rows.setLevel(slot, levelMs);
      rows.grant(slot, -owed);
      this.#demands.get(slot)?.moved(-owed);
    }
    this.#share = undefined;
    this.#mode = 'fleet';
    this.#problem = undefined;
    rows.setReplicas(replicas);
  }

  #leaseLocally(asked: readonly Asked[], now: number): void {
    const share = this.#share;
    if (share === undefined) return;
    const { rows } = this.#options;
    for (const { demand, ...key } of asked) {
      const reply = share.lease(demand.slot, key, now);
      demand.take(rows, reply, key.owed + key.wanted, 1, now);
      this.#counts.grantedLocally += reply.granted;
    }
  }
}

const HOLDING = 'the quota store lost its data; no leases for 2 s while replicas report their usage again';
