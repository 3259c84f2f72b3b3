// Requests that no client should send, twenty thousand of them over raw sockets.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Dice } from '../../src/generator/dice.ts';
import { closedWithin, RudeSocket } from '../support/process/rude-socket.ts';
import type { ServerProcess } from '../support/process/server-process.ts';
import { type FaultScene, prepareFaults, undisturbed } from './support/fault-scene.ts';
import { assertNoLeak } from './support/leaks.ts';
import { drawMalformed, type MalformedRequest } from './support/malformed.ts';
import { scaled } from './support/scale.ts';

const COUNT = scaled(2_000, 200); // in each of nine rounds
const AT_ONCE = 64;
const SEED = 4_711;
const HANG_MS = 15_000; // a connection that has ended its side must be closed by then

test('malformed requests harm no one but their senders', async (t) => {
  const scene = await prepareFaults(t, 1_000);
  const { server } = scene;
  const dice = new Dice(SEED);
  const outcome: Outcome = { answers: new Map(), faults: [] };
  await assertNoLeak(t, server, 'faults-malformed', () =>
    undisturbed(t, scene, async () => {
      await sendAll(scene, dice, COUNT, outcome);
      assert.deepEqual(outcome.faults.slice(0, 5), [], `seed ${SEED}`);
    }),
  );
  report(t, outcome);
  assert.equal(await server.stop(), 0);
});

interface Outcome {
  /** By kind of request, then by what came back. */
  readonly answers: Map<string, Map<string, number>>;
  readonly faults: string[];
}

async function sendAll(
  { server, access }: FaultScene,
  dice: Dice,
  count: number,
  outcome: Outcome,
): Promise<void> {
  const requests = Array.from({ length: count }, () => ({
    ...drawMalformed(dice, access.free),
    inPieces: dice.chance(0.2),
  }));
  const worker = async (): Promise<void> => {
    for (let request = requests.pop(); request !== undefined; request = requests.pop()) {
      await sendOne(server, request, outcome);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

async function sendOne(
  server: ServerProcess,
  { kind, bytes, inPieces }: MalformedRequest & { readonly inPieces: boolean },
  { answers, faults }: Outcome,
): Promise<void> {
  const socket = await RudeSocket.open(server.port);
  if (inPieces) {
    socket.send(bytes.subarray(0, bytes.length >> 1));
    await new Promise((resolve) => setTimeout(resolve, 5)); // or both pieces are sent as one
    socket.sendLast(bytes.subarray(bytes.length >> 1));
  } else {
    socket.sendLast(bytes);
  }
  const shown = (): string => `${kind}: ${JSON.stringify(bytes.toString('latin1').slice(0, 200))}`;
  if (!(await closedWithin(socket, HANG_MS))) faults.push(`left open after ${shown()}`);
  socket.hangUp();
  const heads = socket.received.match(/HTTP\/1\.1 \d{3}[\s\S]*?\r\n\r\n/g) ?? [];
  const statuses = heads.map((head) => Number(head.slice(9, 12)));
  for (const head of heads) if (!isFair(head)) faults.push(`${JSON.stringify(head)} for ${shown()}`);
  const kinds = answers.get(kind) ?? new Map<string, number>();
  answers.set(kind, kinds);
  const answer = statuses.join('+') || 'closed';
  kinds.set(answer, (kinds.get(answer) ?? 0) + 1);
}

/**
 * The native parser answers 505 to whatever it does not accept as HTTP/1.1, including bare line feeds and
 * absolute targets. That reply has none of our headers, and our own code never sends it.
 */
function isFair(head: string): boolean {
  const status = Number(head.slice(9, 12));
  return status < 500 || status === 503 || (status === 505 && !/content-type/i.test(head));
}

function report(t: TestContext, { answers }: Outcome): void {
  for (const [kind, kinds] of [...answers].sort()) {
    const counts = [...kinds].sort((a, b) => b[1] - a[1]).map(([answer, count]) => `${answer} ×${count}`);
    t.diagnostic(`${kind}: ${counts.join(', ')}`);
  }
}
