// Which requests are logged, and that no record can contain a secret.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AccessSampler, accessRecord } from '../../src/http/access-log.ts';
import type { SentReply } from '../../src/http/transport/transport.ts';

const SENT: SentReply = {
  method: 'GET',
  about: { id: 'mine-1', label: 'exists', keyId: 'k_1a2b3c4d' },
  status: 200,
  tookMs: 0.1234567,
};

function taken(rate: number, count: number): number[] {
  const sampler = new AccessSampler(rate);
  return Array.from({ length: count }, (_, i) => i + 1).filter(() => sampler.shouldLog('exists'));
}

test('rate 0 logs no request and rate 1 every one', () => {
  assert.deepEqual(taken(0, 1000), []);
  assert.equal(taken(1, 1000).length, 1000);
});

test('a rate of 1/n logs every n-th request', () => {
  assert.deepEqual(taken(0.25, 12), [4, 8, 12]);
  assert.deepEqual(taken(0.1, 30), [10, 20, 30]);
  assert.deepEqual(taken(0.001, 3000), [1000, 2000, 3000]);
});

test('of any run of requests the share is logged, give or take one', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.nat(500),
      fc.integer({ min: 1, max: 500 }),
      (rate, before, count) => {
        const sampler = new AccessSampler(rate);
        for (let i = 0; i < before; i++) sampler.shouldLog('product');
        let logged = 0;
        for (let i = 0; i < count; i++) if (sampler.shouldLog('product')) logged++;
        assert.ok(Math.abs(logged - rate * count) <= 1 + 1e-9, `${logged} of ${count} at ${rate}`);
      },
    ),
  );
});

test('health probes are neither logged nor counted towards the share', () => {
  const sampler = new AccessSampler(0.5);
  const labels = ['healthz', 'exists', 'readyz', 'healthz', 'exists', 'readyz', 'exists', 'exists'] as const;
  assert.deepEqual(
    labels.map((label) => sampler.shouldLog(label)),
    [false, false, false, false, true, false, false, true],
  );
  const all = new AccessSampler(1);
  assert.deepEqual(
    [all.shouldLog('readyz'), all.shouldLog('healthz'), all.shouldLog('other')],
    [false, false, true],
  );
});

test('a record says who requested what, and the outcome, in a fixed list of members', () => {
  assert.deepEqual(accessRecord(SENT, 19, true), {
    method: 'GET',
    route: 'exists',
    status: 200,
    tookMs: 0.123,
    bytes: 19,
    requestId: 'mine-1',
    keyId: 'k_1a2b3c4d',
  });
});

test('the record of a reply that was cut off says so, with the bytes sent', () => {
  const record = accessRecord(SENT, 7, false);
  assert.deepEqual([record.cutOff, record.bytes, record.status], [true, 7, 200]);
});

test('a trace is in the record only if there is one', () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const record = accessRecord({ ...SENT, about: { ...SENT.about, traceparent } }, 19, true);
  assert.equal(record.traceparent, traceparent);
  assert.ok(!('traceparent' in accessRecord(SENT, 19, true)));
});

test('an unknown caller and a missing request id are null', () => {
  const record = accessRecord({ ...SENT, about: { ...SENT.about, id: '', keyId: undefined } }, 19, true);
  assert.equal(record.keyId, null);
  assert.equal(record.requestId, null);
});

test('an unknown method is not logged: it can be anything, even a key', () => {
  for (const method of ['SECRET-KEY', '', 'get', '\n0\n\nGET']) {
    assert.equal(accessRecord({ ...SENT, method }, 19, true).method, 'other');
  }
});
