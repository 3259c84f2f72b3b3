// Clients that hold on to connections or drop them: slow readers, idle ones, half a request, aborted replies.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { get } from '../support/load/mix.ts';
import { closedWithin, RudeSocket } from '../support/process/rude-socket.ts';
import {
  assertNoGrowth,
  type FaultScene,
  type Figures,
  figuresOf,
  prepareFaults,
  undisturbed,
} from './support/fault-scene.ts';
import { mebibytes } from './support/process-figures.ts';
import { scaled, sleep, within } from './support/scale.ts';

const ADVISORIES = 1_200;
// A page of 500 has 24 MB. The kernel buffers 4 MB of it, and a steady reader takes 15 MB in a minute.
const DETAILS = 'All about it. '.repeat(3_500);
const STALLED_READERS = 3;
const STEADY_READERS = 3;
const READERS = STALLED_READERS + STEADY_READERS;
// Longer than the minute that a reply may take, plus the sweep after it.
const SLOW_MS = scaled(75_000, 5_000);
// 64 KiB each time. Slower readers make no room for writing within 10 s, and are dropped as stalled.
const SIP_EVERY_MS = 250;
const PAGE_BYTES = 500 * (DETAILS.length + 2_000);
// A page per reader, as much again for garbage, and what the heaps of threads vary by.
const MOST_HELD_BYTES = 2 * READERS * PAGE_BYTES + (64 << 20);
const IDLE = scaled(5_000, 500);
const IDLE_MS = scaled(15_000, 3_000); // the listener drops what was idle for 10 to 12 s
const HALF_SENT = scaled(500, 50);
const RELIEF_MS = 4_000; // after which the garbage of large replies is collected
const ABORTS = scaled(3_000, 300);
const LARGE_PAGE = '/all?per_page=500&include=details';
const PAGE = '/all?per_page=10&include=details';

test('clients that hold or drop connections disturb no one', async (t) => {
  const scene = await prepareFaults(t, ADVISORIES, DETAILS);
  const { server } = scene;
  // Warm: each thread has made pages of this size, and held some, before the figures are taken.
  const { descriptors } = await calmFigures(scene);
  for (let turn = 0; turn < 3; turn++) {
    for (const reader of await beginLargePages(scene)) reader.hangUp();
    await within('their descriptors are closed', 30_000, () => figuresOf(server).descriptors <= descriptors);
  }
  await abortReplies(scene, 200);
  await sleep(RELIEF_MS);
  const before = figuresOf(server);
  await t.test('slow readers end by the time limit', (t) =>
    undisturbed(t, scene, () => readSlowly(t, scene)),
  );
  await t.test(`${IDLE} idle connections`, (t) => undisturbed(t, scene, () => idle(t, scene)));
  await t.test(`${HALF_SENT} half-sent requests`, (t) => undisturbed(t, scene, () => halfSend(t, scene)));
  await t.test(`${ABORTS} aborted replies`, (t) =>
    undisturbed(t, scene, async () => {
      const endings = await abortReplies(scene, ABORTS);
      t.diagnostic(`${endings} replies had started before they were aborted`);
      assert.ok(endings > 0);
    }),
  );
  await t.test('nothing leaks', (t) => assertNoGrowth(t, server, before));
  assert.equal(await server.stop(), 0);
});

/** Readers that have requested a large page and read nothing, once the server has all of them. */
async function beginLargePages(scene: FaultScene): Promise<readonly RudeSocket[]> {
  const { server, access } = scene;
  const before = await calmFigures(scene); // a process that has just started briefly opens files
  const readers = await openMany(READERS, server.port);
  for (const reader of readers) {
    reader.pause();
    reader.send(get(LARGE_PAGE, access.free));
  }
  await within('the server has all of them', 10_000, () => {
    return figuresOf(server).descriptors >= before.descriptors + READERS;
  });
  await sleep(500); // the pages are assembled
  return readers;
}

/**
 * Some never read; the idle timeout ends those. Some read steadily, but less than the whole in a minute; the
 * time limit for replies ends those. The server's descriptors show that it has ended them, since the readers
 * still have to read what the kernel buffers.
 */
async function readSlowly(t: TestContext, scene: FaultScene): Promise<void> {
  const { server } = scene;
  await sleep(1_000); // the well-behaved clients are connected
  const before = await calmFigures(scene);
  const readers = await beginLargePages(scene);
  const startMs = performance.now();
  let mostBytes = 0;
  let open = READERS;
  const endedMs: number[] = [];
  while (performance.now() - startMs < SLOW_MS && open > 0) {
    await sleep(SIP_EVERY_MS);
    for (const reader of readers.slice(STALLED_READERS)) reader.sip();
    const { bytes, descriptors } = figuresOf(server);
    mostBytes = Math.max(mostBytes, bytes);
    open = Math.min(open, Math.max(0, descriptors - before.descriptors));
    while (endedMs.length < READERS - open) endedMs.push(performance.now() - startMs);
  }
  const seconds = endedMs.map((ms) => (ms / 1000).toFixed(0)).join(', ');
  const readBytes = readers.reduce((sum, { receivedBytes }) => sum + receivedBytes, 0);
  t.diagnostic(`${READERS - open} of ${READERS} were ended, after ${seconds} s`);
  t.diagnostic(
    `they read ${mebibytes(readBytes)}; memory ${mebibytes(before.bytes)}, at most ${mebibytes(mostBytes)}`,
  );
  for (const reader of readers) reader.hangUp();
  if (SLOW_MS > 60_000) assert.equal(open, 0, 'each is ended by the server');
  assert.ok(mostBytes - before.bytes < MOST_HELD_BYTES, 'what is held for them is bounded');
}

/** Health checks come and go, so the minimum of several samples counts. */
async function calmFigures({ server }: FaultScene): Promise<Figures> {
  let calm = figuresOf(server);
  for (let look = 0; look < 10; look++) {
    await sleep(30);
    const figures = figuresOf(server);
    if (figures.descriptors < calm.descriptors) calm = figures;
  }
  return calm;
}

async function idle(t: TestContext, { server }: FaultScene): Promise<void> {
  const sockets = await openMany(IDLE, server.port);
  await sleep(IDLE_MS);
  const closed = sockets.filter(({ isClosed }) => isClosed).length;
  t.diagnostic(`the server dropped ${closed} of ${IDLE} within ${IDLE_MS / 1000} s`);
  for (const socket of sockets) socket.hangUp();
}

async function halfSend(t: TestContext, { server, access }: FaultScene): Promise<void> {
  const halves = [
    'GET /healthz HTT',
    'GET /healthz HTTP/1.1\r\nHost: soak\r\nX-Requ',
    get('/healthz', access.free).slice(0, -2),
    `POST /batch HTTP/1.1\r\nHost: soak\r\nPSKey: ${access.free}\r\nContent-Length: 100\r\n\r\n[`,
    `POST /batch HTTP/1.1\r\nHost: soak\r\nPSKey: ${access.free}\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n[`,
  ];
  const sockets = await openMany(HALF_SENT, server.port);
  for (const [i, socket] of sockets.entries()) socket.send(halves[i % halves.length] as string);
  const startMs = performance.now();
  const limitMs = scaled(70_000, 15_000); // the idle time, or the minute that a body may take
  const ends = await Promise.all(
    sockets.map(async (socket) => ({
      isClosed: await closedWithin(socket, limitMs),
      tookMs: performance.now() - startMs,
    })),
  );
  const open = ends.filter(({ isClosed }) => !isClosed).length;
  const lastMs = Math.max(...ends.map(({ tookMs }) => tookMs));
  t.diagnostic(`${HALF_SENT - open} ended by the server, the last after ${(lastMs / 1000).toFixed(0)} s`);
  for (const socket of sockets) socket.hangUp();
  assert.equal(open, 0, 'each half-sent request is ended by the server');
}

/** Requests a large page and hangs up, alternately at once and at the first bytes of the reply. */
async function abortReplies({ server, access }: FaultScene, count: number): Promise<number> {
  let begun = 0;
  let left = count;
  const worker = async (): Promise<void> => {
    while (left-- > 0) {
      const turn = left;
      const socket = await RudeSocket.open(server.port);
      socket.send(get(PAGE, access.free));
      for (let look = 0; turn % 2 === 0 && look < 200 && socket.receivedBytes === 0; look++) await sleep(1);
      if (socket.receivedBytes > 0) begun++;
      if (turn % 3 === 0) socket.hangUp();
      else socket.reset();
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  return begun;
}

/** A few hundred at a time: more would not fit in the listener's queue. */
async function openMany(count: number, port: number): Promise<RudeSocket[]> {
  const sockets: RudeSocket[] = [];
  while (sockets.length < count) {
    const batch = Math.min(200, count - sockets.length);
    sockets.push(...(await Promise.all(Array.from({ length: batch }, () => RudeSocket.open(port)))));
  }
  return sockets;
}
