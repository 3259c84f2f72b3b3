// Replies with large immutable bodies: every byte arrives, however slowly it is read, without a copy in
// memory, over each transport.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { NO_HEADERS, NO_OWN_HEADERS, SharedHeaders } from '../../src/http/replies/reply-headers.ts';
import type { Reply } from '../../src/http/replies/responses.ts';
import type { TransportLimits } from '../../src/http/transport/transport.ts';
import { ObservedEvents, overEach, type TransportScene } from '../support/serving/transport-scene.ts';
import { open, passTurns, readSlowly, type Wire } from '../support/serving/wire.ts';
import { until } from '../support/until.ts';

const MIB = 1 << 20;
const CHECK_MS = 1_000; // how often the transport checks for what is overdue
const SEVERAL_TURNS = 20; // enough for the kernel's buffers to be full
/** More than what the kernel buffers, and not a multiple of any slice. */
const BODY_BYTES = 40 * MIB + 12_345;

/** In shared memory, different in every slice. */
function bodyOf(seed: number, bytes = BODY_BYTES): Uint8Array {
  const words = new Uint32Array(new SharedArrayBuffer(bytes + 4 - (bytes % 4)));
  for (let i = 0; i < words.length; i++) words[i] = Math.imul(i + 1, seed);
  return new Uint8Array(words.buffer, 0, bytes);
}

const ONE = bodyOf(0x9e3779b1);
const OTHER = bodyOf(0x85ebca6b);

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(Buffer.from(bytes)).digest('hex'); // copied: not shared
}

/** The body, of which nothing but slices can be taken: every copy of all of it fails. */
function onlySliced(body: Uint8Array, onSlice: (bytes: number) => void): Uint8Array {
  return new Proxy(body, {
    get(target, name) {
      if (name === 'length') return target.length;
      if (name !== 'subarray') return assert.fail(`${String(name)} of the body was read`);
      return (from: number, to: number): Uint8Array => {
        const slice = target.subarray(from, to);
        onSlice(slice.length);
        return slice;
      };
    },
  });
}

/** A transport that answers /file with the current body, and everything else with a few bytes. */
async function serve(
  t: TestContext,
  listen: TransportScene['listen'],
  {
    limits = {},
    body = ONE,
  }: { readonly limits?: Partial<TransportLimits>; readonly body?: Uint8Array } = {},
) {
  const current = { body };
  const observed = new ObservedEvents();
  const headers = new SharedHeaders(NO_HEADERS);
  const about = { id: '', label: 'other', keyId: undefined };
  const http = await listen({
    service: {
      handle: ({ path }): Reply =>
        path === '/file'
          ? { about, status: 200, headers, ownHeaders: NO_OWN_HEADERS, body: current.body, isImmutable: true }
          : { about, status: 200, headers, ownHeaders: NO_OWN_HEADERS, body: 'small' },
    },
    host: '127.0.0.1',
    port: 0,
    limits,
    observer: observed,
  });
  t.after(() => http.close());
  return { http, current, observed };
}

/** Reads on and hashes the body, without keeping it. Each chunk is followed by a pause of so many turns. */
function readBody(wire: Wire, turns: number): { readonly hash: () => string; readonly bytes: () => number } {
  const hash = createHash('sha256');
  let head: Uint8Array | undefined = new Uint8Array(0);
  let bytes = 0;
  readSlowly(wire, turns, (chunk) => {
    let part = chunk;
    if (head !== undefined) {
      const received = Buffer.concat([head, chunk]);
      const end = received.indexOf('\r\n\r\n');
      head = received;
      if (end < 0) return;
      part = received.subarray(end + 4);
      head = undefined;
    }
    hash.update(part);
    bytes += part.length;
  });
  return { hash: () => hash.digest('hex'), bytes: () => bytes };
}

overEach(({ listen }) => {
  test('slow and fast readers get every byte, also when the file is replaced meanwhile', async (t) => {
    // Not counted: with these limits not one byte of it could be held.
    const limits = { maxPendingBytes: 1, maxTotalPendingBytes: MIB };
    const { http, current, observed } = await serve(t, listen, { limits });
    const wires = [0, 1, 2].map(() => open(t, http.port, { reads: false }));
    for (const wire of wires) wire.get('/file');
    await until('three requests', () => observed.events.length === 3);
    current.body = OTHER;
    const late = open(t, http.port, { reads: false });
    late.get('/file');
    const small = open(t, http.port);
    small.get('/small');
    assert.equal((await small.reply()).body, 'small');
    assert.equal(http.pendingBytes, 0);
    const readings = [...wires, late].map((wire, i) => readBody(wire, i));
    await until('all bytes', () => readings.every(({ bytes }) => bytes() >= BODY_BYTES));
    assert.deepEqual(
      readings.map(({ bytes }) => bytes()),
      Array(4).fill(BODY_BYTES),
    );
    const [one, other] = [hashOf(ONE), hashOf(OTHER)];
    assert.deepEqual(
      readings.map(({ hash }) => hash()),
      [one, one, one, other],
    );
    await until('the ends of all replies', () => observed.events.length === 10);
    assert.equal(observed.events.filter((event) => event === 'ended other 200, a page').length, 4);
  });

  test('the connection serves further requests after a download', async (t) => {
    const { http } = await serve(t, listen, { body: ONE.subarray(0, 5 * MIB + 1) });
    const wire = open(t, http.port);
    for (let turn = 0; turn < 2; turn++) {
      wire.get('/file');
      const { body } = await wire.reply();
      assert.ok(body === Buffer.from(ONE.slice(0, 5 * MIB + 1)).toString());
      wire.get('/small');
      assert.equal((await wire.reply()).body, 'small');
    }
  });

  test('HEAD says how long it is and sends nothing', async (t) => {
    const { http } = await serve(t, listen);
    const wire = open(t, http.port);
    wire.send('HEAD /file HTTP/1.1\r\nHost: x\r\n\r\n');
    const { headers } = await wire.reply({ hasBody: false });
    assert.equal(headers.get('content-length'), String(BODY_BYTES));
    wire.get('/small');
    assert.equal((await wire.reply()).body, 'small');
  });

  test('many readers that take nothing cost no memory, and are closed after the time limit', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] }); // for the transport's checks
    const { http, current, observed } = await serve(t, listen, { limits: { exchangeTimeoutMs: 1 } });
    let handedBytes = 0;
    current.body = onlySliced(ONE, (bytes) => {
      handedBytes += bytes;
    });
    const wires = Array.from({ length: 20 }, () => open(t, http.port, { reads: false }));
    for (const wire of wires) wire.get('/file');
    await until('the requests', () => observed.events.length === 20);
    await passTurns(open(t, http.port), SEVERAL_TURNS);
    observed.events.length = 20;
    // What the kernel took, some MiB of each body, and a slice that it did not; a copy of the rest would be
    // handed over whole.
    assert.ok(handedBytes > 0);
    assert.ok(handedBytes < 10 * BODY_BYTES, `${handedBytes} bytes for 20 readers of ${BODY_BYTES}`);
    assert.equal(http.pendingBytes, 0);
    await until('the time limit', () => {
      t.mock.timers.tick(CHECK_MS);
      return observed.events.length === 40;
    });
    assert.deepEqual(observed.events.slice(20), Array(20).fill('cut off'));
    for (const wire of wires) wire.read();
    for (const wire of wires) await wire.closed();
  });

  test('a client that disconnects is forgotten at once', async (t) => {
    const { http, observed } = await serve(t, listen);
    const wire = open(t, http.port, { reads: false });
    wire.get('/file');
    await until('the request', () => observed.events.length === 1);
    await passTurns(open(t, http.port), SEVERAL_TURNS);
    observed.events.length = 1;
    wire.socket.destroy();
    await until('the end', () => observed.events.length === 2);
    assert.equal(observed.events[1], 'cut off');
    await http.idle();
  });

  test('a process that ends waits for a download no longer than for any other reply', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] }); // for the transport's checks
    let nowMs = 0;
    t.mock.method(performance, 'now', () => nowMs);
    const { http, observed } = await serve(t, listen, { limits: { exchangeTimeoutMs: 1_000 } });
    const wire = open(t, http.port, { reads: false });
    wire.get('/file');
    await until('the request', () => observed.events.length === 1);
    let isIdle = false;
    const idle = http.idle().then(() => {
      isIdle = true;
    });
    let taken = 0; // steadily, and fast enough otherwise
    readSlowly(wire, 1, (chunk) => {
      taken += chunk.length;
      nowMs += 10;
      if (nowMs % CHECK_MS === 0) t.mock.timers.tick(CHECK_MS);
    });
    await until('idle to resolve', () => isIdle);
    await idle;
    assert.equal(observed.events[1], 'cut off');
    assert.ok(taken < BODY_BYTES);
  });
});
