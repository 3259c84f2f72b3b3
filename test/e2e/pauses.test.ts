// A process that stands still for longer than the idle limit: suspended, starved of CPU, or in a virtual machine that is
// being moved. What clients sent meanwhile is in the sockets, and is answered.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { feedRecord } from '../support/advisories.ts';
import { overEach } from '../support/transport-scene.ts';
import { HOST, open, until } from '../support/wire.ts';

const PAUSE_MS = 13_000; // every limit on arrival is 10 to 12 s
const BODY = '[{"type":"plugin","name":"gallery","version":"1.0","exists":true}]';
const BATCH = `POST /batch HTTP/1.1\r\n${HOST}Content-Length: ${BODY.length}\r\n\r\n`;

/** Nothing in this thread runs. It ends as an immediate does: what is due then runs before sockets are read. */
async function standStill(): Promise<void> {
  await turn();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
}

overEach(async ({ start }) => {
  const server = await start({ after }, { records: [feedRecord(1)] });

  test('requests, heads and bodies that arrive while the process stands still are answered', async (t) => {
    const [fresh, idle, head, body, silent] = Array.from({ length: 5 }, () => open(t, server.port));
    for (const wire of [idle, head, body, silent]) {
      wire.get('/healthz');
      assert.equal((await wire.reply()).status, 200);
    }
    head.send('GET /healthz HTTP/1.1\r\nHost: vuln');
    body.send(BATCH + BODY.slice(0, 20));
    await until(() => server.http.pendingBytes === 20, 'half of the body to arrive');

    fresh.get('/healthz');
    idle.get('/healthz');
    head.send('dex.example\r\n\r\n');
    body.send(BODY.slice(20));
    await standStill();

    for (const wire of [fresh, idle, head, body]) assert.equal((await wire.reply()).status, 200);
    await silent.closed();
  });
});
