// When a transport reports that much memory was released and traffic is quiet, over each transport.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { NO_HEADERS, SharedHeaders } from '../../src/http/replies/reply-headers.ts';
import type { Reply } from '../../src/http/replies/responses.ts';
import type { TransportKind } from '../../src/http/transport.ts';
import { overEach, type TransportScene } from '../support/transport-scene.ts';
import { open, until, type Wire } from '../support/wire.ts';

const MIB = 1 << 20;
const CHECKS_MS = 2_500; // two checks, once a second

/** Calls of onRelief after 40 MiB in replies of different sizes: only Node's http makes garbage for small ones, too. */
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
      const { wire, counted } = await serve(t, listen, bodyBytes);
      await request(wire, '/body', (40 * MIB) / bodyBytes);
      if (calls > 0) await until(() => counted() > 0, 'onRelief to be called');
      await delay(CHECKS_MS);
      assert.equal(counted(), calls);
    });
  }

  test('a few replies of medium size do not postpone it', async (t) => {
    const { wire, counted } = await serve(t, listen, 20 * MIB);
    await request(wire, '/body', 4);
    for (let turn = 0; turn < 40 && counted() === 0; turn++) {
      await request(wire, '/medium', 1);
      await delay(300);
    }
    assert.equal(counted(), 1);
  });
});

/** A transport that answers /medium with 100 KiB and everything else with `bodyBytes`. */
async function serve(t: TestContext, listen: TransportScene['listen'], bodyBytes: number) {
  let calls = 0;
  const replies = [bodyBytes, 100 << 10].map((bytes): Reply => {
    return {
      about: { id: '', label: 'other', keyId: undefined },
      status: 200,
      headers: new SharedHeaders(NO_HEADERS),
      ownHeaders: NO_HEADERS,
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
  return { wire: open(t, http.port), counted: () => calls };
}

async function request(wire: Wire, path: string, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    wire.send(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await wire.reply();
  }
}
