// A load with a constant rate of arrivals, whatever the server does: request i is due at i / rate, and its latency counts
// from then. A client that waits for the answer before it sends the next request would not see what the others waited for.

import { Agent, request as send } from 'node:http';
import type { BenchRequest } from '../scenario.ts';

export interface ArrivalPlan {
  readonly address: string;
  /** Sent in this order, repeatedly. */
  readonly requests: readonly BenchRequest[];
  /** The status that every request must get. */
  readonly status: number;
  readonly requestsPerSecond: number;
  readonly seconds: number;
  /** Answered, but not counted: connections are opened, and code is compiled. */
  readonly warmUpSeconds: number;
  /** Requests beyond this number wait for a free connection, and their waiting counts. */
  readonly connections: number;
}

export interface Latencies {
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
  /** How late this client began to send, at the 99th percentile: the part of the figures that it added itself. */
  readonly lateP99Ms: number;
}

const TIMER_MS = 1.2;
const POLL_MS = 5; // until all answers have arrived
const GRACE_MS = 10_000;

/** Throws if a request fails, gets another status, or has no answer long after the end. */
export async function runArrivals(plan: ArrivalPlan): Promise<Latencies> {
  const { requestsPerSecond, seconds, warmUpSeconds } = plan;
  const agent = new Agent({ keepAlive: true, maxSockets: plan.connections });
  const total = Math.floor(requestsPerSecond * (seconds + warmUpSeconds));
  const first = Math.floor(requestsPerSecond * warmUpSeconds);
  const latencies = new Float64Array(total - first);
  const lates = new Float64Array(total - first);
  const state: { failure: Error | undefined } = { failure: undefined };
  let answered = 0;
  let sent = 0;
  const startMs = performance.now();
  const dueMs = (i: number): number => startMs + (1000 * i) / requestsPerSecond;
  try {
    while (sent < total && state.failure === undefined) {
      for (const nowMs = performance.now(); sent < total && dueMs(sent) <= nowMs; sent++) {
        const i = sent;
        if (i >= first) lates[i - first] = performance.now() - dueMs(i);
        ask(plan, agent, i, (error) => {
          answered++;
          if (error !== undefined) state.failure = error;
          if (i >= first) latencies[i - first] = performance.now() - dueMs(i);
        });
      }
      // A timer may be late by more than a millisecond, so the last part of a pause is spent looking at the clock.
      const restMs = sent < total ? dueMs(sent) - performance.now() : 0;
      await new Promise((resolve) =>
        restMs > TIMER_MS ? setTimeout(resolve, restMs - TIMER_MS) : setImmediate(resolve),
      );
    }
    for (const endMs = performance.now() + GRACE_MS; answered < sent && state.failure === undefined; ) {
      if (performance.now() > endMs) throw new Error(`${sent - answered} of ${sent} requests have no answer`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  } finally {
    agent.destroy();
  }
  if (state.failure !== undefined) throw state.failure;
  latencies.sort();
  lates.sort();
  return {
    requests: latencies.length,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    p999Ms: percentile(latencies, 0.999),
    maxMs: latencies[latencies.length - 1],
    lateP99Ms: percentile(lates, 0.99),
  };
}

function ask(
  { address, requests, status }: ArrivalPlan,
  agent: Agent,
  i: number,
  done: (error?: Error) => void,
): void {
  const { method, path, headers, body = '' } = requests[i % requests.length];
  const outgoing = send(`${address}${path}`, {
    agent,
    method,
    headers: method === 'POST' ? { ...headers, 'Content-Length': Buffer.byteLength(body) } : headers,
  });
  outgoing.once('response', (response) => {
    response.resume();
    response.once('error', done);
    response.once('end', () => {
      const isExpected = response.statusCode === status;
      done(isExpected ? undefined : new Error(`${method} ${path} got ${response.statusCode}, not ${status}`));
    });
  });
  outgoing.once('error', done);
  outgoing.end(body);
}

/** The value that `share` of the values do not exceed. Requires: ascending, at least one. */
export function percentile(values: Float64Array, share: number): number {
  return values[Math.max(0, Math.ceil(values.length * share) - 1)];
}

// As a process of its own, so that it can be given a core: the plan arrives as a message, the result leaves as one.
if (process.argv[1]?.endsWith('arrivals.ts')) {
  process.once('message', (plan) => {
    const ends = (result: unknown): void => {
      process.send?.(result, () => process.exit(0));
    };
    runArrivals(plan as ArrivalPlan).then(ends, (error: Error) => ends({ error: error.message })); // from latency.ts
  });
}
