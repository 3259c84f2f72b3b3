// Callers without a key, over a socket: where they are admitted, what they may do, and how they are counted.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Tier } from '../../../src/access/keys-file.ts';
import { patchstack } from '../../../src/dialects/patchstack/patchstack.ts';
import { wordfence } from '../../../src/dialects/wordfence/wordfence.ts';
import { DEFAULT_RATE } from '../../../src/http/callers/anonymous.ts';
import { feedRecord } from '../../support/feeds/advisories.ts';
import type { FolderOwner } from '../../support/folder.ts';
import {
  keyRecord,
  outcomeOf,
  startServer,
  type TestResponse,
  type TestServer,
} from '../../support/serving/server.ts';
import { sendRaw } from '../../support/serving/silence.ts';
import { TRANSPORTS } from '../../support/serving/transports.ts';
import { until } from '../../support/until.ts';

const NOW_MS = Date.UTC(2026, 0, 10);
const RECORDS = [feedRecord(1)];
const EXISTS = '/product/plugin/gallery/1.0/exists';
const TINY: Tier = { endpoints: ['exists', 'batch'], rate: { limit: 3, window_seconds: 30 } };
const PROXY = '127.0.0.1';

interface Clock {
  nowMs: number;
}

async function startAnonymous(
  owner: FolderOwner,
  anonymous?: Tier,
  clock: Clock = { nowMs: NOW_MS },
): Promise<TestServer> {
  return startServer(owner, {
    records: RECORDS,
    nowMs: () => clock.nowMs,
    anonymous: [patchstack.name],
    trustedProxies: [PROXY],
    keys: [keyRecord('poor', 'none')],
    tiers: { none: { endpoints: ['all'], rate: null }, ...(anonymous === undefined ? {} : { anonymous }) },
  });
}

const server = await startAnonymous({ after });

function ask(
  from: TestServer,
  headers: Readonly<Record<string, string>> = {},
  path = EXISTS,
): Promise<TestResponse> {
  return from.request(path, { headers: { PSKey: '', ...headers } });
}

const from = (address: string): Record<string, string> => ({ 'X-Forwarded-For': address });

test('a mount answers without a key only where the operator says so', async (t) => {
  assert.equal((await ask(server)).status, 200);
  const closed = await startServer(t, { records: RECORDS });
  assert.equal(outcomeOf(await ask(closed)), '401 missing_key');
});

test('a key is judged, also where none is needed: it is never ignored', async () => {
  assert.equal(outcomeOf(await ask(server, { PSKey: 'unknown' })), '401 invalid_key');
  assert.equal(outcomeOf(await ask(server, { Authorization: 'Bearer unknown' })), '401 invalid_key');
  assert.equal(outcomeOf(await ask(server, { PSKey: 'poor' })), '403 forbidden_endpoint');
  for (const Authorization of ['Basic not*base64', 'Digest x', 'Bearer', 'anything'])
    assert.equal(outcomeOf(await ask(server, { Authorization })), '401 missing_key', Authorization);
});

for (const { kind, skip } of TRANSPORTS)
  test(`over ${kind}, an empty key does not hide the one behind it`, { skip }, async (t) => {
    const { port } = await startServer(t, {
      records: RECORDS,
      anonymous: [patchstack.name],
      transport: kind,
    });
    for (const name of ['PSKey', 'Authorization']) {
      const sent = `GET ${EXISTS} HTTP/1.1\r\nHost: x\r\n${name}:\r\n${name}: Bearer {key}\r\n\r\n`;
      const socket = await sendRaw(port, sent);
      await until('the answer', () => socket.received.includes('\r\n\r\n'));
      assert.match(socket.received, /^HTTP\/1\.1 401 /, name);
      socket.hangUp();
    }
  });

test('the licence that wordfence-cli always sends counts as no key, on its mount alone', async (t) => {
  const feed = '/wordfence/v3/vulnerabilities/production';
  const licence = { Authorization: 'Bearer cli-0123456789abcdef' };
  const options = {
    records: RECORDS,
    nowMs: () => NOW_MS,
    keys: [keyRecord('own-licence', 'none')],
    tiers: { none: { endpoints: ['all'], rate: null } },
  };
  const open = await startServer(t, { ...options, anonymous: [patchstack.name, wordfence.name] });
  assert.equal((await ask(open, licence, feed)).status, 200);
  assert.equal(outcomeOf(await ask(open, licence)), '401 invalid_key');
  assert.match(outcomeOf(await ask(open, { Authorization: 'Bearer unknown' }, feed)), /^401/);
  assert.match(outcomeOf(await ask(open, { ...licence, PSKey: 'unknown' }, feed)), /^401/);
  assert.match(outcomeOf(await ask(open, { Authorization: 'Bearer cli-own-licence' }, feed)), /^403/);
  const closed = await startServer(t, { ...options, anonymous: [patchstack.name] });
  assert.match(outcomeOf(await ask(closed, licence, feed)), /^401/);
});

test('without a tier of its own, every endpoint of the mounts is open, at a built-in rate', async () => {
  const { limit, window_seconds: window } = DEFAULT_RATE;
  const listed = await ask(server, from('198.51.100.1'), '/all');
  assert.equal(listed.status, 200);
  assert.equal(listed.headers.get('ratelimit-policy'), `"anonymous";q=${limit};w=${window}`);
  assert.equal(listed.headers.get('ratelimit'), `"anonymous";r=${limit - 1};t=4`);
});

test('the tier `anonymous` of the keys file rules instead, if there is one', async (t) => {
  const tiny = await startAnonymous(t, TINY);
  const { headers, status } = await ask(tiny);
  assert.deepEqual([status, headers.get('ratelimit')], [200, '"anonymous";r=2;t=10']);
  const refused = await ask(tiny, {}, '/all');
  assert.equal(outcomeOf(refused), '403 forbidden_endpoint');
  assert.match(refused.json().detail, /The tier "anonymous" does not include the endpoint "all"/);
  const open = await startAnonymous(t, { endpoints: ['exists'], rate: null });
  assert.equal((await ask(open)).headers.get('ratelimit'), null);
});

test('each address has its own limit, with the same headers as a key, and waits as long as they say', async (t) => {
  const clock = { nowMs: NOW_MS };
  const tiny = await startAnonymous(t, TINY, clock);
  const outcomesFrom = async (address: string, count: number): Promise<string[]> => {
    const outcomes: string[] = [];
    for (let i = 0; i < count; i++) outcomes.push(outcomeOf(await ask(tiny, from(address))));
    return outcomes;
  };
  const admitted = ['200', '200', '200'];
  assert.deepEqual(await outcomesFrom('198.51.100.1', 4), [...admitted, '429 rate_limited']);
  assert.deepEqual(await outcomesFrom('198.51.100.2', 3), admitted);
  const refused = await ask(tiny, from('198.51.100.1'));
  assert.deepEqual(
    ['retry-after', 'ratelimit', 'ratelimit-policy'].map((name) => refused.headers.get(name)),
    ['10', '"anonymous";r=0;t=10', '"anonymous";q=3;w=30'],
  );
  clock.nowMs += 10_000;
  assert.deepEqual(await outcomesFrom('198.51.100.1', 2), ['200', '429 rate_limited']);
});

test('an IPv6 network of 64 bits is one caller, and an IPv4-mapped address is its IPv4 address', async (t) => {
  const tiny = await startAnonymous(t, TINY);
  for (const address of ['2001:db8:0:1::1', '[2001:DB8:0:1:ffff::2]:443', '2001:db8:0:1::3'])
    assert.equal((await ask(tiny, from(address))).status, 200, address);
  assert.equal((await ask(tiny, from('2001:db8:0:1::4'))).status, 429);
  assert.equal((await ask(tiny, from('2001:db8:0:2::1'))).status, 200);
  for (const address of ['198.51.100.1', '::ffff:198.51.100.1', '::ffff:c633:6401'])
    assert.equal((await ask(tiny, from(address))).status, 200, address);
  assert.equal((await ask(tiny, from('198.51.100.1'))).status, 429);
});

test('a forged address does not help: neither from a peer that is no proxy, nor before what the proxy wrote', async (t) => {
  const direct = await startServer(t, {
    records: RECORDS,
    nowMs: () => NOW_MS,
    anonymous: [patchstack.name],
    tiers: { anonymous: TINY },
  });
  const statuses: number[] = [];
  for (const i of [1, 2, 3, 4]) statuses.push((await ask(direct, from(`198.51.100.${i}`))).status);
  assert.deepEqual(statuses, [200, 200, 200, 429]);
  const behind = await startAnonymous(t, TINY);
  for (const forged of ['1.1.1.1', '127.0.0.1', 'unknown'])
    assert.equal((await ask(behind, from(`${forged}, 203.0.113.9`))).status, 200);
  assert.equal((await ask(behind, from('203.0.113.9'))).status, 429);
  // A proxy that leaves the client's `Forwarded` in place: the headers disagree, so all forgers share the
  // proxy's limit.
  for (const [i, expected] of [200, 200, 200, 429].entries()) {
    const headers = { ...from('203.0.113.9'), Forwarded: `for=198.51.100.${i}` };
    assert.equal((await ask(behind, headers)).status, expected);
  }
});

test('a batch costs its items if the tier says so, counted for the address that sent it', async (t) => {
  const tier: Tier = { endpoints: ['batch'], rate: { limit: 50, window_seconds: 50 }, batch_cost: 'item' };
  const counted = await startAnonymous(t, tier);
  const send = (address: string): Promise<TestResponse> =>
    counted.request('/batch', {
      method: 'POST',
      headers: { PSKey: '', ...from(address) },
      body: JSON.stringify(Array(30).fill({ type: 'plugin', name: 'gallery', version: '1.0', exists: true })),
    });
  assert.equal((await send('198.51.100.1')).headers.get('ratelimit'), '"anonymous";r=20;t=30');
  assert.equal(outcomeOf(await send('198.51.100.1')), '429 rate_limited');
  assert.equal((await send('198.51.100.2')).status, 200);
});

test('a body without a key costs a request for each 100 items and for each 64 KiB, at most 50, and one if it is bad', async (t) => {
  const clock = { nowMs: NOW_MS };
  const counted = await startServer(t, {
    records: RECORDS,
    nowMs: () => clock.nowMs,
    anonymous: ['npm-audit'],
    tiers: { anonymous: { endpoints: ['npm-audit'], rate: { limit: 60, window_seconds: 60 } } },
  });
  let left = 60;
  const ask = (body: string): Promise<TestResponse> =>
    counted.request('/-/npm/v1/security/advisories/bulk', { method: 'POST', body, headers: { PSKey: '' } });
  /** The status, and what it cost. */
  const send = async (body: string): Promise<string> => {
    const response = await ask(body);
    const before = left;
    left = Number(/r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1]);
    return `${response.status} for ${before - left}`;
  };
  const names = (count: number, blanks = 0): string => {
    const members = Array.from({ length: count }, (_, i) => `"n${i}":["1.0.0"]`);
    return `{${members.join(',')}${' '.repeat(blanks)}}`;
  };
  assert.equal(await send(names(1)), '200 for 1');
  assert.equal(await send(names(100)), '200 for 1');
  assert.equal(await send(names(101)), '200 for 2');
  assert.equal(await send(names(1, 128 * 1024)), '200 for 3');
  assert.equal(await send('{'), '400 for 1');
  assert.equal(await send(names(1, 4 * 1024 * 1024)), '200 for 50');
  // A refusal takes nothing, so whoever waits as long as it says gets in.
  const large = names(1, 128 * 1024);
  assert.equal(await send(large), '429 for 0');
  const refused = await ask(large);
  const perRequest = 'This body costs 3 requests, one for every 100 items or 64 KiB, and fewer are left; ';
  assert.ok(refused.json().error.startsWith(perRequest), refused.text);
  clock.nowMs += 1000 * Number(refused.headers.get('retry-after'));
  assert.equal((await ask(large)).status, 200);
});
