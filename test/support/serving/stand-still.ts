// A process that stands still for longer than its limit on arrival: suspended, starved of CPU, or in a
// virtual machine that is being moved. What clients sent meanwhile is in the sockets, and is answered.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { until } from '../until.ts';
import type { TestServer } from './server.ts';
import { HOST, open } from './wire.ts';

const BODY = '[{"type":"plugin","name":"gallery","version":"1.0","exists":true}]';
const BATCH = `POST /batch HTTP/1.1\r\n${HOST}Content-Length: ${BODY.length}\r\n\r\n`;

/**
 * Nothing in this thread runs. It ends as an immediate does: what is due then runs before sockets are read.
 */
export async function standStill(pauseMs: number): Promise<void> {
  await turn();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
}

/**
 * Sends what is complete only when the thread stands still; what it returns asserts the answers after that.
 * The connections are made anew if that took more than half of their limit on arrival, as on a busy machine:
 * the other half is for what comes before the thread stands still.
 */
export async function sendMeanwhile(
  t: TestContext,
  server: TestServer,
  limitMs: number,
): Promise<() => Promise<void>> {
  let assertAnswers: (() => Promise<void>) | undefined;
  await until('the connections to be made in time', async () => {
    assertAnswers = await sendWithin(t, server, limitMs / 2);
    return assertAnswers !== undefined;
  });
  return assertAnswers as () => Promise<void>; // until() saw it
}

/** Undefined if it took longer; nothing is left of it then. */
async function sendWithin(
  t: TestContext,
  server: TestServer,
  withinMs: number,
): Promise<(() => Promise<void>) | undefined> {
  const startMs = performance.now();
  const isLate = (): boolean => performance.now() - startMs > withinMs;
  const wires = Array.from({ length: 5 }, () => open(t, server.port));
  const [fresh, idle, head, body, silent] = wires;
  for (const wire of [idle, head, body, silent]) {
    wire.get('/healthz');
    assert.equal((await wire.reply()).status, 200);
  }
  head.send('GET /healthz HTTP/1.1\r\nHost: vuln');
  body.send(BATCH + BODY.slice(0, 20));
  await until('half of the body to arrive', () => server.http.pendingBytes === 20 || isLate());
  if (isLate()) {
    for (const { socket } of wires) socket.destroy();
    await until('the server to notice', () => server.http.pendingBytes === 0);
    return undefined;
  }

  fresh.get('/healthz');
  idle.get('/healthz');
  head.send('dex.example\r\n\r\n');
  body.send(BODY.slice(20));
  return async () => {
    for (const wire of [fresh, idle, head, body]) assert.equal((await wire.reply()).status, 200);
    await silent.closed();
  };
}
