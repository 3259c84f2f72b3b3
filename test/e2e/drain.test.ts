// How a transport stops: replies that are being sent finish, connections close after their last reply, and no
// new connection is accepted.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { IDLE_POLL_MS } from '../../src/http/transport/transport.ts';
import { feedRecord } from '../support/feeds/advisories.ts';
import { overEach } from '../support/serving/transport-scene.ts';
import { HOST, open, type Wire } from '../support/serving/wire.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

overEach(({ start, startLarge }) => {
  test('idle waits for a reply that is being sent, and a stopped listener accepts no connection', async (t) => {
    const large = await startLarge(t);
    const wire = open(t, large.port, { reads: false });
    wire.get('/all');
    await until('the reply not to fit', () => large.http.pendingBytes > 0);
    large.http.stopListening();
    let isIdle = false;
    const idle = large.http.idle().then(() => {
      isIdle = true;
    });
    const late = connect(large.port, '127.0.0.1');
    const [error] = await once(late, 'error');
    assert.equal((error as NodeJS.ErrnoException).code, 'ECONNREFUSED');
    assert.ok(!isIdle);
    wire.read();
    await idle;
    const reply = await wire.reply();
    assert.equal(String(Buffer.byteLength(reply.body)), reply.headers.get('content-length'));
  });

  test('while draining every reply has Connection: close', async (t) => {
    const draining = await startLarge(t);
    const cases: readonly [string, (wire: Wire) => void, number][] = [
      ['lookup', (wire) => wire.get('/product/plugin/gallery/1.0/exists'), 200],
      ['unchanged', (wire) => wire.get('/all', `If-None-Match: ${tag}\r\n`), 304],
      ['large', (wire) => wire.get('/all'), 200],
      ['unknown path', (wire) => wire.get('/nowhere'), 404],
      ['batch', (wire) => wire.send(`POST /batch HTTP/1.1\r\n${HOST}Content-Length: 2\r\n\r\n[]`), 200],
      ['refused body', (wire) => wire.send(`POST /all HTTP/1.1\r\n${HOST}Content-Length: 2\r\n\r\n[]`), 405],
    ];
    const tag = (await draining.request('/all')).headers.get('etag');
    const wires = cases.map(() => open(t, draining.port));
    // The replies show that the connection was accepted, and the transport then has what such heads share.
    for (const [place, [, send]] of [...cases.entries(), ...cases.entries()]) {
      send(wires[place]);
      await wires[place].reply();
    }
    draining.http.drain();
    draining.http.stopListening();
    for (const [place, [what, send, status]] of cases.entries()) {
      send(wires[place]);
      const reply = await wires[place].reply();
      assert.equal(reply.status, status, what);
      assert.equal(reply.headers.get('connection'), 'close', what);
      const length = reply.headers.get('content-length') ?? '0';
      assert.equal(String(Buffer.byteLength(reply.body)), length, what);
    }
  });

  test('a drained connection is closed after its next reply and not before', async (t) => {
    const draining = await start(t, { records: [feedRecord(1)] });
    const idle = open(t, draining.port);
    const busy = open(t, draining.port);
    idle.get('/healthz');
    await idle.reply();
    draining.http.drain();
    draining.http.stopListening();
    busy.get('/healthz');
    assert.equal((await busy.reply()).headers.get('connection'), 'close');
    await busy.closed();
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let isIdle = false;
    const quiet = draining.http.idle(PATIENCE_MS).then(() => {
      isIdle = true;
    });
    for (let poll = 0; poll < 5; poll++) {
      t.mock.timers.tick(IDLE_POLL_MS);
      await turn();
    }
    assert.ok(!idle.isClosed && !isIdle);
    idle.get('/healthz');
    assert.equal((await idle.reply()).status, 200);
    await idle.closed();
    await until('idle to resolve', () => {
      t.mock.timers.tick(IDLE_POLL_MS);
      return isIdle;
    });
    await quiet;
  });
});
