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
 */
export async function sendMeanwhile(t: TestContext, server: TestServer): Promise<() => Promise<void>> {
  const [fresh, idle, head, body, silent] = Array.from({ length: 5 }, () => open(t, server.port));
  for (const wire of [idle, head, body, silent]) {
    wire.get('/healthz');
    assert.equal((await wire.reply()).status, 200);
  }
  head.send('GET /healthz HTTP/1.1\r\nHost: vuln');
  body.send(BATCH + BODY.slice(0, 20));
  await until('half of the body to arrive', () => server.http.pendingBytes === 20);

  fresh.get('/healthz');
  idle.get('/healthz');
  head.send('dex.example\r\n\r\n');
  body.send(BODY.slice(20));
  return async () => {
    for (const wire of [fresh, idle, head, body]) assert.equal((await wire.reply()).status, 200);
    await silent.closed();
  };
}
