// Against a real engine: that the script says what the fake of the other tests says, and every way in which
// an engine refuses.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { Engine } from '../../../src/fleet/leases/engine.ts';
import { type EngineAddress, parseEngineAddress } from '../../../src/fleet/leases/engine-address.ts';
import type { LeaseCall, LeaseReply } from '../../../src/fleet/leases/lease.ts';
import { FakeConnection, FakeEngine } from '../../support/fleet/fake-engine.ts';
import { startSayingEngine } from '../../support/fleet/saying-engine.ts';
import { freePort } from '../../support/process/ports.ts';
import { RealEngine, withoutEngine } from '../../support/process/redis.ts';
import { printedSeed } from '../../support/seed.ts';
import { until } from '../../support/until.ts';

const skip = withoutEngine;
const SECRET = 'a-secret-that-is-never-said';
const HOUR_MS = 3_600_000;
const CALL: LeaseCall = { keys: [], epoch: '', isRestating: false, isLeaving: false, expectedMs: 0 };

function engineAt(t: TestContext, url: string, replica = 'r0', password?: string): Engine {
  const address = parseEngineAddress(url) as EngineAddress;
  const engine = new Engine({ address, replica, password });
  t.after(() => engine.close());
  return engine;
}

/** Resolves when the first two seconds of its memory are over. */
async function granting(engine: Engine): Promise<LeaseReply> {
  await engine.connect();
  let reply = await engine.call(CALL);
  await until('the engine grants', async () => {
    reply = await engine.call({ ...CALL, epoch: reply.epoch });
    return !reply.isHolding;
  });
  return reply;
}

test('the script says what the fake engine says', { skip }, async (t) => {
  const real = await RealEngine.start(t);
  const engines = ['r0', 'r1', 'r2'].map((name) => engineAt(t, real.url, name));
  const { epoch } = await granting(engines[0] as Engine);
  let nowMs = Date.now() - 60_000;
  const fake = new FakeEngine(() => nowMs);
  const fakes = ['r0', 'r1', 'r2'].map((name) => new FakeConnection(fake, name));
  await Promise.all([...engines.slice(1), ...fakes].map((each) => each.connect()));
  const began = await (fakes[0] as FakeConnection).call(CALL);
  nowMs = Date.now();
  await (fakes[0] as FakeConnection).call({ ...CALL, epoch: began.epoch });
  const draws = fc.sample(fc.nat(1e9), { seed: printedSeed(t), numRuns: 20_000 });
  const upTo = (most: number): number => (draws.pop() ?? 0) % (most + 1);
  for (let i = 0; i < 400; i++) {
    const who = upTo(2);
    const keys = Array.from({ length: upTo(3) }, () => {
      const key = upTo(4);
      return {
        id: `k${key}`,
        rate: { emissionIntervalMs: HOUR_MS * (1 + key / 7), burst: 10 + 40 * key },
        owed: upTo(5),
        wanted: upTo(20),
        returned: upTo(9) === 0 ? upTo(20) : 0,
        seenMs: upTo(9) === 0 ? upTo(100) * HOUR_MS : 0,
      };
    });
    const isRestating = upTo(20) === 0;
    const said = await (engines[who] as Engine).call({ ...CALL, keys, isRestating, epoch });
    nowMs = said.nowMs;
    const expected = await (fakes[who] as FakeConnection).call({
      ...CALL,
      keys,
      isRestating,
      epoch: began.epoch,
    });
    assert.deepEqual(
      said.keys.map(({ granted, isLost }) => ({ granted, isLost })),
      expected.keys.map(({ granted, isLost }) => ({ granted, isLost })),
    );
    for (const [index, { levelMs }] of said.keys.entries()) {
      assert.ok(Math.abs(levelMs - (expected.keys[index]?.levelMs ?? 0)) <= 2);
    }
    assert.deepEqual([said.replicas, said.isHolding], [expected.replicas, false]);
  }
});

test('idle keys leave nothing behind, and a script that was forgotten is sent again', { skip }, async (t) => {
  const real = await RealEngine.start(t);
  const engine = engineAt(t, `${real.url}/3`);
  const { epoch } = await granting(engine);
  const key = {
    id: 'k',
    rate: { emissionIntervalMs: 10, burst: 5 },
    owed: 2,
    wanted: 0,
    returned: 0,
    seenMs: 0,
  };
  await real.say('SCRIPT', 'FLUSH');
  const reply = await engine.call({ ...CALL, epoch, keys: [key] });
  assert.equal(reply.keys[0]?.granted, 2);
  assert.match(String(await real.say('INFO', 'keyspace')), /db3:keys=3,expires=1/);
});

test('a wrong password, none and a user without the permission are named, and no password is said', {
  skip,
}, async (t) => {
  const real = await RealEngine.start(t);
  await real.say('ACL', 'SETUSER', 'weak', 'on', '>weak', '+ping', '+info');
  await real.say('CONFIG', 'SET', 'requirepass', SECRET);
  const { port } = real;
  const at = (user: string): string => `valkey://${user}127.0.0.1:${port}`;
  for (const [url, code] of [
    [at(''), 'wrong_password'],
    [at(':wrong@'), 'wrong_password'],
    [at(`nobody:${SECRET}@`), 'wrong_password'],
  ] as const) {
    await assert.rejects(engineAt(t, url).connect(), (error: Error & { code?: string }) => {
      assert.equal(error.code, code, error.message);
      assert.doesNotMatch(error.message, new RegExp(SECRET));
      return true;
    });
  }
  const weak = engineAt(t, at('weak:weak@'));
  await weak.connect();
  await assert.rejects(weak.call(CALL), { code: 'no_permission' });
  assert.ok((await granting(engineAt(t, at(''), 'r1', SECRET))).epoch !== '');
});

test('a password where none is needed is refused', { skip }, async (t) => {
  const real = await RealEngine.start(t);
  await assert.rejects(engineAt(t, `valkey://:${SECRET}@127.0.0.1:${real.port}`).connect(), {
    code: 'wrong_password',
  });
});

test('a replica, a full memory, an unknown database and a stopped engine are named', { skip }, async (t) => {
  const real = await RealEngine.start(t);
  const engine = engineAt(t, real.url);
  await granting(engine);
  await assert.rejects(engineAt(t, `${real.url}/99`).connect(), { code: 'wrong_database' });
  await real.say('CONFIG', 'SET', 'maxmemory', '1');
  await assert.rejects(engine.call(CALL), { code: 'full' });
  await real.say('CONFIG', 'SET', 'maxmemory', '0');
  await engine.connect();
  await real.say('REPLICAOF', '127.0.0.1', String(await freePort()));
  await assert.rejects(engine.call(CALL), { code: 'read_only' });
  await assert.rejects(engine.connect(), { code: 'read_only' });
  await real.stop();
  await assert.rejects(engine.connect(), { code: 'unreachable' });
});

test('TLS to a port without it, and a name that nobody has, are named', { skip }, async (t) => {
  const real = await RealEngine.start(t);
  await assert.rejects(
    engineAt(t, `valkeys://127.0.0.1:${real.port}`).connect(),
    (error: Error & { code?: string }) => ['tls', 'unreachable', 'timed_out'].includes(error.code ?? ''),
  );
  await assert.rejects(engineAt(t, 'valkey://nobody.invalid:1').connect(), { code: 'unknown_host' });
});

test('an engine that may evict says so', { skip }, async (t) => {
  const real = await RealEngine.start(t, ['--maxmemory-policy', 'allkeys-lru']);
  assert.deepEqual(await engineAt(t, real.url).connect(), { evictionPolicy: 'allkeys-lru' });
});

test('after a flush a new epoch begins and nothing is granted at first', { skip }, async (t) => {
  const real = await RealEngine.start(t);
  const engine = engineAt(t, real.url);
  const { epoch } = await granting(engine);
  await real.say('FLUSHALL');
  const key = { id: 'k', rate: { emissionIntervalMs: HOUR_MS, burst: 9 }, owed: 2, wanted: 2, returned: 0 };
  const reply = await engine.call({ ...CALL, epoch, keys: [{ ...key, seenMs: 7 * HOUR_MS }] });
  assert.notEqual(reply.epoch, epoch);
  assert.equal(reply.isHolding, true);
  assert.deepEqual(reply.keys, [{ granted: 0, levelMs: 7 * HOUR_MS, isLost: false }]);
});

test('an engine that was started again begins another epoch', { skip }, async (t) => {
  const real = await RealEngine.start(t);
  const engine = engineAt(t, real.url);
  const { epoch } = await granting(engine);
  await real.stop();
  await assert.rejects(engine.call(CALL), { code: 'unreachable' });
  await real.start();
  await engine.connect();
  assert.notEqual((await engine.call({ ...CALL, epoch })).epoch, epoch);
});

test('an engine that repeats what it is sent does not make it known', async (t) => {
  for (const refused of ['AUTH', 'INFO', 'PING']) {
    const { port } = await startSayingEngine(t, (command, words) =>
      command === refused ? `-ERR unknown command ${words.join(' ')} hunter2 of the-user\r\n` : '+OK\r\n',
    );
    const engine = engineAt(t, `valkey://the-user:hunter2@127.0.0.1:${port}`);
    const told = refused === 'INFO' ? /^$/ : /lacks a command/;
    const message = await engine.connect().then(
      () => '',
      (error: Error) => error.message,
    );
    assert.match(message, told);
    assert.doesNotMatch(message, /hunter2|the-user/);
  }
});

test('an answer that cannot be parsed, or was not asked for, is a failure of the engine', async (t) => {
  for (const bytes of [
    '*99999999999999\r\n',
    '*1\r\n'.repeat(100_000),
    '$99999999999\r\n',
    '?what\r\n',
    '+OK\r\n$-1\r\n', // one more than was asked
    '+text\r\n',
    '*4\r\n:1\r\n:1\r\n:0\r\n+no epoch\r\n',
  ]) {
    const { port } = await startSayingEngine(t, (command) => (command === 'EVALSHA' ? bytes : '+OK\r\n'));
    const engine = engineAt(t, `valkey://127.0.0.1:${port}`);
    await engine.connect();
    const call = async (): Promise<void> => {
      await engine.call(CALL);
      await until('what was not asked for has arrived', async () => {
        await engine.call(CALL);
        return false;
      });
    };
    await assert.rejects(call(), { code: 'bad_reply' }, bytes.slice(0, 20));
  }
});
