// Clients that read slowly, not at all, or disconnect: every byte of a reply arrives, memory stays within its
// limits and is released, over each transport.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_HEADERS, NO_OWN_HEADERS, SharedHeaders } from '../../src/http/replies/reply-headers.ts';
import type { Reply } from '../../src/http/replies/responses.ts';
import type { RequestView } from '../../src/http/transport/request-view.ts';
import type { TransportLimits } from '../../src/http/transport/transport.ts';
import { feedRecord } from '../support/feeds/advisories.ts';
import { keyRecord } from '../support/serving/server.ts';
import { LARGE_RECORDS, ObservedEvents, overEach, PAGE_BYTES } from '../support/serving/transport-scene.ts';
import { HOST, open, passTurns, readSlowly, type Wire } from '../support/serving/wire.ts';
import { until } from '../support/until.ts';

const MIB = 1 << 20;
const CHECK_MS = 1_000; // how often the transport checks for what is overdue
const HEALTHY = '{"status":"ok"}';

/** The last bytes received, whatever the chunks. */
function endOf(parts: readonly Buffer[]): string {
  return Buffer.concat(parts.slice(-3)).subarray(-HEALTHY.length).toString();
}

overEach(({ faults, start, startLarge, listen }) => {
  test('a slow but steady reader gets every byte', async (t) => {
    const large = await startLarge(t);
    const { text } = await large.request('/all');
    assert.ok(Buffer.byteLength(text) > PAGE_BYTES);
    const wire = open(t, large.port, { reads: false });
    wire.get('/all');
    await until('the reply not to fit', () => large.http.pendingBytes > 0);
    // Other replies of the same thread must not change what the slow one has yet to get.
    assert.equal((await large.request('/product/plugin/gallery/1.0/exists')).json().vulnerable, true);
    assert.equal((await large.request('/all?per_page=1&include=details')).status, 200);
    const parts: Buffer[] = [];
    let receivedBytes = 0;
    readSlowly(wire, 1, (chunk) => {
      parts.push(chunk);
      receivedBytes += chunk.length;
    });
    await until('the whole page', () => receivedBytes > Buffer.byteLength(text));
    await until('nothing to be held', () => large.http.pendingBytes === 0);
    const page = Buffer.concat(parts);
    const bodyAt = page.indexOf('\r\n\r\n') + 4;
    assert.ok(page.subarray(bodyAt, bodyAt + Buffer.byteLength(text)).equals(Buffer.from(text)));
    wire.get('/healthz');
    await until('the next reply', () => receivedBytes > page.length && endOf(parts).endsWith(HEALTHY));
    const next = Buffer.concat(parts).subarray(bodyAt + Buffer.byteLength(text));
    assert.ok(next.toString().startsWith('HTTP/1.1 200 '), 'nothing is between the two');
  });

  test('the reply to a batch reaches a slow reader whole, too', async (t) => {
    // 8 MB, nearly the limit of a batch.
    const large = await start(t, { records: LARGE_RECORDS.slice(0, 50) });
    const body = '[{"type":"plugin","name":"gallery","version":"*"}]';
    const { text } = await large.request('/batch', { method: 'POST', body });
    const wire = open(t, large.port, { reads: false });
    wire.send(`POST /batch HTTP/1.1\r\n${HOST}Content-Length: ${body.length}\r\n\r\n${body}`);
    await until('the reply not to fit', () => large.http.pendingBytes > 0);
    wire.read();
    await until('the whole reply', () => wire.receivedBytes > Buffer.byteLength(text));
    assert.equal((await wire.reply()).body, text);
    assert.equal(large.http.pendingBytes, 0);
  });

  test('a reader that takes nothing is closed after the time limit, and its reply is released', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] }); // for the transport's checks
    const large = await startLarge(t, { exchangeTimeoutMs: 1 });
    const wire = open(t, large.port, { reads: false });
    wire.get('/all');
    await until('the reply not to fit', () => large.http.pendingBytes > 0);
    await until('the time limit', () => {
      t.mock.timers.tick(CHECK_MS);
      return large.http.pendingBytes === 0;
    });
    wire.read();
    await wire.closed();
    assert.ok(wire.receivedBytes < PAGE_BYTES);
  });

  test('the rest of a reply is released when its client disconnects', async (t) => {
    const large = await startLarge(t);
    const wire = open(t, large.port, { reads: false });
    wire.get('/all');
    await until('the reply not to fit', () => large.http.pendingBytes > 0);
    wire.socket.destroy();
    await until('the rest to be released', () => large.http.pendingBytes === 0);
    assert.equal((await large.request('/healthz')).status, 200);
  });

  test('a connection is closed at once if the rest of its reply is more than it may hold', async (t) => {
    const observed = new ObservedEvents();
    const large = await startLarge(t, { maxPendingBytes: MIB }, observed);
    const wire = open(t, large.port, { reads: false });
    wire.get('/all');
    await until('the reply to be cut off', () => observed.events.length === 2);
    assert.deepEqual(observed.events, ['started', 'cut off']);
    assert.equal(large.http.pendingBytes, 0);
    wire.read();
    await wire.closed();
    assert.equal((await large.request('/all?per_page=1')).status, 200);
  });

  test('all slow readers together hold no more than the limit', async (t) => {
    // Room for the buffer in which the page is built, some 32 MB, and for one rest but not two.
    const maxTotalPendingBytes = 50 * MIB;
    const observed = new ObservedEvents();
    const large = await startLarge(t, { maxTotalPendingBytes }, observed);
    const wires = Array.from({ length: 4 }, () => open(t, large.port, { reads: false }));
    wires[0].get('/all');
    await until('the first reply not to fit', () => large.http.pendingBytes > 0);
    const heldBytes = large.http.pendingBytes;
    assert.ok(heldBytes <= maxTotalPendingBytes, `${heldBytes}`);
    for (const [place, wire] of wires.slice(1).entries()) {
      wire.get('/all');
      await until('a further one to be cut off', () => observed.events.length === 3 + 2 * place);
      assert.deepEqual(observed.events.slice(-2), ['started', 'cut off']);
      assert.equal(large.http.pendingBytes, heldBytes);
    }
    for (const wire of wires.slice(1)) wire.read();
    for (const wire of wires.slice(1)) await wire.closed();
    assert.ok(!wires[0].isClosed);
    wires[0].read();
    const reply = await wires[0].reply();
    assert.equal(String(Buffer.byteLength(reply.body)), reply.headers.get('content-length'));
    assert.equal(large.http.pendingBytes, 0);
  });

  test('the buffers in which replies are built count towards what all connections may hold', async (t) => {
    const about = { id: '', label: 'other', keyId: undefined } as const;
    const reply: Reply = {
      about,
      status: 200,
      headers: new SharedHeaders(NO_HEADERS),
      ownHeaders: NO_OWN_HEADERS,
      body: new Uint8Array(20 * MIB),
    };
    const service = { handle: () => reply, bufferBytes: 30 * MIB };
    for (const [maxTotalPendingBytes, holds] of [
      [49 * MIB, true],
      [45 * MIB, false], // 15 for the reply: the kernel takes some 4 of the 20
    ] as const) {
      const http = await listen({ service, host: '127.0.0.1', port: 0, limits: { maxTotalPendingBytes } });
      t.after(() => http.close());
      const wire = open(t, http.port, { reads: false });
      wire.send('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      if (holds) {
        await until('the reply not to fit', () => http.pendingBytes > 0);
      } else {
        wire.read();
        await wire.closed();
        assert.equal(http.pendingBytes, 0);
      }
    }
  });

  test('a caller has a share of what incomplete bodies may hold; more of them get 503, others are answered', async (t) => {
    const maxTotalPendingBytes = 800_000; // a share of 100,000, or two halves of a body
    const small = await start(t, {
      limits: { maxTotalPendingBytes },
      records: [feedRecord(1)],
      keys: [keyRecord('other', 'partner')],
    });
    const half = `POST /batch HTTP/1.1\r\n${HOST}Content-Length: 60000\r\n\r\n[${' '.repeat(40_000)}`;
    const wires = [open(t, small.port), open(t, small.port)];
    for (const wire of wires) wire.send(half);
    await until('two halves to arrive', () => small.http.pendingBytes === 80_002);
    const third = open(t, small.port);
    third.send(half);
    const refused = await third.reply();
    assert.deepEqual([refused.status, JSON.parse(refused.body).code], [503, 'overloaded']);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    await third.closed();
    const body = `[${' '.repeat(40_000)}]`;
    const answered = await small.request('/batch', { method: 'POST', headers: { PSKey: 'other' }, body });
    assert.equal(answered.status, 200);
    assert.deepEqual(
      wires.map((wire) => wire.isClosed),
      [false, false],
    );
    assert.equal(small.http.pendingBytes, 80_002);
  });

  test('a reply in shared memory arrives unchanged even though later replies overwrite the memory', async (t) => {
    const about = { id: '', label: 'other', keyId: undefined } as const;
    const memory = new Uint8Array(new SharedArrayBuffer(12 * MIB));
    const service = {
      handle: ({ path }: RequestView): Reply => {
        const [fill, length] = path.slice(1).split('/').map(Number);
        const body = memory.subarray(0, length);
        body.fill(fill);
        return {
          about,
          status: 200,
          headers: new SharedHeaders(NO_HEADERS),
          ownHeaders: NO_OWN_HEADERS,
          body,
        };
      },
    };
    const http = await listen({ service, host: '127.0.0.1', port: 0 });
    t.after(() => http.close());
    const slow = open(t, http.port, { reads: false });
    slow.get(`/65/${12 * MIB}`);
    await until('the reply not to fit', () => http.pendingBytes > 0);
    const quick = open(t, http.port);
    for (const length of [1, 70_000]) {
      quick.get(`/66/${length}`);
      assert.equal((await quick.reply()).body, 'B'.repeat(length));
    }
    slow.read();
    assert.ok((await slow.reply()).body === 'A'.repeat(12 * MIB));
  });

  test('small replies to a client that does not read are soon held, like large ones', async (t) => {
    const about = { id: '', label: 'other', keyId: undefined } as const;
    const body = 'x'.repeat(4_000);
    let handled = 0;
    const service = {
      handle: (): Reply => {
        handled++;
        return {
          about,
          status: 200,
          headers: new SharedHeaders(NO_HEADERS),
          ownHeaders: NO_OWN_HEADERS,
          body,
        };
      },
    };
    const http = await listen({ service, host: '127.0.0.1', port: 0 });
    t.after(() => http.close());
    const wire = open(t, http.port, { reads: false });
    const most = (16 * MIB) / body.length; // more than the kernel takes for both ends
    // Request by request: a socket that takes nothing more is noticed with a later one.
    for (let sent = 0; sent < most && http.pendingBytes === 0 && !wire.isClosed; sent++) {
      wire.get('/');
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.ok(http.pendingBytes > 0 || wire.isClosed, `${handled} replies are kept beside the limits`);
  });

  test('a reply counts once it is sent in full, not when it begins', async (t) => {
    const observed = new ObservedEvents();
    const large = await startLarge(t, {}, observed);
    const wire = open(t, large.port, { reads: false });
    wire.get('/all');
    await until('the reply not to fit', () => large.http.pendingBytes > 0);
    assert.deepEqual(observed.events, ['started']);
    wire.read();
    await wire.reply();
    assert.deepEqual(observed.events, ['started', 'ended all 200, a page']);
  });

  test('a reply that is cut off counts as cut off and not as answered, whatever the reason', async (t) => {
    const cuts: readonly [string, Partial<TransportLimits>, (wire: Wire) => void][] = [
      ['the client disconnected', {}, (wire) => wire.socket.destroy()],
      ['it was too slow', { exchangeTimeoutMs: 1 }, () => {}],
      ['it would have held too much', { maxPendingBytes: MIB }, () => {}],
    ];
    t.mock.timers.enable({ apis: ['setInterval'] }); // for the transport's checks
    for (const [how, limits, cut] of cuts) {
      const observed = new ObservedEvents();
      const large = await startLarge(t, limits, observed);
      const wire = open(t, large.port, { reads: false });
      wire.get('/all');
      await until('the reply not to fit', () => large.http.pendingBytes > 0 || observed.events.length === 2);
      cut(wire);
      await until(how, () => {
        t.mock.timers.tick(CHECK_MS);
        return observed.events.length === 2;
      });
      assert.deepEqual(observed.events, ['started', 'cut off'], how);
      large.http.close();
    }
  });

  test('a client that pipelines requests and reads no reply is not read from any further', async (t) => {
    const about = { id: '', label: 'other', keyId: undefined } as const;
    const reply: Reply = {
      about,
      status: 200,
      headers: new SharedHeaders(NO_HEADERS),
      ownHeaders: NO_OWN_HEADERS,
      body: new Uint8Array(3_000),
    };
    const http = await listen({ service: { handle: () => reply }, host: '127.0.0.1', port: 0 });
    t.after(() => http.close());
    const wire = open(t, http.port, { reads: false });
    const requests = 20_000; // the kernel buffers some 1,300 of the replies
    wire.send('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(requests));
    if (faults.pipelines.has('replies beyond the send buffer')) {
      wire.read();
      await wire.closed();
      assert.equal(http.pendingBytes, 0);
      return;
    }
    await until('a reply not to fit', () => http.pendingBytes > 0);
    const other = open(t, http.port);
    let mostBytes = 0;
    for (let i = 0; i < 100; i++) {
      await passTurns(other);
      mostBytes = Math.max(mostBytes, http.pendingBytes);
    }
    assert.ok(mostBytes < 8 * MIB, `${mostBytes}`); // all requests would be 37 MiB
    let receivedBytes = 0;
    wire.socket.on('data', (chunk) => {
      receivedBytes += chunk.length;
    });
    wire.socket.resume();
    await until('every reply', () => receivedBytes > requests * 3_000);
    await until('nothing to be held', () => http.pendingBytes === 0);
  });

  test('pipelined requests that wait count towards what all connections may hold', async (t) => {
    const about = { id: '', label: 'other', keyId: undefined } as const;
    const reply: Reply = {
      about,
      status: 200,
      headers: new SharedHeaders(NO_HEADERS),
      ownHeaders: NO_OWN_HEADERS,
      body: new Uint8Array(3_000),
    };
    const limits = { maxTotalPendingBytes: MIB };
    let closedCount = 0;
    const observer = new ObservedEvents();
    observer.disconnected = () => {
      closedCount++;
    };
    const service = { handle: () => reply };
    const http = await listen({ service, host: '127.0.0.1', port: 0, limits, observer });
    t.after(() => http.close());
    const wire = open(t, http.port, { reads: false });
    wire.send('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20_000));
    await until('the server to close the connection', () => closedCount === 1);
    assert.equal(http.pendingBytes, 0);
    wire.read();
    await wire.closed();
    assert.equal(http.pendingBytes, 0);
  });
});
