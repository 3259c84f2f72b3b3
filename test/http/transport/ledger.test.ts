// What the two transports share. How they use it is tested over sockets, in transport.test.ts.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { SILENT_OBSERVER } from '../../../src/http/observer.ts';
import { Ledger } from '../../../src/http/transport/ledger.ts';
import type { SentReply, ServingSide } from '../../../src/http/transport/transport.ts';

const SENT: SentReply = {
  method: 'GET',
  about: { id: '', label: 'product', keyId: 'k' },
  status: 200,
  tookMs: 2,
};

function scene(t: TestContext) {
  const told: unknown[] = [];
  const service: ServingSide = { bufferBytes: 100, handle: () => assert.fail() };
  const ledger = new Ledger({
    service,
    host: '127.0.0.1',
    port: 0,
    limits: { maxTotalPendingBytes: 1_000 },
    observer: {
      ...SILENT_OBSERVER,
      ended: (...facts) => told.push(['ended', ...facts]),
      cutOff: (bytes) => told.push(['cut off', bytes]),
      abandoned: () => told.push(['abandoned']),
    },
    onReply: (_, bytes, isWhole) => told.push(['reply', bytes, isWhole]),
  });
  t.after(() => ledger.close());
  return { ledger, told };
}

test('there is room for what the limit leaves beside the held bytes and the buffers', (t) => {
  const { ledger } = scene(t);
  ledger.exchanges.hold(ledger.exchanges.open({ close() {} }), 300);
  assert.deepEqual([ledger.hasRoom(600), ledger.hasRoom(601)], [true, false]);
});

test('bodies of one caller have a share, and all bodies leave one free', (t) => {
  const { ledger } = scene(t); // shares of 125
  const body = ledger.exchanges.open({ close() {} }, 'a');
  ledger.exchanges.hold(body, 100);
  assert.deepEqual(
    [ledger.hasRoomFor('a', 25), ledger.hasRoomFor('a', 26), ledger.hasRoomFor('b', 125)],
    [true, false, true],
  );
  ledger.exchanges.hold(ledger.exchanges.open({ close() {} }), 575);
  assert.deepEqual([ledger.hasRoomFor('b', 100), ledger.hasRoomFor('b', 101)], [true, false]);
  ledger.exchanges.forget(body);
  assert.equal(ledger.exchanges.heldFor('a'), 0);
});

test('the end of a reply is told to the counters and to the log, whole or not', (t) => {
  const { ledger, told } = scene(t);
  ledger.ended(SENT, 50, true);
  ledger.ended(SENT, 7, false);
  assert.deepEqual(told, [
    ['ended', 'product', 200, 2, 50],
    ['reply', 50, true],
    ['cut off', 7],
    ['reply', 7, false],
  ]);
});

test('a request is abandoned once, and only if it was not answered', (t) => {
  const { ledger, told } = scene(t);
  const [first, second] = [ledger.exchanges.open({ close() {} }), ledger.exchanges.open({ close() {} })];
  ledger.exchanges.forget(second);
  for (const exchange of [first, second, first]) ledger.abandon(exchange);
  assert.deepEqual(told, [['abandoned']]);
});
