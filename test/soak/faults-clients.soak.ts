// Clients that hold on to connections and drop them: readers of nothing, idle ones, half a request, aborted
// replies. How long the server bears them is in idle.soak.ts and test/e2e/slow-readers.test.ts.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { get } from '../support/load/mix.ts';
import { RudeSocket } from '../support/process/rude-socket.ts';
import { type FaultScene, prepareFaults, undisturbed } from './support/fault-scene.ts';
import { assertNoLeak } from './support/leaks.ts';
import { openDescriptors } from './support/process-figures.ts';
import { scaled, sleep, within } from './support/scale.ts';

const ADVISORIES = 1_200;
// A page of 500 has 8 MB, of which the kernel buffers 4 MB. Larger ones would drown a leak: which worker
// keeps its last page until the next collection is chance.
const DETAILS = 'All about it. '.repeat(1_000);
// In each round.
const READERS = 6;
const IDLE = scaled(1_000, 200);
const HALF_SENT = 50;
const ABORTS = scaled(500, 100);
const LARGE_PAGE = '/all?per_page=500&include=details';
const PAGE = '/all?per_page=10&include=details';

test('clients that hold or drop connections disturb no one and leave nothing behind', async (t) => {
  const scene = await prepareFaults(t, ADVISORIES, DETAILS);
  let begun = 0;
  const round = (): Promise<void> =>
    undisturbed(t, scene, async () => {
      await dropLargePages(scene);
      await dropSilently(scene, IDLE, []);
      await dropSilently(scene, HALF_SENT, halvesFor(scene));
      begun += await abortReplies(scene);
    });
  await assertNoLeak(t, scene.server, 'faults-clients', round);
  t.diagnostic(`${begun} replies had started before they were aborted`);
  assert.ok(begun > 0);
  assert.equal(await scene.server.stop(), 0);
});

/** Readers that ask for a large page, read nothing, and hang up when the server holds all of the pages. */
async function dropLargePages({ server, access }: FaultScene): Promise<void> {
  const before = openDescriptors(server.pid);
  const readers = await openMany(READERS, server.port);
  for (const reader of readers) {
    reader.pause();
    reader.send(get(LARGE_PAGE, access.free));
  }
  await within('the server has all of them', 10_000, () => openDescriptors(server.pid) >= before + READERS);
  await sleep(500); // the pages are assembled
  for (const reader of readers) reader.hangUp();
}

/** Connections that send nothing, or one of these each, and hang up. */
async function dropSilently({ server }: FaultScene, count: number, sent: readonly string[]): Promise<void> {
  const sockets = await openMany(count, server.port);
  if (sent.length > 0) for (const [i, socket] of sockets.entries()) socket.send(sent[i % sent.length]);
  await sleep(500); // what was sent has arrived
  for (const socket of sockets) socket.hangUp();
}

function halvesFor({ access: { free } }: FaultScene): readonly string[] {
  const post = `POST /batch HTTP/1.1\r\nHost: soak\r\nPSKey: ${free}\r\n`;
  return [
    'GET /healthz HTT',
    'GET /healthz HTTP/1.1\r\nHost: soak\r\nX-Requ',
    get('/healthz', free).slice(0, -2),
    `${post}Content-Length: 100\r\n\r\n[`,
    `${post}Transfer-Encoding: chunked\r\n\r\n5\r\n[`,
  ];
}

/** Requests a page and hangs up, alternately at once and at the first bytes of the reply. */
async function abortReplies({ server, access }: FaultScene): Promise<number> {
  let begun = 0;
  let left = ABORTS;
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
