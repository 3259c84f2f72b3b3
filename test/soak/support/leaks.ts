// Whether something is left behind: descriptors, connections and pending bytes are back where they began
// after each of nine equal rounds, and memory does not grow with them.

import type { TestContext } from 'node:test';
import { figure } from '../../support/figure.ts';
import type { ServerProcess } from '../../support/process/server-process.ts';
import { MIB, openDescriptors, residentBytes } from './process-figures.ts';
import { sleep, within } from './scale.ts';

/**
 * Starts a server that keeps little of what it freed: its malloc gives pages back to the system at once, and
 * V8, whose threads pool the pages of their young generations, makes those small. What stays was not freed.
 */
export const GIVES_BACK = [
  ...['env', 'MALLOC_MMAP_THRESHOLD_=65536', 'MALLOC_TRIM_THRESHOLD_=65536', 'MALLOC_ARENA_MAX=1'],
  ...['sh', '-c', 'NODE_OPTIONS="$NODE_OPTIONS --max-semi-space-size=1" exec "$@"', 'sh'], // beside what a test sets
] as const;
const ROUNDS = 6;
/** V8 and malloc reach their size in the first rounds. */
const WARM_ROUNDS = 3;
const MOST_MIB_A_ROUND = 2;
/** The listener drops idle connections after 10 to 12 s. */
const REST_MS = 60_000;
/** After which the garbage of large replies, and of the thread that builds keys, is collected. */
const RELIEF_MS = 3_000;
const LOOKS = 10;
const LOOK_MS = 30;

/** What a server has open when nobody asks it anything. */
interface Open {
  readonly descriptors: number;
  readonly connections: number;
  readonly pendingBytes: number;
}

/** As the server counts them in a second that began after this call. */
async function openOf(server: ServerProcess): Promise<Open> {
  const calledSeconds = Date.now() / 1_000;
  for (;;) {
    const { text } = await server.ops('operations/history');
    const { at, connections, pending_bytes } = (JSON.parse(text) as History).seconds;
    if ((at.at(-1) ?? 0) > calledSeconds) {
      return {
        descriptors: openDescriptors(server.pid),
        connections: connections.at(-1) ?? 0,
        pendingBytes: pending_bytes.at(-1) ?? 0,
      };
    }
    await sleep(100);
  }
}

interface History {
  readonly seconds: Readonly<Record<'at' | 'connections' | 'pending_bytes', (number | null)[]>>;
}

/** The least of several looks: health checks come and go. */
async function least(look: () => number | Promise<number>): Promise<number> {
  let lowest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < LOOKS; i++) {
    lowest = Math.min(lowest, await look());
    await sleep(LOOK_MS);
  }
  return lowest;
}

/** Once what was needed for a moment has been given back. */
export async function restingBytes({ pid }: ServerProcess): Promise<number> {
  await sleep(RELIEF_MS);
  return least(() => residentBytes(pid));
}

/** Runs the round nine times. Its clients have ended when it resolves. */
export async function assertNoLeak(
  t: TestContext,
  server: ServerProcess,
  source: string,
  round: () => Promise<void>,
): Promise<void> {
  const { connections } = await openOf(server); // which leaves a connection of the operations listener open
  const descriptors = await least(() => openDescriptors(server.pid));
  const left: number[] = [];
  for (let turn = 0; turn < WARM_ROUNDS + ROUNDS; turn++) {
    await round();
    let now = await openOf(server);
    await within('descriptors, connections and pending bytes are as before', REST_MS, async () => {
      now = await openOf(server);
      return now.descriptors <= descriptors && now.connections <= connections && now.pendingBytes === 0;
    }).catch((error: Error) => {
      const before = `before ${descriptors} descriptors, ${connections} connections`;
      throw new Error(`${error.message}; ${before}; now ${JSON.stringify(now)}`);
    });
    const bytes = await restingBytes(server);
    if (turn >= WARM_ROUNDS) left.push(bytes);
  }
  t.diagnostic(`memory after each round: ${left.map((bytes) => (bytes / MIB).toFixed(0)).join(', ')} MiB`);
  figure(t, {
    source,
    name: `${source}: memory that a round leaves behind`,
    value: medianGrowth(left) / MIB,
    unit: 'MiB',
    ceiling: MOST_MIB_A_ROUND,
  });
}

/**
 * The median of what each round added. A round that needs more at once than any before it makes V8's pool
 * larger for good: one such step does not move the median, and what most rounds lose does.
 */
function medianGrowth(values: readonly number[]): number {
  const grown = values.slice(1).map((value, i) => value - values[i]);
  return grown.sort((a, b) => a - b)[grown.length >> 1];
}
