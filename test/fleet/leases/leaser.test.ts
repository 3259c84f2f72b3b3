// The arithmetic of leases, on a clock that the tests turn and an engine without sockets.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EngineError } from '../../../src/fleet/leases/engine-error.ts';
import { HOLD_MS } from '../../../src/fleet/leases/lease-script.ts';
import { TICK_MS } from '../../../src/fleet/leases/leaser.ts';
import { FakeConnection, FakeEngine, type Wire } from '../../support/fleet/fake-engine.ts';
import { Replica, type ReplicaPlan } from '../../support/fleet/replica.ts';

const START_MS = Date.UTC(2026, 10, 1);
const HOUR = { limit: 1000, window_seconds: 3_600_000 }; // one an hour: nothing drains during a test

class Fleet {
  nowMs = START_MS;
  readonly engine = new FakeEngine(() => this.nowMs);
  readonly replicas: Replica[] = [];
  readonly wires: Wire[] = [];
  readonly connections: FakeConnection[] = [];

  constructor(count: number, plan: Partial<ReplicaPlan> = {}) {
    for (let i = 0; i < count; i++) this.add(plan);
  }

  add(plan: Partial<ReplicaPlan> = {}): Replica {
    const wire: Wire = {};
    const connection = new FakeConnection(this.engine, `r${this.replicas.length}`, wire);
    const replica = new Replica({ engine: connection, rate: HOUR, nowMs: () => this.nowMs, ...plan });
    this.replicas.push(replica);
    this.wires.push(wire);
    this.connections.push(connection);
    return replica;
  }

  async turn(times = 1): Promise<void> {
    for (let i = 0; i < times; i++) {
      this.nowMs += TICK_MS;
      for (const replica of this.replicas) await replica.leaser.turn();
    }
  }

  async turnFor(ms: number): Promise<void> {
    await this.turn(Math.ceil(ms / TICK_MS));
  }
}

async function fleetOf(count: number, plan: Partial<ReplicaPlan> = {}): Promise<Fleet> {
  const fleet = new Fleet(count, plan);
  await fleet.turn();
  await fleet.turnFor(4_000); // all have heard how many they are
  return fleet;
}

/** Sends from all in turn until nobody admits any more. */
async function exhaust(fleet: Fleet, replicas: readonly Replica[], each: number): Promise<number> {
  let admitted = 0;
  for (let idle = 0; idle < 15; ) {
    const now = replicas.reduce((sum, replica) => sum + replica.send(each), 0);
    admitted += now;
    idle = now === 0 ? idle + 1 : 0;
    await fleet.turn();
  }
  return admitted;
}

test('a quota is spent once over all replicas, to the last request, and one more a replica at most', async () => {
  for (const count of [1, 2, 3, 10]) {
    const fleet = await fleetOf(count);
    const over = (await exhaust(fleet, fleet.replicas, 7)) - HOUR.limit;
    // They may spend the same last allowance at the same time.
    assert.ok(over >= 0 && over < count, `${count} replicas: ${over} more`);
  }
});

test('one replica alone can spend all of a quota', async () => {
  const fleet = await fleetOf(5);
  assert.equal(await exhaust(fleet, fleet.replicas.slice(0, 1), 50), HOUR.limit);
});

test('the first requests of a key are admitted before anything was leased: all allowances are a tenth of the burst', async () => {
  const fleet = await fleetOf(4);
  assert.deepEqual(
    fleet.replicas.map((replica) => replica.send(HOUR.limit)),
    [25, 25, 25, 25],
  );
  assert.equal(fleet.engine.keys.size, 0);
  await fleet.turn();
  assert.ok(fleet.engine.levelMs('k0') > 99 * fleet.replicas[0].rate.emissionIntervalMs);
});

test('a key that was used up elsewhere gets its allowance once, and owes it', async () => {
  const fleet = await fleetOf(2);
  const [a, b] = fleet.replicas;
  assert.equal(await exhaust(fleet, [a], 50), HOUR.limit);
  assert.equal(await exhaust(fleet, [b], 500), b.allowance);
  assert.equal(b.rows.held(0), -b.allowance);
  fleet.nowMs += b.rate.emissionIntervalMs * b.allowance; // all that refills is owed
  assert.equal(await exhaust(fleet, [b], 500), 0);
  fleet.nowMs += b.rate.emissionIntervalMs * 10;
  assert.equal(await exhaust(fleet, [b], 500), 10);
});

test('what is not spent is returned, so that the others have it', async () => {
  const fleet = await fleetOf(2);
  const [a, b] = fleet.replicas;
  for (let i = 0; i < 5; i++) {
    a.send(40);
    await fleet.turn();
  }
  assert.ok(a.rows.held(0) > 0);
  await fleet.turnFor(6_000);
  assert.equal(a.rows.held(0), 0);
  assert.equal(Math.ceil(fleet.engine.levelMs('k0') / a.rate.emissionIntervalMs), 200);
  assert.equal(await exhaust(fleet, [b], 50), HOUR.limit - 200);
});

test('a replica that ends returns what it holds and leaves', async () => {
  const fleet = await fleetOf(2);
  const [a, b] = fleet.replicas;
  for (let i = 0; i < 5; i++) {
    a.send(40);
    await fleet.turn();
  }
  fleet.replicas.shift();
  await a.leaser.leave();
  assert.equal(await exhaust(fleet, [b], 50), HOUR.limit - 200);
  assert.equal(b.leaser.state.replicas, 1);
});

test('a replica that dies takes its lease with it, and is not counted after five seconds', async () => {
  const fleet = await fleetOf(2);
  const [a, b] = fleet.replicas;
  for (let i = 0; i < 5; i++) {
    a.send(40);
    await fleet.turn();
  }
  const lost = a.rows.held(0);
  fleet.replicas.shift();
  assert.equal(await exhaust(fleet, [b], 50), HOUR.limit - 200 - lost);
  await fleet.turnFor(6_000);
  assert.equal(b.leaser.state.replicas, 1);
});

test('many keys take few calls, and idle keys none', async () => {
  const fleet = await fleetOf(1, { keys: 5_000 });
  const [replica] = fleet.replicas;
  const [connection] = fleet.connections;
  const before = connection.calls;
  for (let slot = 0; slot < 5_000; slot++) assert.equal(replica.send(1, slot), 1);
  await fleet.turn();
  assert.equal(connection.calls - before, 10); // 500 keys a call
  await fleet.turnFor(10_000);
  assert.ok(connection.calls - before <= 10 + 11, `${connection.calls - before} calls`); // one a second
  assert.equal(replica.leaser.state.keys, 0);
});

test('a key that is used slowly leases nothing ahead', async () => {
  const fleet = await fleetOf(2);
  const [replica] = fleet.replicas;
  for (let i = 0; i < 20; i++) {
    assert.equal(replica.send(1), 1);
    await fleet.turnFor(500);
    assert.equal(replica.rows.held(0), 0);
  }
});

test('a batch that costs more than an allowance is admitted at first, and the next one when it is leased', async () => {
  const fleet = await fleetOf(3, { rate: { ...HOUR, burst: 200 }, batchCost: 'item' });
  const [replica] = fleet.replicas;
  assert.equal(replica.take(50).allowed, true);
  const refused = replica.take(50);
  assert.deepEqual([refused.allowed, refused.retryAfterMs <= 1_000], [false, true]);
  await fleet.turn();
  assert.equal(replica.take(50).allowed, true);
});

test('headers say what the fleet has left, and when a refused request may come again', async () => {
  const fleet = await fleetOf(2);
  const [a, b] = fleet.replicas;
  assert.equal(a.take().remaining, HOUR.limit - 1);
  assert.equal(a.take().remaining, HOUR.limit - 2);
  await fleet.turn();
  assert.equal(a.take().remaining, HOUR.limit - 3);
  await exhaust(fleet, [b], 50);
  const verdict = b.take();
  const { emissionIntervalMs } = b.rate;
  assert.deepEqual([verdict.allowed, verdict.remaining], [false, 0]);
  // Until the allowance that b owes has one again: as if one process counted.
  assert.ok(verdict.retryAfterMs > 0.9 * emissionIntervalMs && verdict.retryAfterMs <= emissionIntervalMs);
});

test('without the engine each replica has its share of what is left; what it granted is owed afterwards', async () => {
  const fleet = await fleetOf(4);
  const [a, ...others] = fleet.replicas;
  assert.equal(await exhaust(fleet, [a], 10), HOUR.limit);
  fleet.nowMs += 400 * a.rate.emissionIntervalMs; // 400 are left
  for (const replica of others) replica.send(1);
  await fleet.turnFor(1_000); // all of them have seen it
  const left = HOUR.limit - Math.round(fleet.engine.levelMs('k0') / a.rate.emissionIntervalMs);
  fleet.engine.refusal = 'unreachable';
  const admitted = await exhaust(fleet, others, 10);
  assert.ok(admitted <= (3 / 4) * left + 3 * a.allowance, `${admitted} of ${left}`);
  assert.ok(admitted >= (3 / 4) * left - 3, `${admitted} of ${left}`);
  assert.ok(others.every(({ leaser }) => leaser.state.mode === 'local'));
  fleet.engine.refusal = undefined;
  await fleet.turnFor(2_000);
  assert.ok(others.every(({ leaser }) => leaser.state.mode === 'fleet'));
  const used = HOUR.limit - Math.round(fleet.engine.levelMs('k0') / a.rate.emissionIntervalMs);
  assert.ok(
    Math.abs(used - (left - admitted)) <= 3 * a.allowance,
    `${used} left, ${left - admitted} expected`,
  );
});

test('a replica that never reached the engine knows no other, and counts by itself', async () => {
  const fleet = new Fleet(1);
  fleet.engine.refusal = 'wrong_password';
  await fleet.turn();
  const [replica] = fleet.replicas;
  assert.deepEqual(replica.leaser.state.problem, { code: 'wrong_password', message: 'the fake engine' });
  assert.equal(await exhaust(fleet, [replica], 50), HOUR.limit);
});

/** Waits in vain for what 100 requests are leased. The returned call lets the answer through. */
async function lateAnswer(fleet: Fleet): Promise<() => Promise<void>> {
  const [replica] = fleet.replicas;
  let answer: (() => void) | undefined;
  const [connection] = fleet.connections;
  const call = connection.call.bind(connection);
  connection.call = async (asked) => {
    const reply = await call(asked);
    await new Promise<void>((resolve) => {
      answer = resolve;
    });
    return reply;
  };
  assert.equal(replica.send(100), 100);
  fleet.nowMs += TICK_MS;
  const turned = replica.leaser.turn();
  for (let i = 0; i < 4; i++) {
    fleet.nowMs += TICK_MS;
    await replica.leaser.turn();
  }
  assert.deepEqual([replica.leaser.state.mode, replica.leaser.state.problem?.code], ['local', 'timed_out']);
  return async () => {
    connection.call = call;
    answer?.();
    await turned;
    assert.equal(replica.leaser.state.mode, 'fleet');
  };
}

test('an answer that does not come is bridged by the local share', async () => {
  const fleet = await fleetOf(1);
  const [replica] = fleet.replicas;
  const answer = await lateAnswer(fleet);
  assert.equal(replica.send(50), 50);
  await answer();
  await fleet.turn(3);
  assert.equal(await exhaust(fleet, [replica], 50), HOUR.limit - 150);
});

test('the level that a late answer tells is the one that is restated', async () => {
  const fleet = await fleetOf(1);
  const [replica] = fleet.replicas;
  const answer = await lateAnswer(fleet);
  await answer();
  fleet.engine.flush();
  await fleet.turnFor(HOLD_MS + 2_000);
  assert.equal(replica.leaser.state.mode, 'fleet');
  assert.equal(100 + (await exhaust(fleet, [replica], 50)), HOUR.limit);
});

test('levels whose restating failed are restated by the next call', async () => {
  const fleet = await fleetOf(2);
  const [replica, other] = fleet.replicas;
  assert.equal(await exhaust(fleet, [replica], 50), HOUR.limit);
  await fleet.turnFor(10_000); // it asks for nothing any more
  fleet.engine.flush();
  const [connection] = fleet.connections;
  const call = connection.call.bind(connection);
  let failures = 0;
  connection.call = (asked) => {
    if (!asked.isRestating || asked.keys.length === 0 || failures === 1) return call(asked);
    failures += 1;
    return Promise.reject(new EngineError('unreachable', 'the fake engine'));
  };
  let admitted = 0;
  for (let turn = 0; turn * TICK_MS < HOLD_MS + 4_000; turn++) {
    admitted += other.send(50);
    await fleet.turn();
  }
  assert.deepEqual([failures, replica.leaser.state.mode], [1, 'fleet']);
  assert.ok(admitted <= HOUR.limit / 2, `${admitted}`); // its local share, as it has never heard a level
});

test('an engine that is flushed gives no quota twice: nothing is leased until all have restated what they saw', async () => {
  const fleet = await fleetOf(3);
  const [a, b, c] = fleet.replicas;
  let admitted = 0;
  for (let i = 0; i < 6; i++) {
    for (const replica of fleet.replicas) admitted += replica.send(40);
    await fleet.turn();
  }
  const outstanding = fleet.replicas.reduce((sum, { rows }) => sum + Math.max(0, rows.held(0)), 0);
  fleet.engine.flush();
  admitted += await exhaust(fleet, [a, b, c], 40);
  await fleet.turnFor(HOLD_MS);
  admitted += await exhaust(fleet, [a, b, c], 40);
  assert.ok(
    admitted >= HOUR.limit - 3 && admitted <= HOUR.limit + outstanding + 3 * a.allowance,
    `${admitted}`,
  );
  assert.deepEqual([a.told, b.told, c.told], [['state'], ['state'], ['state']]);
  assert.ok(
    fleet.replicas.every(({ leaser }) => leaser.state.mode === 'fleet' && leaser.state.lostStates === 1),
  );
});

test('a replica that comes after the flush and before the others begins no new quota', async () => {
  const fleet = await fleetOf(2);
  assert.ok((await exhaust(fleet, fleet.replicas, 40)) <= HOUR.limit + 2);
  fleet.engine.flush();
  const fresh = fleet.add();
  await fresh.leaser.turn(); // knows nothing of an earlier epoch
  const admitted = await exhaust(fleet, [fresh], 40);
  assert.ok(admitted <= HOUR.limit / 10, `${admitted}`);
});

test('an engine that comes back with old data is restated like one that was flushed', async () => {
  const fleet = await fleetOf(2);
  const restore = fleet.engine.saved();
  assert.ok((await exhaust(fleet, fleet.replicas, 40)) <= HOUR.limit + 2);
  restore();
  await fleet.turnFor(HOLD_MS + 2_000);
  assert.equal(
    fleet.engine.levelMs('k0') > (HOUR.limit - 1) * fleet.replicas[0].rate.emissionIntervalMs,
    true,
  );
  const admitted = await exhaust(fleet, fleet.replicas, 40);
  assert.ok(admitted <= 2 * fleet.replicas[0].allowance, `${admitted}`);
});

test('a key that the engine evicted is restated by the replica that asks for it, and named', async () => {
  const fleet = await fleetOf(1);
  const [replica] = fleet.replicas;
  replica.send(100);
  await fleet.turn(2);
  fleet.engine.keys.clear();
  assert.equal(await exhaust(fleet, [replica], 40), HOUR.limit - 100);
  assert.deepEqual(replica.told, ['1 keys']);
  assert.equal(replica.leaser.state.lostKeys, 1);
});

test("quotas follow the engine's clock: ten minutes off changes nothing, and is told", async () => {
  for (const offsetMs of [-600_000, 600_000]) {
    const rate = { limit: 60, window_seconds: 3_600 };
    const fleet = new Fleet(2, { rate });
    fleet.engine.offsetMs = offsetMs;
    await fleet.turnFor(4_000);
    assert.equal(await exhaust(fleet, fleet.replicas, 5), 60);
    assert.equal(fleet.replicas[0].leaser.state.clockOffsetMs, offsetMs);
    assert.ok(Math.abs(fleet.replicas[0].take().retryAfterMs - 60_000) < 5_000);
  }
});

test('a clock of the engine that is set forward refills nothing that a replica has seen used', async () => {
  const fleet = await fleetOf(2, { rate: { limit: 60, window_seconds: 3_600 } });
  await exhaust(fleet, fleet.replicas, 5);
  fleet.engine.offsetMs = 600_000;
  await fleet.turnFor(1_500);
  assert.deepEqual(fleet.replicas[0].told, ['600000 ms']);
  assert.equal(await exhaust(fleet, fleet.replicas, 5), 0);
});

test('a clock of this machine that is set changes no level', async () => {
  let offsetMs = 0;
  const fleet = await fleetOf(1, { wallOffsetMs: () => offsetMs });
  const [replica] = fleet.replicas;
  assert.equal(await exhaust(fleet, [replica], 40), HOUR.limit);
  for (const by of [600_000, -600_000]) {
    offsetMs = by;
    await fleet.turn(2);
    assert.equal(replica.take().remaining, 0);
    assert.equal(await exhaust(fleet, [replica], 5), 0);
  }
});

test('a turn before its tick leases for what is spent faster than expected', async () => {
  const fleet = await fleetOf(2);
  const [replica] = fleet.replicas;
  let admitted = 0;
  for (let i = 0; i < 20; i++) {
    admitted += replica.send(30); // three fifths of the allowance
    fleet.nowMs += 10;
    await replica.leaser.turn(false);
  }
  assert.equal(admitted, 600);
});

test('what is held when the engine goes is kept for when it is back', async () => {
  const fleet = await fleetOf(2);
  const [a, b] = fleet.replicas;
  let admitted = 0;
  for (let i = 0; i < 5; i++) {
    admitted += a.send(40);
    await fleet.turn();
  }
  const held = a.rows.held(0);
  fleet.engine.refusal = 'unreachable';
  await fleet.turnFor(5_000);
  assert.ok(held > 0 && a.rows.held(0) >= held);
  fleet.engine.refusal = undefined;
  await fleet.turnFor(5_000);
  admitted += await exhaust(fleet, [a, b], 20);
  assert.ok(Math.abs(admitted - HOUR.limit) <= 2, `${admitted}`);
});
