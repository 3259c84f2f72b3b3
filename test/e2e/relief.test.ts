// When a transport reports that much memory was released and traffic is quiet, over each transport.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { NO_HEADERS, NO_OWN_HEADERS, SharedHeaders } from '../../src/http/replies/reply-headers.ts';
import type { Reply } from '../../src/http/replies/responses.ts';
import type { TransportKind } from '../../src/http/transport/transport.ts';
import { overEach, type TransportScene } from '../support/serving/transport-scene.ts';
import { open, type Wire } from '../support/serving/wire.ts';
import { until } from '../support/until.ts';

const MIB = 1 << 20;
const CHECK_MS = 1_000;

/**
 * Calls of onRelief after 40 MiB in replies of different sizes: only Node's http makes garbage for small
 * ones, too.
 */
const CALLS: Readonly<Record<TransportKind, readonly (readonly [bodyBytes: number, calls: number])[]>> = {
  uws: [
    [20 * MIB, 1],
    [MIB / 2, 0],
    [MIB / 16, 0],
  ],
  node: [
    [20 * MIB, 1],
    [MIB / 2, 1],
    [MIB / 16, 0],
  ],
};

overEach(({ kind, listen }) => {
  for (const [bodyBytes, calls] of CALLS[kind]) {
    const isCalled = calls > 0 ? 'called once' : 'not called';
    test(`after 40 MiB in replies of ${bodyBytes} bytes, onRelief is ${isCalled}`, async (t) => {
      const { http, connect, counted } = await serve(t, listen, bodyBytes);
      const count = (40 * MIB) / bodyBytes;
      await request(connect(Math.min(count, 16)), '/body', count);
      await until('all of it to be released', () => http.pendingBytes === 0);
      for (let check = 0; check < 5; check++) t.mock.timers.tick(CHECK_MS);
      assert.equal(counted(), calls);
    });
  }

  test('a few replies of medium size do not postpone it', async (t) => {
    const { http, connect, counted } = await serve(t, listen, 20 * MIB);
    const wires = connect(1);
    await request(wires, '/body', 4);
    await until('all of it to be released', () => http.pendingBytes === 0);
    for (let check = 0; check < 5; check++) {
      await request(wires, '/medium', 3);
      t.mock.timers.tick(CHECK_MS);
    }
    assert.equal(counted(), 1);
  });
});

/** A transport that answers /medium with 100 KiB and everything else with `bodyBytes`. */
async function serve(t: TestContext, listen: TransportScene['listen'], bodyBytes: number) {
  t.mock.timers.enable({ apis: ['setInterval'] }); // for the transport's checks
  let calls = 0;
  const replies = [bodyBytes, 100 << 10].map((bytes): Reply => {
    return {
      about: { id: '', label: 'other', keyId: undefined },
      status: 200,
      headers: new SharedHeaders(NO_HEADERS),
      ownHeaders: NO_OWN_HEADERS,
      body: new Uint8Array(bytes),
    };
  });
  const [large, medium] = replies as [Reply, Reply];
  const http = await listen({
    service: { handle: (request) => (request.path === '/medium' ? medium : large) },
    host: '127.0.0.1',
    port: 0,
    onRelief: () => {
      calls += 1;
    },
  });
  t.after(() => http.close());
  return {
    http,
    connect: (count: number) => Array.from({ length: count }, () => open(t, http.port)),
    counted: () => calls,
  };
}

/** Requests one after another, on each of the connections. */
async function request(wires: readonly Wire[], path: string, count: number): Promise<void> {
  const ask = async (wire: Wire): Promise<void> => {
    for (let i = 0; i < count / wires.length; i++) {
      wire.send(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      await wire.reply();
    }
  };
  await Promise.all(wires.map(ask));
}
