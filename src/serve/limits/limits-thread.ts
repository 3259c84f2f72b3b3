// A thread of its own for the leases of a fleet's quotas: the client of the engine, and a turn ten times a
// second over what the serving threads have spent. Started by limits.ts, with `--limits` alone.

import { parentPort, workerData } from 'node:worker_threads';
import { Engine } from '../../fleet/leases/engine.ts';
import { Leaser, TICK_MS } from '../../fleet/leases/leaser.ts';
import { LeaseRows, WAKE } from '../../http/callers/lease-rows.ts';
import type { FromLimits, LimitsData, ToLimits } from '../messages.ts';
import { collectGarbageAtLast } from '../thread.ts';
import { TableRows } from './table-rows.ts';

const STATE_TURNS = 10;
/** Turns that are not waited for come no closer than this. */
const EARLY_MS = 10;

const { limiter, leases, keys, ...options } = workerData as LimitsData;
// The data a thread was started with stays in memory as long as it lives; these
// keys will be replaced before that.
(workerData as { keys: unknown }).keys = undefined;
const rows = new TableRows(new LeaseRows(limiter, leases), keys, Date.now);
const leaser = new Leaser({
  rows,
  engine: new Engine(options),
  nowMs: () => performance.now(),
  wallMs: Date.now,
  random: Math.random,
  onStateLost: () => post({ kind: 'state-lost' }),
  onKeysLost: (count) => post({ kind: 'keys-lost', count }),
  onClockJumped: (byMs) => post({ kind: 'clock-jumped', byMs }),
});

let turns = 0;
let shown = '';
const timer = setInterval(() => turn(true), TICK_MS);
turn(true);
listenForSpending(new Int32Array(leases));

parentPort?.on('message', (message: ToLimits) => {
  if (message.kind === 'keys') {
    rows.adopt(message.keys);
    leaser.adoptKeys();
    collectGarbageAtLast(); // the previous table, which V8 does not count
    return;
  }
  clearInterval(timer);
  void leaser.leave().finally(() => process.exit(0));
});

function turn(isTick: boolean): void {
  // A failure that nobody expected ends this thread, and another replaces it.
  void leaser.turn(isTick).then(() => tell(false));
  if (!isTick) return;
  turns += 1;
  if (turns % STATE_TURNS === 0) tell(true);
}

/** Takes an early turn when an allowance is half spent. */
function listenForSpending(words: Int32Array): void {
  // In every release that is supported, but not in the library of the compiler's target.
  const { waitAsync } = Atomics as unknown as {
    waitAsync(array: Int32Array, index: number, value: number): { readonly value: Promise<string> };
  };
  void waitAsync(words, WAKE, 0).value.then(() => {
    turn(false);
    setTimeout(() => listenForSpending(words), EARLY_MS);
  });
}

/** At once when the mode changes, or its reason; the figures once a second. */
function tell(isDue: boolean): void {
  const { state } = leaser;
  const { mode, problem } = state;
  const now = `${mode} ${problem?.message}`;
  if (!isDue && now === shown) return;
  shown = now;
  post({ kind: 'state', state });
}

function post(message: FromLimits): void {
  parentPort?.postMessage(message);
}
