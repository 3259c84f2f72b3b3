// A large fleet on paper: when replicas hear of a new snapshot, how long a shared line carries it to them,
// what a store and an engine of quotas are asked. Time is virtual and chance has a seed, so the same figures
// come out each time; the waits between polls are the server's own rule. It opens no socket and measures
// nothing. docs/scale.md shows what `npx tsx scripts/fleet-simulation.ts` prints.

import { fileURLToPath } from 'node:url';
import { nextPollMs } from '../src/fleet/poll-times.ts';

const DAY_S = 86_400;
const MINUTE_MS = 60_000;

/** What is assumed. */
export interface Plan {
  readonly replicas: number;
  readonly regions: number;
  readonly requestsPerDay: number;
  /** Of the busiest second, in multiples of the average. */
  readonly peak: number;
  readonly snapshotBytes: number;
  readonly refreshesPerDay: number;
  readonly intervalMs: number;
  /** What each store, or cache of a region, sends in a second, and what a replica takes. */
  readonly storeBytesPerS: number;
  readonly replicaBytesPerS: number;
  /** Of polls. */
  readonly failureRate: number;
  /** From the poll until the manifest and its signature are checked. */
  readonly manifestMs: number;
  readonly loadMs: number;
  readonly activateInMs: number;
  /** Server CPU of a look-up; docs/performance.md, the mix. */
  readonly requestUs: number;
  /** Of the engine's script for each key in a call; fleet/leases/leaser.ts. */
  readonly chargeUs: number;
  readonly seed: number;
}

export const PLAN: Plan = {
  replicas: 1_000,
  regions: 3,
  requestsPerDay: 10e9,
  peak: 3,
  snapshotBytes: 280_000 * 470, // 470 MB for 1,000,000 advisories; docs/performance.md
  refreshesPerDay: 24,
  intervalMs: 60_000,
  storeBytesPerS: 1.25e9,
  replicaBytesPerS: 125e6,
  failureRate: 0.01,
  manifestMs: 100,
  loadMs: 2_000, // 7 s for 1,000,000; docs/deployment.md
  activateInMs: 120_000,
  requestUs: 8,
  chargeUs: 3,
  seed: 1,
};

/** Numbers from 0 to below 1: mulberry32. */
function chance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Runs actions at their times, in order; nothing else makes time pass. */
class VirtualClock {
  nowMs = 0;
  readonly #heap: { readonly atMs: number; readonly act: () => void }[] = [];

  at(atMs: number, act: () => void): void {
    const heap = this.#heap;
    let child = heap.push({ atMs, act }) - 1;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (heap[parent].atMs <= heap[child].atMs) break;
      [heap[parent], heap[child]] = [heap[child], heap[parent]];
      child = parent;
    }
  }

  runUntil(endMs: number): void {
    while (this.#heap.length > 0 && this.#heap[0].atMs <= endMs) {
      const { atMs, act } = this.#pop();
      this.nowMs = atMs;
      act();
    }
    this.nowMs = endMs;
  }

  #pop(): { readonly atMs: number; readonly act: () => void } {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (heap.length === 0 || last === undefined) return first;
    heap[0] = last;
    for (let parent = 0; ; ) {
      const left = 2 * parent + 1;
      if (left >= heap.length) return first;
      const child = left + 1 < heap.length && heap[left + 1].atMs < heap[left].atMs ? left + 1 : left;
      if (heap[parent].atMs <= heap[child].atMs) return first;
      [heap[parent], heap[child]] = [heap[child], heap[parent]];
      parent = child;
    }
  }
}

/** When each replica asks, in order. `isUp` says whether the store answers at a time. */
function polls(plan: Plan, fromMs: number, endMs: number, isUp: (atMs: number) => boolean) {
  const clock = new VirtualClock();
  const random = chance(plan.seed);
  const made: { readonly atMs: number; readonly replica: number; readonly isAnswered: boolean }[] = [];
  for (let replica = 0; replica < plan.replicas; replica++) {
    let failures = 0;
    const poll = (): void => {
      const isAnswered = isUp(clock.nowMs) && random() >= plan.failureRate;
      failures = isAnswered ? 0 : failures + 1;
      made.push({ atMs: clock.nowMs, replica, isAnswered });
      clock.at(clock.nowMs + nextPollMs(plan.intervalMs, failures, random()), poll);
    };
    clock.at(fromMs + random() * plan.intervalMs, poll); // they were started at any time
  }
  clock.runUntil(endMs);
  return made;
}

/** When each replica first has an answer after `afterMs`, by its number. */
function firstAnswers(plan: Plan, made: ReturnType<typeof polls>, afterMs: number): number[] {
  const seen = new Array<number>(plan.replicas).fill(Number.POSITIVE_INFINITY);
  for (const { atMs, replica, isAnswered } of made)
    if (isAnswered && atMs >= afterMs) seen[replica] = Math.min(seen[replica], atMs);
  return seen;
}

/**
 * When downloads of one size end that share a line in equal parts, none above `each`. All that are under way
 * have the same rate, so they end in the order in which they began. Requires: ascending starts.
 */
export function sharedLine(startsMs: readonly number[], bytes: number, line: number, each: number): number[] {
  const ends: number[] = [];
  const goals: number[] = [];
  let nowMs = startsMs[0] ?? 0;
  let sent = 0; // to a download that had been under way from the beginning
  while (ends.length < startsMs.length) {
    const active = goals.length - ends.length;
    const perMs = Math.min(each, line / Math.max(1, active)) / 1_000;
    const arrivalMs = startsMs[goals.length] ?? Number.POSITIVE_INFINITY;
    const endMs = active === 0 ? Number.POSITIVE_INFINITY : nowMs + (goals[ends.length] - sent) / perMs;
    const nextMs = Math.min(arrivalMs, endMs);
    if (active > 0) sent += (nextMs - nowMs) * perMs;
    nowMs = nextMs;
    if (arrivalMs <= endMs) goals.push(sent + bytes);
    else ends.push(nowMs);
  }
  return ends;
}

/** Milliseconds from the publication until each replica has heard of it and has loaded it, ascending. */
export function refresh(plan: Plan, lines: number): { readonly seen: number[]; readonly loaded: number[] } {
  const made = polls(plan, -3 * plan.intervalMs, 3 * plan.intervalMs + 10 * MINUTE_MS, () => true);
  const seen = firstAnswers(plan, made, 0).map((atMs) => atMs + plan.manifestMs);
  const loaded = Array.from({ length: lines }, (_, line) => {
    const starts = seen.filter((_, replica) => replica % lines === line).sort((a, b) => a - b);
    return sharedLine(starts, plan.snapshotBytes, plan.storeBytesPerS, plan.replicaBytesPerS);
  }).flat();
  const ascending = (times: readonly number[]): number[] => [...times].sort((a, b) => a - b);
  return { seen: ascending(seen), loaded: ascending(loaded.map((atMs) => atMs + plan.loadMs)) };
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
const grouped = (count: number): string => Math.round(count).toLocaleString('en-US');
const gigabytes = (bytes: number): string => `${grouped(bytes / 1e9)} GB`;
const last = (times: readonly number[]): number => times[times.length - 1];
const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly string[]): string =>
  [row(...head), row(...head.map((_, i) => (i === 0 ? '---' : '---:'))), ...rows].join('\n');

function loadTable(plan: Plan): string {
  const average = plan.requestsPerDay / DAY_S;
  const most = average * plan.peak;
  return table(
    ['requests', 'a second', 'a replica', 'cores in all'],
    [['average', average] as const, ['busiest second', most] as const].map(([name, rate]) =>
      row(name, grouped(rate), grouped(rate / plan.replicas), ((rate * plan.requestUs) / 1e6).toFixed(1)),
    ),
  );
}

function refreshTable(plan: Plan): string {
  const [all, elsewhere] = [plan.replicas, (plan.replicas * (plan.regions - 1)) / plan.regions];
  const ways = [
    ['one store for all', 1, elsewhere],
    ['a store, or a cache before it, in each region', plan.regions, plan.regions - 1],
  ] as const;
  return table(
    [
      '',
      'sent, a refresh',
      'between regions',
      'last one hears',
      'last one has loaded',
      'ready at activation',
    ],
    ways.map(([name, lines, crossings]) => {
      const { seen, loaded } = refresh(plan, lines);
      const ready = loaded.filter((atMs) => atMs <= plan.activateInMs).length / all;
      return row(
        name,
        gigabytes(all * plan.snapshotBytes),
        `${((crossings * plan.snapshotBytes) / 1e9).toFixed(1)} GB`,
        seconds(last(seen)),
        seconds(last(loaded)),
        `${(ready * 100).toFixed(1)} %`,
      );
    }),
  );
}

function intervalTable(plan: Plan): string {
  const spanMs = 20 * MINUTE_MS;
  const rows = [10_000, 60_000, 300_000].map((intervalMs) => {
    const own = { ...plan, intervalMs };
    const made = polls(own, 0, 2 * spanMs, () => true).filter(({ atMs }) => atMs >= spanMs);
    const { seen, loaded } = refresh(own, plan.regions);
    const rate = (made.length * 1_000) / spanMs;
    const apart = seconds(last(loaded) - loaded[0]);
    const half = seconds(seen[Math.floor(seen.length / 2)]);
    const figures = [grouped(rate), grouped(busiest(made)), grouped(rate * DAY_S)];
    return row(seconds(intervalMs), ...figures, half, seconds(last(seen)), apart);
  });
  const head = ['`--source-interval`', 'polls a second', 'busiest second', 'polls a day', 'half have heard'];
  return table([...head, 'last one hears', 'apart without `--activate-in`'], rows);
}

/** The most in one second. */
function busiest(made: ReturnType<typeof polls>): number {
  const counts = new Map<number, number>();
  for (const { atMs } of made) {
    const second = Math.floor(atMs / 1_000);
    counts.set(second, (counts.get(second) ?? 0) + 1);
  }
  return Math.max(0, ...counts.values());
}

function growthTable(plan: Plan): string {
  const rows = [50, 200, 1_000, 5_000].map((replicas) => {
    const ends = [plan.snapshotBytes, 4 * plan.snapshotBytes].map((snapshotBytes) =>
      last(refresh({ ...plan, replicas, snapshotBytes }, 1).loaded),
    );
    return row(grouped(replicas), ...ends.map(seconds));
  });
  return table(['replicas at one store', 'last one has loaded', 'with four times the data'], rows);
}

function outageTable(plan: Plan): string {
  const [downMs, upMs, endMs] = [30 * MINUTE_MS, 40 * MINUTE_MS, 70 * MINUTE_MS];
  const made = polls(plan, 0, endMs, (atMs) => atMs < downMs || atMs >= upMs);
  const answered = firstAnswers(plan, made, upMs).map((atMs) => atMs - upMs);
  answered.sort((a, b) => a - b);
  const spans = [
    ['10 minutes before', downMs - 10 * MINUTE_MS, downMs],
    ['10 minutes without the store', downMs, upMs],
    ['10 minutes after', upMs, upMs + 10 * MINUTE_MS],
  ] as const;
  const rows = spans.map(([name, fromMs, toMs]) => {
    const during = made.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
    const isAfter = fromMs === upMs;
    const ends = [answered[Math.ceil(0.99 * answered.length) - 1], last(answered)];
    return row(
      name,
      grouped(during.length),
      grouped(busiest(during)),
      ...ends.map((ms) => (isAfter ? seconds(ms) : '')),
    );
  });
  return table(['', 'polls', 'busiest second', '99 % have an answer after', 'all after'], rows);
}

function quotaTable(plan: Plan): string {
  const most = (plan.requestsPerDay / DAY_S) * plan.peak;
  return table(
    ['engines of quotas', 'charges a second, at most', 'busy, at most'],
    [1, plan.regions].map((engines) =>
      row(grouped(engines), grouped(most / engines), `${grouped((most / engines) * plan.chargeUs * 1e-4)} %`),
    ),
  );
}

/** All tables, for the page. */
export function report(plan: Plan = PLAN): string {
  return [loadTable, refreshTable, intervalTable, growthTable, outageTable, quotaTable]
    .map((make) => make(plan))
    .join('\n\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(report());
