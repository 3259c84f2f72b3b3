// Lifetimes on the wire, with a raw socket where fetch is too well-behaved: readers that are slow or gone, bodies
// that stop half-way, pipelining. Each transport is held to all of it; what one of them gets wrong is listed as data in
// test/support/cuts.ts. What an answer says is the handlers' tests' matter.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { RequestObserver } from '../../src/http/observer.ts';
import type { RequestView } from '../../src/http/request-view.ts';
import type { Reply } from '../../src/http/responses.ts';
import type {
  Transport,
  TransportKind,
  TransportLimits,
  TransportOptions,
} from '../../src/http/transport.ts';
import { createTransport } from '../../src/http/transports.ts';
import { feedRecord } from '../support/advisories.ts';
import { type CutPlace, cutsOf, FAULTS, PIPELINE_CUTS } from '../support/cuts.ts';
import type { FolderOwner } from '../support/folder.ts';
import { PARTNER_KEY, startServer, type TestServer, type TestServerOptions } from '../support/server.ts';
import { freePort } from '../support/soak/ports.ts';
import { TRANSPORTS } from '../support/transports.ts';

const PATIENCE_MS = 8_000; // far beyond every time limit below
const MIB = 1 << 20;
const HOST = `Host: vulndex.example\r\nPSKey: ${PARTNER_KEY}\r\n`;

// The kernel takes up to 4 MiB for a client that reads nothing, and some more on the client's side, so a page is
// larger than that by far: 100 titles of 160 KB.
const PAGE_BYTES = 16_000_000;
const LARGE_RECORDS = Array.from({ length: 100 }, (_, i) =>
  feedRecord(i + 1, { title: `${i} `.repeat(160_000).slice(0, PAGE_BYTES / 100) }),
);

interface WireReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** A connection that keeps what it received until it is asked for. */
class Wire {
  readonly socket: Socket;
  readonly #chunks: Buffer[] = [];
  #isClosed = false;

  /** Begins to read at once, unless the test is about a client that does not. */
  constructor(port: number, { reads = true } = {}) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.on('error', () => {}); // a reset is a way of being closed
    this.socket.on('close', () => {
      this.#isClosed = true;
    });
    if (reads) this.read();
    else this.socket.pause();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get receivedBytes(): number {
    return this.#chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  }

  read(): void {
    this.socket.on('data', (chunk) => this.#chunks.push(chunk));
    this.socket.resume();
  }

  send(text: string): void {
    this.socket.write(text);
  }

  get(path: string, headers = ''): void {
    this.send(`GET ${path} HTTP/1.1\r\n${HOST}${headers}\r\n`);
  }

  /** Takes the next reply off what was received; `hasBody` is false after a HEAD. */
  async reply({ hasBody = true } = {}): Promise<WireReply> {
    await until(() => this.#findEnd(hasBody) !== undefined, 'a reply');
    const received = Buffer.concat(this.#chunks);
    const end = this.#findEnd(hasBody) as number; // until() saw it
    this.#chunks.splice(0, this.#chunks.length, received.subarray(end));
    const headEnd = received.indexOf('\r\n\r\n');
    const [statusLine, ...lines] = received.subarray(0, headEnd).toString().split('\r\n');
    const headers = new Headers(lines.map((line) => line.split(/: ?(.*)/s, 2) as [string, string]));
    return {
      status: Number(statusLine.split(' ')[1]),
      headers,
      body: received.subarray(headEnd + 4, end).toString(),
    };
  }

  /** Resolves when the connection is closed from the other side. */
  async closed(): Promise<void> {
    await until(() => this.#isClosed, 'the connection to be closed');
  }

  #findEnd(hasBody: boolean): number | undefined {
    const received = Buffer.concat(this.#chunks);
    const headEnd = received.indexOf('\r\n\r\n');
    if (headEnd < 0) return undefined;
    const head = received.subarray(0, headEnd).toString();
    const length = hasBody ? Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0) : 0;
    return received.length >= headEnd + 4 + length ? headEnd + 4 + length : undefined;
  }
}

async function until(isSo: () => boolean, what: string): Promise<void> {
  for (const startMs = Date.now(); !isSo(); await delay(5)) {
    assert.ok(Date.now() - startMs < PATIENCE_MS, `waited too long for ${what}`);
  }
}

function open(owner: FolderOwner, port: number, options?: { reads: boolean }): Wire {
  const wire = new Wire(port, options);
  owner.after(() => wire.socket.destroy());
  return wire;
}

/** What is told of requests, as text in the order of the telling. */
class Told implements RequestObserver {
  readonly events: string[] = [];
  connected(): void {}
  disconnected(): void {}
  started(): void {
    this.events.push('started');
  }
  ended(label: string, status: number, _tookMs: number, bodyBytes: number): void {
    this.events.push(`ended ${label} ${status}, ${bodyBytes > PAGE_BYTES ? 'a page' : bodyBytes}`);
  }
  abandoned(): void {
    this.events.push('abandoned');
  }
  cutOff(bodyBytes: number): void {
    this.events.push(bodyBytes < PAGE_BYTES ? 'cut off' : 'cut off after all of it');
  }
}

for (const { kind, skip } of TRANSPORTS) {
  describe(`over ${kind}`, { skip }, async () => {
    await suite(kind);
  });
}

async function suite(transport: TransportKind): Promise<void> {
  const faults = FAULTS[transport];
  const start = (owner: FolderOwner, options: TestServerOptions): Promise<TestServer> =>
    startServer(owner, { ...options, transport });
  /** A server whose /all is a page of 16 MB. */
  const startLarge = (
    owner: FolderOwner,
    limits: Partial<TransportLimits> = {},
    observer?: RequestObserver,
  ): Promise<TestServer> => start(owner, { records: LARGE_RECORDS, limits, observer });
  const listen = async (options: TransportOptions): Promise<Transport> => {
    const http = await createTransport(transport, options);
    await http.startListening().catch((error: unknown) => {
      http.close();
      throw error;
    });
    return http;
  };
  const server = await start({ after }, { records: [feedRecord(1)] });

  test('a version below the fix is vulnerable and a version equal to it is not', async () => {
    assert.deepEqual((await server.request('/product/plugin/gallery/1.4.9/exists')).json(), {
      vulnerable: true,
    });
    assert.deepEqual((await server.request('/product/plugin/gallery/1.5.0/exists')).json(), {
      vulnerable: false,
    });
  });

  test('HEAD answers as GET without a body, with its length', async () => {
    const got = await server.request('/all');
    const head = await server.request('/all', { method: 'HEAD' });
    assert.equal(head.status, 200);
    assert.equal(head.headers.get('content-length'), String(Buffer.byteLength(got.text)));
  });

  test('a connection goes on after a HEAD, a 304 and an error, none of which leaves a byte behind', async (t) => {
    const wire = open(t, server.port);
    wire.send(`HEAD /all HTTP/1.1\r\n${HOST}\r\n`);
    const head = await wire.reply({ hasBody: false });
    assert.equal(head.status, 200);
    wire.get('/all', 'If-None-Match: *\r\n');
    assert.equal((await wire.reply()).status, 304);
    wire.get('/nowhere');
    assert.equal((await wire.reply()).status, 404);
    wire.get('/all');
    const got = await wire.reply();
    assert.equal(got.status, 200);
    assert.equal(String(Buffer.byteLength(got.body)), head.headers.get('content-length'));
    assert.equal(JSON.parse(got.body).vulnerabilities.length, 1);
  });

  test('requests sent without waiting are answered one after the other', async (t) => {
    const wire = open(t, server.port);
    const body = '[{"type":"plugin","name":"gallery","version":"1.0","exists":true}]';
    wire.send(
      `GET /product/plugin/gallery/1.0/exists HTTP/1.1\r\n${HOST}\r\n` +
        `GET /product/plugin/gallery/9.0/exists HTTP/1.1\r\n${HOST}\r\n` +
        `GET /nowhere HTTP/1.1\r\n${HOST}\r\n` +
        `POST /batch HTTP/1.1\r\n${HOST}Content-Length: ${body.length}\r\n\r\n${body}` +
        `GET /healthz HTTP/1.1\r\n${HOST}\r\n`,
    );
    assert.equal((await wire.reply()).body, '{"vulnerable":true}');
    assert.equal((await wire.reply()).body, '{"vulnerable":false}');
    assert.equal((await wire.reply()).status, 404);
    assert.equal(JSON.parse((await wire.reply()).body)[0].vulnerable, true);
    assert.equal((await wire.reply()).body, '{"status":"ok"}');
  });

  test('a request may be cut anywhere, but where the transport is known to take the cut for the end: 505 there', async (t) => {
    const text = `GET /product/plugin/gallery/1.0/exists HTTP/1.1\r\n${HOST}\r\n`;
    const seen = new Set<CutPlace>();
    const askIn = async (
      at: number,
      pauseMs: number,
    ): Promise<WireReply & { readonly isClosed: boolean }> => {
      const wire = open(t, server.port);
      wire.socket.setNoDelay(true);
      wire.send(text.slice(0, at));
      await delay(pauseMs);
      wire.send(text.slice(at));
      const reply = await wire.reply();
      if (reply.status === 505) await wire.closed();
      const { isClosed } = wire;
      wire.socket.destroy();
      return { ...reply, isClosed };
    };
    for (const { at, place } of cutsOf(text)) {
      seen.add(place);
      let reply = await askIn(at, 2);
      if (!faults.cuts.has(place)) {
        assert.equal(reply.body, '{"vulnerable":true}', `cut at ${at}, ${place}`);
        continue;
      }
      // On a busy machine both halves can arrive as one.
      for (const pauseMs of [20, 200]) if (reply.status !== 505) reply = await askIn(at, pauseMs);
      const fault = [reply.status, reply.isClosed];
      assert.deepEqual(fault, [505, true], `cut at ${at}, ${place}: right now; take it out of FAULTS`);
    }
    assert.equal(seen.size, 7);
  });

  for (const { name, requests, replyBytes } of PIPELINE_CUTS) {
    const isFault = faults.pipelines.has(name);
    const outcome = isFault ? 'are cut off, and the connection is closed' : 'all arrive';
    test(`pipelined requests with ${name} ${outcome}`, async (t) => {
      const title = 'x'.repeat(replyBytes);
      const large = await start(t, { records: [feedRecord(1, { title })] });
      const wire = open(t, large.port);
      wire.send(`GET /all HTTP/1.1\r\n${HOST}\r\n`.repeat(requests));
      if (isFault) {
        await wire.closed();
        const all = requests * replyBytes;
        assert.ok(wire.receivedBytes < all, 'the transport has it right now; take it out of FAULTS');
      } else {
        for (let i = 0; i < requests; i++) assert.ok((await wire.reply()).body.length > replyBytes);
      }
      await until(() => large.http.pendingBytes === 0, 'nothing to be held for it');
      assert.equal((await large.request('/healthz')).status, 200);
    });
  }

  test('header names are read in any case', async (t) => {
    const wire = open(t, server.port);
    wire.send(`GET /all HTTP/1.1\r\nhost: x\r\npSkEy:${PARTNER_KEY}\r\nX-REQUEST-ID:  mine-1 \r\n\r\n`);
    const reply = await wire.reply();
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get('x-request-id'), 'mine-1');
  });

  test('a GET with a JSON content type and an empty body is answered at once', async (t) => {
    const wire = open(t, server.port);
    wire.get('/product/plugin/gallery/1.0/exists', 'Content-Type: application/json\r\nContent-Length: 0\r\n');
    assert.equal((await wire.reply()).body, '{"vulnerable":true}');
    wire.get('/product/plugin/gallery/1.0/exists', 'Content-Type: application/json\r\n');
    assert.equal((await wire.reply()).body, '{"vulnerable":true}');
  });

  test('a path that browsers would tidy up is taken as it is sent', async (t) => {
    const wire = open(t, server.port);
    wire.get('/product/plugin/../1.0');
    assert.equal((await wire.reply()).status, 200); // a slug of two dots, which nobody has
    wire.get('/all/../latest');
    assert.equal((await wire.reply()).status, 404);
    wire.get('/./all');
    assert.equal((await wire.reply()).status, 404);
  });

  test('a method that nobody has is told the right ones', async (t) => {
    const wire = open(t, server.port);
    wire.send(`PROPFIND /all HTTP/1.1\r\n${HOST}\r\n`);
    const reply = await wire.reply();
    assert.equal(reply.status, 405);
    assert.equal(reply.headers.get('allow'), 'GET, HEAD');
  });

  test('a path of 8 KiB gets its own answer, and does not cost the connection', async (t) => {
    const wire = open(t, server.port);
    wire.get(`/product/plugin/${'a'.repeat(8192)}/1.0`);
    assert.equal((await wire.reply()).status, 422);
    wire.get(`/${'a'.repeat(8192)}`);
    assert.equal((await wire.reply()).status, 404);
    wire.get('/healthz');
    assert.equal((await wire.reply()).status, 200);
  });

  test('a client that expects 100-continue is told to go on, and gets its answer', async (t) => {
    const wire = open(t, server.port);
    const body = '[{"type":"plugin","name":"gallery","version":"1.0","exists":true}]'.padEnd(2048);
    wire.send(
      `POST /batch HTTP/1.1\r\n${HOST}Content-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
    );
    assert.equal((await wire.reply()).status, 100);
    wire.send(body);
    const reply = await wire.reply();
    assert.equal(reply.status, 200);
    assert.equal(JSON.parse(reply.body)[0].vulnerable, true);
  });

  test('a body announced as too large is refused before it comes, one in chunks as soon as it is', async (t) => {
    const announced = open(t, server.port);
    announced.send(`POST /batch HTTP/1.1\r\n${HOST}Content-Length: 70000\r\n\r\n`);
    assert.equal((await announced.reply()).status, 413);
    const inChunks = open(t, server.port);
    inChunks.send(`POST /batch HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`);
    for (let i = 0; i < 7; i++) inChunks.send(`2710\r\n${'x'.repeat(10_000)}\r\n`);
    assert.equal((await inChunks.reply()).status, 413); // the last chunk never comes
    await until(() => server.http.pendingBytes === 0, 'what was held of the body to be let go');
  });

  test('a body of any size that is refused at the head is not kept', async (t) => {
    const wire = open(t, server.port);
    wire.send(`POST /batch HTTP/1.1\r\nHost: x\r\nContent-Length: 3000000\r\n\r\n`);
    assert.equal((await wire.reply()).status, 401);
    wire.send('x'.repeat(1_000_000));
    await delay(50);
    assert.equal(server.http.pendingBytes, 0);
  });

  test('a body that stops half-way is waited for no longer than the time limit, and held no longer', async (t) => {
    const short = await start(t, { records: [feedRecord(1)], limits: { exchangeTimeoutMs: 300 } });
    const wire = open(t, short.port);
    wire.send(`POST /batch HTTP/1.1\r\n${HOST}Content-Length: 1000\r\n\r\n[{"type":`);
    await until(() => short.http.pendingBytes === 9, 'the half to arrive');
    await wire.closed();
    assert.equal(wire.receivedBytes, 0);
    assert.equal(short.http.pendingBytes, 0);
    assert.equal((await short.request('/healthz')).status, 200);
  });

  test('a client that leaves in the middle of its body leaves nothing behind', async (t) => {
    const wire = open(t, server.port);
    wire.send(`POST /batch HTTP/1.1\r\n${HOST}Content-Length: 1000\r\n\r\n[{"type":`);
    await until(() => server.http.pendingBytes === 9, 'the half to arrive');
    wire.socket.destroy();
    await until(() => server.http.pendingBytes === 0, 'the half to be let go');
  });

  test('a slow but steady reader gets every byte', async (t) => {
    const large = await startLarge(t);
    const { text } = await large.request('/all');
    assert.ok(Buffer.byteLength(text) > PAGE_BYTES);
    const wire = open(t, large.port, { reads: false });
    wire.get('/all');
    await until(() => large.http.pendingBytes > 0, 'the reply not to fit');
    // Another reply through the same thread must not touch what is still owed to the slow one.
    assert.equal((await large.request('/product/plugin/gallery/1.0/exists')).json().vulnerable, true);
    assert.equal((await large.request('/all?per_page=1&include=details')).status, 200);
    const parts: Buffer[] = [];
    let receivedBytes = 0;
    wire.socket.on('data', (chunk) => {
      parts.push(chunk);
      receivedBytes += chunk.length;
      wire.socket.pause();
      setTimeout(() => wire.socket.resume(), 1);
    });
    wire.socket.resume();
    await until(() => receivedBytes > Buffer.byteLength(text), 'the whole page');
    await until(() => large.http.pendingBytes === 0, 'nothing to be owed');
    await delay(20);
    const received = Buffer.concat(parts);
    const body = received.subarray(received.indexOf('\r\n\r\n') + 4);
    assert.equal(body.length, Buffer.byteLength(text));
    assert.ok(body.equals(Buffer.from(text)));
  });

  test('the reply to a batch reaches a slow reader whole as well', async (t) => {
    // 8 MB, just about what a batch may have.
    const large = await start(t, { records: LARGE_RECORDS.slice(0, 50) });
    const body = '[{"type":"plugin","name":"gallery","version":"*"}]';
    const { text } = await large.request('/batch', { method: 'POST', body });
    const wire = open(t, large.port, { reads: false });
    wire.send(`POST /batch HTTP/1.1\r\n${HOST}Content-Length: ${body.length}\r\n\r\n${body}`);
    await until(() => large.http.pendingBytes > 0, 'the reply not to fit');
    wire.read();
    await until(() => wire.receivedBytes > Buffer.byteLength(text), 'the whole reply');
    assert.equal((await wire.reply()).body, text);
    assert.equal(large.http.pendingBytes, 0);
  });

  test('a reader that takes nothing is closed after the time limit and leaves nothing behind', async (t) => {
    const large = await startLarge(t, { exchangeTimeoutMs: 300 });
    const wire = open(t, large.port, { reads: false });
    wire.get('/all');
    await until(() => large.http.pendingBytes > 0, 'the reply not to fit');
    await until(() => large.http.pendingBytes === 0, 'the time limit');
    wire.read();
    await wire.closed();
    assert.ok(wire.receivedBytes < PAGE_BYTES);
  });

  test('a client that leaves in the middle of a reply leaves nothing behind', async (t) => {
    const large = await startLarge(t);
    const wire = open(t, large.port, { reads: false });
    wire.get('/all');
    await until(() => large.http.pendingBytes > 0, 'the reply not to fit');
    wire.socket.destroy();
    await until(() => large.http.pendingBytes === 0, 'the rest to be let go');
    assert.equal((await large.request('/healthz')).status, 200);
  });

  test('a rest larger than one connection may hold closes it at once', async (t) => {
    const large = await startLarge(t, { maxPendingBytes: MIB });
    const wire = open(t, large.port, { reads: false });
    wire.get('/all');
    await delay(200);
    assert.equal(large.http.pendingBytes, 0);
    wire.read();
    await wire.closed();
    assert.equal((await large.request('/all?per_page=1')).status, 200);
  });

  test('all slow readers together hold no more than their share of memory', async (t) => {
    // Room for the buffer that the page is put together in, some 32 MB, for one rest of it and not for two.
    const maxTotalPendingBytes = 50 * MIB;
    const large = await startLarge(t, { maxTotalPendingBytes });
    const wires = Array.from({ length: 4 }, () => open(t, large.port, { reads: false }));
    let mostBytes = 0;
    for (const wire of wires) {
      wire.get('/all');
      for (let i = 0; i < 20; i++) {
        await delay(5);
        mostBytes = Math.max(mostBytes, large.http.pendingBytes);
      }
    }
    assert.ok(mostBytes > 0 && mostBytes <= maxTotalPendingBytes, `${mostBytes}`);
    for (const wire of wires.slice(1)) wire.read();
    for (const wire of wires.slice(1)) await wire.closed();
    assert.ok(!wires[0].isClosed);
    wires[0].read();
    const reply = await wires[0].reply();
    assert.equal(String(Buffer.byteLength(reply.body)), reply.headers.get('content-length'));
    assert.equal(large.http.pendingBytes, 0);
  });

  test('what replies are put together in counts towards what all connections may hold', async (t) => {
    const about = { id: '', label: 'other', keyId: undefined } as const;
    const reply: Reply = { about, status: 200, head: '200 OK', body: new Uint8Array(20 * MIB) };
    const service = { handle: () => reply, bufferBytes: 30 * MIB };
    for (const [maxTotalPendingBytes, holds] of [
      [49 * MIB, true],
      [45 * MIB, false], // 15 for the reply: the kernel takes some 4 of the 20
    ] as const) {
      const http = await listen({
        service,
        host: '127.0.0.1',
        port: 0,
        limits: { maxTotalPendingBytes },
      });
      t.after(() => http.close());
      const wire = open(t, http.port, { reads: false });
      wire.send('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      if (holds) {
        await until(() => http.pendingBytes > 0, 'the reply not to fit');
      } else {
        wire.read();
        await wire.closed();
        assert.equal(http.pendingBytes, 0);
      }
    }
  });

  test('bodies that are awaited count towards what all connections may hold', async (t) => {
    const maxTotalPendingBytes = 256 * 1024 + 100_000; // the buffer for replies, and two halves of a body
    const small = await start(t, { limits: { maxTotalPendingBytes }, records: [feedRecord(1)] });
    const half = `POST /batch HTTP/1.1\r\n${HOST}Content-Length: 60000\r\n\r\n[${' '.repeat(40_000)}`;
    const wires = [open(t, small.port), open(t, small.port)];
    for (const wire of wires) wire.send(half);
    await until(() => small.http.pendingBytes === 80_002, 'two halves to arrive');
    const third = open(t, small.port);
    third.send(half);
    await third.closed();
    assert.equal(third.receivedBytes, 0);
    assert.deepEqual(
      wires.map((wire) => wire.isClosed),
      [false, false],
    );
    assert.equal(small.http.pendingBytes, 80_002);
  });

  test('replies in shared memory that the next one overwrites arrive as they were', async (t) => {
    const about = { id: '', label: 'other', keyId: undefined } as const;
    const memory = new Uint8Array(new SharedArrayBuffer(12 * MIB));
    const service = {
      handle: ({ path }: RequestView): Reply => {
        const [fill, length] = path.slice(1).split('/').map(Number);
        const body = memory.subarray(0, length);
        body.fill(fill);
        return { about, status: 200, head: '200 OK', body };
      },
    };
    const http = await listen({ service, host: '127.0.0.1', port: 0 });
    t.after(() => http.close());
    const slow = open(t, http.port, { reads: false });
    slow.get(`/65/${12 * MIB}`);
    await until(() => http.pendingBytes > 0, 'the reply not to fit');
    const quick = open(t, http.port);
    for (const length of [1, 70_000]) {
      quick.get(`/66/${length}`);
      assert.equal((await quick.reply()).body, 'B'.repeat(length));
    }
    slow.read();
    assert.ok((await slow.reply()).body === 'A'.repeat(12 * MIB));
  });

  test('when much memory was let go and it is quiet, that is told once', async (t) => {
    let told = 0;
    const about = { id: '', label: 'other', keyId: undefined } as const;
    const reply: Reply = { about, status: 200, head: '200 OK', body: new Uint8Array(20 * MIB) };
    const onRelief = (): void => {
      told += 1;
    };
    const http = await listen({
      service: { handle: () => reply },
      host: '127.0.0.1',
      port: 0,
      onRelief,
    });
    t.after(() => http.close());
    const wire = open(t, http.port);
    for (let i = 0; i < 4; i++) {
      wire.send('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      await wire.reply();
    }
    await until(() => told > 0, 'the word that memory was let go');
    await delay(2_500); // two more looks
    assert.equal(told, 1);
  });

  test('idle waits for a reply that is on its way, and a stopped listener takes nobody new', async (t) => {
    const large = await startLarge(t);
    const wire = open(t, large.port, { reads: false });
    wire.get('/all');
    await until(() => large.http.pendingBytes > 0, 'the reply not to fit');
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

  test('an address that cannot be had is said so', async () => {
    const service = {
      handle: () => {
        throw new Error('nobody asks');
      },
    };
    await assert.rejects(listen({ service, host: '192.0.2.1', port: 0 }), {
      message: /^cannot listen on 192\.0\.2\.1:0/,
    });
  });

  test('a reply counts when it has left as a whole, not when it begins', async (t) => {
    const told = new Told();
    const large = await startLarge(t, {}, told);
    const wire = open(t, large.port, { reads: false });
    wire.get('/all');
    await until(() => large.http.pendingBytes > 0, 'the reply not to fit');
    assert.deepEqual(told.events, ['started']);
    wire.read();
    await wire.reply();
    assert.deepEqual(told.events, ['started', 'ended all 200, a page']);
  });

  test('a reply that is cut off counts as that and not as answered, whoever ended it', async (t) => {
    const cuts: readonly [string, Partial<TransportLimits>, (wire: Wire) => void][] = [
      ['the client left', {}, (wire) => wire.socket.destroy()],
      ['it was too slow', { exchangeTimeoutMs: 100 }, () => {}],
      ['it would have held too much', { maxPendingBytes: MIB }, () => {}],
    ];
    for (const [how, limits, cut] of cuts) {
      const told = new Told();
      const large = await startLarge(t, limits, told);
      const wire = open(t, large.port, { reads: false });
      wire.get('/all');
      await until(() => large.http.pendingBytes > 0 || told.events.length === 2, 'the reply not to fit');
      cut(wire);
      await until(() => told.events.length === 2, how);
      assert.deepEqual(told.events, ['started', 'cut off'], how);
      large.http.close();
    }
  });

  test('a clock that is set while a body arrives does not end the wait for it', async (t) => {
    const short = await start(t, { records: [feedRecord(1)] });
    const wire = open(t, short.port);
    const body = '[{"type":"plugin","name":"gallery","version":"1.0","exists":true}]';
    const head = `POST /batch HTTP/1.1\r\n${HOST}Content-Length: ${body.length}\r\n\r\n`;
    wire.send(head + body.slice(0, 20));
    await until(() => short.http.pendingBytes === 20, 'the half to arrive');
    const { now } = Date;
    Date.now = () => now() + 120_000;
    t.after(() => {
      Date.now = now;
    });
    await delay(2_200); // overdue bodies are looked for once a second
    wire.send(body.slice(20));
    assert.equal((await wire.reply()).status, 200);
  });

  test('while draining every reply says that it is the last of its connection', async (t) => {
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
    await delay(50);
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

  test('a drained connection is closed after its last reply and not before', async (t) => {
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
    let isIdle = false;
    const quiet = draining.http.idle(PATIENCE_MS).then(() => {
      isIdle = true;
    });
    await delay(100);
    assert.ok(!idle.isClosed && !isIdle);
    idle.get('/healthz');
    assert.equal((await idle.reply()).status, 200);
    await idle.closed();
    await quiet;
  });

  test('a stopped listener listens again on the same port', async (t) => {
    const again = await start(t, { records: [feedRecord(1)], port: await freePort() });
    again.http.stopListening();
    const late = connect(again.port, '127.0.0.1');
    const [error] = await once(late, 'error');
    assert.equal((error as NodeJS.ErrnoException).code, 'ECONNREFUSED');
    await again.http.startListening();
    const wire = open(t, again.port);
    wire.get('/healthz');
    assert.equal((await wire.reply()).status, 200);
  });

  test('a host that is not one is refused, and no other port is listened on', async () => {
    const service = {
      handle: () => {
        throw new Error('nobody asks');
      },
    };
    for (const host of ['', ' ']) {
      const port = await freePort();
      await assert.rejects(listen({ service, host, port }), { message: /^cannot listen on/ });
    }
  });
}
