// Requests, bodies and lifetimes on the wire, over each transport, with a raw socket where fetch is too
// well-behaved. What a transport gets wrong is listed as data in test/support/serving/cuts.ts. What an answer
// says is tested elsewhere.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { after, test } from 'node:test';
import { type Reply, textReply } from '../../../src/http/replies/responses.ts';
import { MOST_PIPELINED, SAMPLE_REQUESTS, TURN_REQUESTS } from '../../../src/http/transport/pipelines.ts';
import type { RequestView } from '../../../src/http/transport/request-view.ts';
import type { SentReply } from '../../../src/http/transport/transport.ts';
import type { Work } from '../../../src/http/work/work-queue.ts';
import { feedRecord } from '../../support/feeds/advisories.ts';
import { freePort } from '../../support/process/ports.ts';
import { type CutPlace, cutsOf, PIPELINE_CUTS } from '../../support/serving/cuts.ts';
import { PARTNER_KEY } from '../../support/serving/server.ts';
import { overEach } from '../../support/serving/transport-scene.ts';
import { HOST, open, passTurns, type WireReply } from '../../support/serving/wire.ts';
import { until } from '../../support/until.ts';

const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((each) => each?.address === '::1');

/** Work without a pause. */
function worked(reply: Reply): Work {
  return {
    kind: 'work',
    caller: '',
    *steps() {
      yield;
      return reply;
    },
    refuse: () => reply,
    tooLate: () => reply,
  };
}

/** Replies with what a request view says of its peer. */
function showPeer(request: RequestView): Reply {
  const body = JSON.stringify([request.address, request.list('x-forwarded-for')]);
  return textReply(
    { kind: 'text', contentType: 'application/json', body },
    { id: '', label: 'other', keyId: undefined },
  );
}

overEach(async ({ kind, faults, start, listen }) => {
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

  test('a tag is found in any line of If-None-Match', async (t) => {
    const wire = open(t, server.port);
    const path = '/product/plugin/gallery/1.4.9/exists';
    wire.get(path);
    const tag = (await wire.reply()).headers.get('etag') ?? assert.fail();
    for (const [tags, status] of [
      [[tag], 304],
      [[tag, '"other"'], 304],
      [['"other"', tag], 304],
      [['"other"', `"more", W/${tag}`], 304],
      [['"other"', '"more"'], 200],
      [['', tag], 200],
    ] as const) {
      wire.get(path, tags.map((each) => `If-None-Match: ${each}\r\n`).join(''));
      assert.equal((await wire.reply()).status, status, tags.join());
    }
  });

  test('a target that is no target is refused, also beside a path that is remembered', async (t) => {
    const wire = open(t, server.port);
    const path = '/product/plugin/gallery/1.4.8/exists';
    for (let i = 0; i < 3; i++) {
      wire.get(path);
      assert.equal((await wire.reply()).status, 200);
    }
    wire.get(`${path}?a=\x7f`);
    assert.equal((await wire.reply()).status, 400);
  });

  test('a connection stays usable after a HEAD, a 304 and an error, which leave no bytes behind', async (t) => {
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

  test('pipelined requests are answered in order', async (t) => {
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

  test('a request may be split anywhere, except where the transport is known to answer 505', async (t) => {
    const text = `GET /product/plugin/gallery/1.0/exists HTTP/1.1\r\n${HOST}\r\n`;
    const seen = new Set<CutPlace>();
    const other = open(t, server.port);
    const askIn = async (at: number): Promise<WireReply & { readonly isClosed: boolean }> => {
      const wire = open(t, server.port);
      wire.socket.setNoDelay(true);
      await wire.sent(text.slice(0, at));
      await passTurns(other); // the server has read the first part
      wire.send(text.slice(at));
      const reply = await wire.reply();
      if (reply.status === 505) await wire.closed();
      const { isClosed } = wire;
      wire.socket.destroy();
      return { ...reply, isClosed };
    };
    for (const { at, place } of cutsOf(text)) {
      seen.add(place);
      const reply = await askIn(at);
      if (!faults.cuts.has(place)) {
        assert.equal(reply.body, '{"vulnerable":true}', `cut at ${at}, ${place}`);
        continue;
      }
      const fault = [reply.status, reply.isClosed];
      assert.deepEqual(fault, [505, true], `cut at ${at}, ${place}: now correct; remove it from FAULTS`);
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
        assert.ok(wire.receivedBytes < all, 'the transport is now correct; remove it from FAULTS');
      } else {
        for (let i = 0; i < requests; i++) assert.ok((await wire.reply()).body.length > replyBytes);
      }
      await until('the bytes held for it to be released', () => large.http.pendingBytes === 0);
      assert.equal((await large.request('/healthz')).status, 200);
    });
  }

  test('what the parsers read differently is answered as SECURITY.md says', async (t) => {
    const other = open(t, server.port);
    const path = '/product/plugin/gallery/1.0/exists';
    const heads: readonly (readonly [sent: string, uws: string, node: string])[] = [
      [`GET http://vulndex.example${path} HTTP/1.1\r\n${HOST}`, '505 closed', '200 open'],
      [`GET ${path} HTTP/1.0\r\n${HOST}`, '505 closed', '200 closed'],
      [`\r\nGET ${path} HTTP/1.1\r\n${HOST}`, 'silent open', '200 open'],
      [`GET ${path} HTTP/1.1\r\n${HOST.trimEnd()}\u00ff\r\n`, '200 open', '401 open'],
      [`GET ${path} HTTP/1.1\r\n${HOST.trimEnd()}\u00ffx\r\n`, '401 open', '401 open'],
      [`get ${path} HTTP/1.1\r\n${HOST}`, '200 open', '400 closed'],
    ];
    for (const [sent, uws, node] of heads) {
      const wire = open(t, server.port);
      const expected = kind === 'uws' ? uws : node;
      wire.socket.write(`${sent}\r\n`, 'latin1');
      const status = expected.startsWith('silent') ? 'silent' : (await wire.reply()).status;
      if (expected.endsWith('closed')) await wire.closed();
      else await passTurns(other, 3);
      const isSilent = status !== 'silent' || wire.receivedBytes === 0;
      assert.equal(`${status} ${wire.isClosed ? 'closed' : 'open'}`, expected, sent);
      assert.ok(isSilent, sent);
    }
  });

  test('of thousands of pipelined requests a turn answers a bounded number', async (t) => {
    const [clients, requests] = [4, 2_000];
    let inTurn = 0;
    let most = 0;
    let isCounting = false;
    const endTurn = (): void => {
      most = Math.max(most, inTurn);
      inTurn = 0;
      isCounting = false;
    };
    const http = await listen({
      host: '127.0.0.1',
      port: 0,
      service: {
        handle: (request) => {
          inTurn++;
          if (!isCounting) setImmediate(endTurn);
          isCounting = true;
          return showPeer(request);
        },
      },
    });
    t.after(() => http.close());
    const wires = Array.from({ length: clients }, () => open(t, http.port));
    for (const wire of wires) wire.send('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(requests));
    if (kind === 'uws') {
      // What was read is answered at once or never, so the connection ends with a reply that says so.
      for (const wire of wires) {
        await wire.closed();
        assert.match(wire.receivedText, /HTTP\/1\.1 503 Service Unavailable\r\nConnection: close\r\n/);
      }
      // Some 130 of these replies fill what the addon buffers.
      assert.ok(most <= clients * (MOST_PIPELINED + 2 * SAMPLE_REQUESTS + 160), `${most} in one turn`);
    } else {
      for (const wire of wires) await wire.replies(requests);
      // An immediate that is set in an immediate counts two turns.
      assert.ok(most <= 2 * TURN_REQUESTS + clients, `${most} in one turn`);
    }
  });

  test('a hundred requests at once are answered, by each of many connections', async (t) => {
    const wires = Array.from({ length: 20 }, () => open(t, server.port));
    for (const wire of wires) wire.send(`GET /healthz HTTP/1.1\r\n${HOST}\r\n`.repeat(100));
    for (const wire of wires) await wire.replies(100);
  });

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

  test('a path that browsers would normalize is used as sent', async (t) => {
    const wire = open(t, server.port);
    wire.get('/product/plugin/../1.0');
    assert.equal((await wire.reply()).status, 200); // an unknown slug, `..`
    wire.get('/all/../latest');
    assert.equal((await wire.reply()).status, 404);
    wire.get('/./all');
    assert.equal((await wire.reply()).status, 404);
  });

  test('an unknown method gets 405 with the allowed ones', async (t) => {
    const wire = open(t, server.port);
    wire.send(`PROPFIND /all HTTP/1.1\r\n${HOST}\r\n`);
    const reply = await wire.reply();
    assert.equal(reply.status, 405);
    assert.equal(reply.headers.get('allow'), 'GET, HEAD');
  });

  test('a path of 8 KiB gets its own answer, and the connection stays open', async (t) => {
    const wire = open(t, server.port);
    wire.get(`/product/plugin/${'a'.repeat(8192)}/1.0`);
    assert.equal((await wire.reply()).status, 422);
    wire.get(`/${'a'.repeat(8192)}`);
    assert.equal((await wire.reply()).status, 404);
    wire.get('/healthz');
    assert.equal((await wire.reply()).status, 200);
  });

  test('a client that expects 100-continue gets 100 and then its answer', async (t) => {
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

  test('a body that is too large is refused before it arrives if announced, and in chunks as soon as it exceeds the limit', async (t) => {
    const announced = open(t, server.port);
    announced.send(`POST /batch HTTP/1.1\r\n${HOST}Content-Length: 70000\r\n\r\n`);
    assert.equal((await announced.reply()).status, 413);
    const inChunks = open(t, server.port);
    inChunks.send(`POST /batch HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`);
    for (let i = 0; i < 7; i++) inChunks.send(`2710\r\n${'x'.repeat(10_000)}\r\n`);
    assert.equal((await inChunks.reply()).status, 413); // the last chunk never comes
    await inChunks.closed(); // nobody knows how many would have come
    await until('the held part of the body to be released', () => server.http.pendingBytes === 0);
  });

  test('a body of exactly the limit is answered, announced or in chunks', async (t) => {
    const item = '{"type":"plugin","name":"gallery","version":"1.0"}';
    const body = `[${item}]`.padEnd(64 * 1024);
    const announced = open(t, server.port);
    announced.send(`POST /batch HTTP/1.1\r\n${HOST}Content-Length: ${body.length}\r\n\r\n${body}`);
    assert.equal((await announced.reply()).status, 200);
    const inChunks = open(t, server.port);
    inChunks.send(`POST /batch HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`);
    for (const half of [body.slice(0, 32 * 1024), body.slice(32 * 1024)])
      inChunks.send(`8000\r\n${half}\r\n`);
    inChunks.send('0\r\n\r\n');
    assert.equal((await inChunks.reply()).status, 200);
  });

  test('a body may come in chunks of a byte, but not in very many of them', async (t) => {
    const head = `POST /batch HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`;
    const body = '[{"type":"plugin","name":"gallery","version":"1.0"}]'.padEnd(4_096);
    const chunked = (text: string): string => [...text].map((char) => `1\r\n${char}\r\n`).join('');
    const patient = open(t, server.port);
    patient.send(`${head}${chunked(body)}0\r\n\r\n`);
    assert.equal((await patient.reply()).status, 200);
    const hostile = open(t, server.port);
    hostile.send(`${head}${chunked(`${body} `)}`);
    await hostile.closed();
    assert.equal(hostile.receivedBytes, 0);
    await until('the body to be released', () => server.http.pendingBytes === 0);
  });

  test('a body of a request that was refused by its head is not kept', async (t) => {
    const wire = open(t, server.port);
    wire.send(`POST /batch HTTP/1.1\r\nHost: x\r\nContent-Length: 3000000\r\n\r\n`);
    assert.equal((await wire.reply()).status, 401);
    const other = open(t, server.port);
    for (let part = 0; part < 30; part++) {
      await wire.sent('x'.repeat(100_000));
      await passTurns(other);
      assert.equal(server.http.pendingBytes, 0);
    }
    wire.get('/healthz');
    assert.equal((await wire.reply()).status, 200, 'all of it was read');
  });

  test('a body that stops half-way is held until the time limit and no longer', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] }); // for the transport's checks
    let nowMs = 0;
    t.mock.method(performance, 'now', () => nowMs);
    const short = await start(t, { records: [feedRecord(1)], limits: { exchangeTimeoutMs: 5_000 } });
    const wire = open(t, short.port);
    wire.send(`POST /batch HTTP/1.1\r\n${HOST}Content-Length: 1000\r\n\r\n[{"type":`);
    await until('half of the body to arrive', () => short.http.pendingBytes === 9);
    nowMs = 4_999;
    t.mock.timers.tick(1_000);
    assert.equal(short.http.pendingBytes, 9);
    nowMs = 5_000;
    t.mock.timers.tick(1_000);
    await wire.closed();
    assert.equal(wire.receivedBytes, 0);
    assert.equal(short.http.pendingBytes, 0);
    assert.equal((await short.request('/healthz')).status, 200);
  });

  test('the part of a body is released when its client disconnects', async (t) => {
    const wire = open(t, server.port);
    wire.send(`POST /batch HTTP/1.1\r\n${HOST}Content-Length: 1000\r\n\r\n[{"type":`);
    await until('half of the body to arrive', () => server.http.pendingBytes === 9);
    wire.socket.destroy();
    await until('half of the body to be released', () => server.http.pendingBytes === 0);
  });

  test('an address that is not available is named in the error', async () => {
    const service = {
      handle: () => {
        throw new Error('there was no request');
      },
    };
    await assert.rejects(listen({ service, host: '192.0.2.1', port: 0 }), {
      message: /^cannot listen on 192\.0\.2\.1:0/,
    });
  });

  test('a change of the wall clock while a body arrives does not time it out', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval', 'Date'], now: Date.now() }); // for the transport's checks
    const short = await start(t, { records: [feedRecord(1)] });
    const wire = open(t, short.port);
    const body = '[{"type":"plugin","name":"gallery","version":"1.0","exists":true}]';
    const head = `POST /batch HTTP/1.1\r\n${HOST}Content-Length: ${body.length}\r\n\r\n`;
    wire.send(head + body.slice(0, 20));
    await until('half of the body to arrive', () => short.http.pendingBytes === 20);
    t.mock.timers.tick(120_000); // twice the time limit, with 120 checks
    wire.send(body.slice(20));
    assert.equal((await wire.reply()).status, 200);
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

  for (const [host, peer, address] of [
    ['127.0.0.1', '127.0.0.1', '127.0.0.1'],
    ['::1', '::1', '::1'],
    ['::', '127.0.0.1', '127.0.0.1'], // the peer is IPv4-mapped
  ]) {
    test(`a peer at ${peer} of a listener at ${host} has the address ${address}`, {
      skip: host.includes(':') && !hasIpv6 ? 'this machine has no IPv6' : false,
    }, async (t) => {
      const http = await listen({ service: { handle: showPeer }, host, port: 0 });
      t.after(() => http.close());
      const response = await fetch(`http://${peer.includes(':') ? `[${peer}]` : peer}:${http.port}/`);
      assert.deepEqual(await response.json(), [address, '']);
    });
  }

  test('all lines of a header that proxies append to are read, in their order', async (t) => {
    const http = await listen({ service: { handle: showPeer }, host: '127.0.0.1', port: 0 });
    t.after(() => http.close());
    const wire = open(t, http.port);
    for (const [lines, list] of [
      [
        'X-Forwarded-For: 1.1.1.1\r\nX-Other: 2.2.2.2\r\nx-forwarded-FOR: 3.3.3.3, 4.4.4.4\r\n',
        '1.1.1.1, 3.3.3.3, 4.4.4.4',
      ],
      ['X-Forwarded-For:\r\nX-Forwarded-For: 1.1.1.1\r\n', ', 1.1.1.1'],
      ['X-Forwarded-For: 1.1.1.1\r\n', '1.1.1.1'],
      ['X-Forwarded-For2: 1.1.1.1\r\n', ''],
    ]) {
      wire.send(`GET / HTTP/1.1\r\nHost: x\r\n${lines}\r\n`);
      assert.deepEqual(JSON.parse((await wire.reply()).body), ['127.0.0.1', list], lines);
    }
  });

  test('an empty host is refused, and no other port is opened', async () => {
    const service = {
      handle: () => {
        throw new Error('there was no request');
      },
    };
    for (const host of ['', ' ']) {
      const port = await freePort();
      await assert.rejects(listen({ service, host, port }), { message: /^cannot listen on/ });
    }
  });

  test('a request above the threshold is noted with its path, whether or not it had a body, and no other is', async (t) => {
    const noted: unknown[] = [];
    const slow = {
      thresholdMs: 5,
      note: ({ method, status, tookMs, about }: SentReply, path: string) => {
        assert.ok(tookMs > 5);
        noted.push([method, status, about.label, path]);
      },
    };
    const answer = (label: string): Reply =>
      textReply({ kind: 'text', contentType: 'text/plain', body: 'x' }, { id: '', label, keyId: undefined });
    let nowMs = 0;
    t.mock.method(performance, 'now', () => nowMs);
    const http = await listen({
      service: {
        handle: ({ method }: RequestView) => {
          nowMs += 8;
          if (method === 'GET') return answer('all');
          return {
            kind: 'body-wanted',
            maxBytes: 10,
            caller: 'k_1',
            overloaded: () => answer('batch'),
            work: () => worked(answer('batch')),
            tooLarge: () => answer('batch'),
          };
        },
      },
      host: '127.0.0.1',
      port: 0,
      slow,
    });
    t.after(() => http.close());
    const base = `http://127.0.0.1:${http.port}`;
    await (await fetch(`${base}/slow/a%20b?secret=1`)).text();
    await (await fetch(`${base}/slow/c`, { method: 'POST', body: 'y' })).text();
    await (await fetch(`${base}/slow/d`, { method: 'POST', body: 'y'.repeat(50) })).text();
    slow.thresholdMs = Number.POSITIVE_INFINITY;
    await (await fetch(`${base}/slow/e`)).text();
    assert.deepEqual(noted, [
      ['GET', 200, 'all', '/slow/a%20b'],
      ['POST', 200, 'batch', '/slow/c'],
      ['POST', 200, 'batch', '/slow/d'],
    ]);
  });
});
