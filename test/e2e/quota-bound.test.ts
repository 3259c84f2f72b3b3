// Whatever replicas, rates, deaths and faults there are: in no part of a run is more admitted than the limit
// and what was outstanding.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TICK_MS } from '../../src/fleet/leases/leaser.ts';
import { FakeConnection, FakeEngine, type Wire } from '../support/fleet/fake-engine.ts';
import { Replica } from '../support/fleet/replica.ts';
import { volume } from '../support/volume.ts';

type Event =
  | { readonly kind: 'send'; readonly replica: number; readonly count: number }
  | { readonly kind: 'turn'; readonly times: number }
  | { readonly kind: 'die' | 'leave' | 'cut' | 'deaf' | 'mend'; readonly replica: number }
  | { readonly kind: 'join' | 'stop' | 'start' | 'flush' };

const REPLICAS = 4;
const which = fc.nat(REPLICAS - 1);
const send = fc.record({
  kind: fc.constant('send' as const),
  replica: which,
  count: fc.integer({ min: 1, max: 120 }),
});
const turn = fc.record({ kind: fc.constant('turn' as const), times: fc.integer({ min: 1, max: 30 }) });
const ofOne = (...kinds: ('die' | 'leave' | 'cut' | 'deaf' | 'mend')[]) =>
  fc.record({ kind: fc.constantFrom(...kinds), replica: which });
const plain = (...kinds: ('join' | 'stop' | 'start' | 'flush')[]) =>
  fc.record({ kind: fc.constantFrom(...kinds) });

const rates = fc
  .record({
    limit: fc.integer({ min: 1, max: 600 }),
    window_seconds: fc.integer({ min: 1, max: 5_000 }),
    burst: fc.integer({ min: 1, max: 600 }),
  })
  .map(({ burst, ...rate }) => ({ ...rate, burst: Math.min(burst, rate.limit) }));

interface Seat {
  replica: Replica;
  wire: Wire;
  isAlive: boolean;
  /** The largest that it had. */
  allowance: number;
}

/** Runs the events; the bound is checked over every part of the run. */
async function run(rate: Parameters<typeof seat>[2], events: readonly Event[]): Promise<void> {
  let nowMs = Date.UTC(2026, 10, 1);
  const engine = new FakeEngine(() => nowMs);
  const seats: Seat[] = [];
  const join = (): void => {
    seats.push(seat(engine, `r${seats.length}`, rate, () => nowMs));
  };
  for (let i = 0; i < REPLICAS; i++) join();
  const { burst, emissionIntervalMs } = (seats[0] as Seat).replica.rate;
  const admitted: { readonly atMs: number; readonly count: number }[] = [];
  // What the fleet has not accounted for to the engine when a part begins, and what it may spend without it.
  let outstanding = 0;
  let mostOutstanding = 0;
  /** Shares of outages: each may be spent beside what the engine knows. */
  let shares = 0;
  const wasLocal = new Set<Seat>();
  const look = (): void => {
    outstanding = 0;
    for (const each of seats) {
      const { replica } = each;
      each.allowance = Math.max(each.allowance, replica.allowance);
      const { mode, replicas } = replica.leaser.state;
      if (each.isAlive) outstanding += Math.max(0, replica.rows.held(0));
      if (mode === 'local' && !wasLocal.has(each)) {
        wasLocal.add(each);
        shares += Math.max(1, burst / Math.max(1, replicas)) + 1;
      } else if (mode !== 'local') wasLocal.delete(each);
    }
    mostOutstanding = Math.max(mostOutstanding, outstanding);
  };
  const turns = async (times: number): Promise<void> => {
    for (let i = 0; i < times; i++) {
      nowMs += TICK_MS;
      for (const { replica, isAlive } of seats) if (isAlive) await replica.leaser.turn();
      look();
    }
  };
  await turns(50);
  for (const event of events) {
    const each = 'replica' in event ? seats[event.replica] : undefined;
    if (event.kind === 'turn') await turns(event.times);
    else if (event.kind === 'join') join();
    else if (event.kind === 'stop') engine.refusal = 'unreachable';
    else if (event.kind === 'start') engine.refusal = undefined;
    else if (event.kind === 'flush') engine.flush();
    else if (each?.isAlive !== true) continue;
    else if (event.kind === 'send') admitted.push({ atMs: nowMs, count: each.replica.send(event.count) });
    else if (event.kind === 'cut') each.wire.isCut = true;
    else if (event.kind === 'deaf') each.wire.isDeaf = true;
    else if (event.kind === 'mend') Object.assign(each.wire, { isCut: false, isDeaf: false });
    else {
      if (event.kind === 'leave') await each.replica.leaser.leave();
      each.isAlive = false;
    }
    look();
  }
  const allowances = seats.reduce((sum, { allowance }) => sum + allowance, 0);
  for (const [first, { atMs: fromMs }] of admitted.entries()) {
    let sum = 0;
    for (const { atMs, count } of admitted.slice(first)) {
      sum += count;
      const limit = burst + (atMs - fromMs) / emissionIntervalMs;
      const bound = limit + mostOutstanding + allowances + shares;
      assert.ok(sum <= bound + 1e-6, `${sum} in ${atMs - fromMs} ms, at most ${bound}`);
    }
  }
}

function seat(
  engine: FakeEngine,
  name: string,
  rate: { limit: number; window_seconds: number; burst: number },
  nowMs: () => number,
): Seat {
  const wire: Wire = {};
  const replica = new Replica({ engine: new FakeConnection(engine, name, wire), rate, nowMs });
  return { replica, wire, isAlive: true, allowance: 0 };
}

const numRuns = volume(2_000);

test('with replicas that die, leave, join and lose answers, the bound holds', async () => {
  const events = fc.array(fc.oneof(send, send, turn, ofOne('die', 'leave', 'deaf', 'mend'), plain('join')), {
    maxLength: 60,
  });
  await fc.assert(fc.asyncProperty(rates, events, run), { numRuns });
});

test('with replicas that are cut off and an engine that stops and starts, the bound holds with the local shares', async () => {
  const events = fc.array(fc.oneof(send, send, turn, ofOne('cut', 'mend'), plain('stop', 'start')), {
    maxLength: 60,
  });
  await fc.assert(fc.asyncProperty(rates, events, run), { numRuns });
});

test('with an engine that is flushed in mid-lease, the bound holds with the shares of the hold', async () => {
  const events = fc.array(fc.oneof(send, send, turn, turn, plain('flush')), { maxLength: 60 });
  await fc.assert(fc.asyncProperty(rates, events, run), { numRuns });
});
