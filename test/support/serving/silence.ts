// Connections that get no answer and are closed when nothing complete has arrived in time: what is sent on
// them, and the check that each was closed, none of them early.

import assert from 'node:assert/strict';
import { RudeSocket } from '../process/rude-socket.ts';
import { until } from '../until.ts';
import { PARTNER_KEY } from './server.ts';

export interface Silent {
  readonly row: string;
  readonly sent: string;
  readonly isDripped?: boolean;
}

const DRIPS_IN_LIMIT = 20;
/** The server's clock may have begun when the connection was accepted, and is read now and then. */
const EARLY_SHARE = 0.1;

const POST = 'POST /batch HTTP/1.1\r\nHost: x\r\nPSKey: {key}\r\nContent-Length: 9999\r\n\r\n[';
export const IDLE_OR_DRIPPING: readonly Silent[] = [
  { row: 'nothing', sent: '' },
  { row: 'a head in drips', sent: 'GET /healthz HTTP/1.1\r\nHost: x\r\nX: ', isDripped: true },
  { row: 'a body in drips', sent: POST, isDripped: true },
];

/** Opens a connection and sends the text, with a valid key for `{key}`. */
export async function sendRaw(port: number, text: string): Promise<RudeSocket> {
  const socket = await RudeSocket.open(port);
  socket.send(Buffer.from(text.replaceAll('{key}', PARTNER_KEY), 'latin1'));
  return socket;
}

/**
 * Asserts that each is closed after the limit, without an answer. Returns after how many milliseconds the
 * last one was.
 */
export async function assertSilence(port: number, all: readonly Silent[], limitMs: number): Promise<number> {
  const times = all.map(async ({ row, sent, isDripped = false }) => {
    const startMs = performance.now();
    const socket = await sendRaw(port, sent);
    const drip = (): unknown => isDripped && !socket.isClosed && socket.send(' ');
    const timer = setInterval(drip, limitMs / DRIPS_IN_LIMIT);
    await until(`the end of ${row}\n${sent}`, () => socket.isClosed).finally(() => clearInterval(timer));
    const tookMs = performance.now() - startMs;
    assert.ok(tookMs > limitMs * (1 - EARLY_SHARE), `${row}: closed after ${tookMs} ms\n${sent}`);
    assert.equal(socket.received, '', row);
    return tookMs;
  });
  return Math.max(...(await Promise.all(times)));
}
