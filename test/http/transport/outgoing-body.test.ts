// The slices in which Node's http sends a body: one of them serves all replies that the kernel takes at once.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { NO_HEADERS, NO_OWN_HEADERS, SharedHeaders } from '../../../src/http/replies/reply-headers.ts';
import type { Reply } from '../../../src/http/replies/responses.ts';
import { NodeTransport } from '../../../src/http/transport/node.ts';
import { SLICE_BYTES } from '../../../src/http/transport/outgoing-body.ts';
import { open, passTurns } from '../../support/serving/wire.ts';

const SMALL_BYTES = 64 << 10; // the kernel takes these at once
const LARGE_BYTES = 16 << 20; // and these only as the client reads
const LARGE_LETTERS = 'large';

/** Answers /large with a body of letters and everything else with one of digits. */
async function serve(t: TestContext): Promise<number> {
  const reply = (body: Uint8Array): Reply => ({
    about: { id: '', label: 'other', keyId: undefined },
    status: 200,
    headers: new SharedHeaders(NO_HEADERS),
    ownHeaders: NO_OWN_HEADERS,
    body,
  });
  const large = reply(Buffer.alloc(LARGE_BYTES, LARGE_LETTERS));
  const small = reply(Buffer.alloc(SMALL_BYTES, '0123456789'));
  const http = new NodeTransport({
    service: { handle: ({ path }) => (path === '/large' ? large : small) },
    host: '127.0.0.1',
    port: 0,
  });
  await http.startListening();
  t.after(() => http.close());
  return http.port;
}

test('replies that the kernel takes at once share one slice', async (t) => {
  const port = await serve(t);
  const wire = open(t, port);
  const ways = [t.mock.method(Buffer, 'allocUnsafeSlow'), t.mock.method(Buffer, 'from')];
  await passTurns(wire, 100);
  const made = ways.flatMap(({ mock }) => mock.calls.map(({ result }) => result?.length ?? 0));
  const slices = made.filter((bytes) => bytes === SLICE_BYTES).length;
  assert.ok(slices <= 1, `${slices} for 100 replies`);
});

test('a slice that the kernel has not taken is not used by another reply', async (t) => {
  const port = await serve(t);
  const slow = open(t, port, { reads: false });
  slow.get('/large');
  const other = open(t, port);
  await passTurns(other, 20);
  slow.read();
  const [large] = await Promise.all([slow.reply(), passTurns(other, 20)]);
  const whole = LARGE_LETTERS.repeat(Math.ceil(LARGE_BYTES / LARGE_LETTERS.length));
  assert.ok(large.body === whole.slice(0, LARGE_BYTES));
});
