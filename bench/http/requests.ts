// Requests sent to a running server, and our server's answers to those of a scenario.

import type { BenchRequest, Scenario } from '../scenario.ts';

export interface CapturedReply {
  readonly status: number;
  /** Without those that every server adds: date, length, connection, server. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

export interface CapturedScenario extends Scenario {
  /** Our server's answer to each request. */
  readonly replies: readonly CapturedReply[];
  /** The reply whose length is nearest to the mean: what a server of constant bytes sends. */
  readonly typical: CapturedReply;
}

const WRITTEN_BY_THE_SERVER =
  /^(connection|content-length|date|keep-alive|server|transfer-encoding|uwebsockets)$/;
const PROBE_TIMEOUT_MS = 10_000;
const PREPARED_MS = 300_000;
const POLL_MS = 500;

/** Sends one request to a running server. */
export async function send(address: string, request: BenchRequest): Promise<CapturedReply> {
  const response = await fetch(address + request.path, {
    method: request.method,
    headers: request.headers,
    body: request.body ?? null,
    signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
  });
  return {
    status: response.status,
    headers: [...response.headers].filter(([name]) => !WRITTEN_BY_THE_SERVER.test(name)),
    body: Buffer.from(await response.arrayBuffer()),
  };
}

/** The same, until the answer is not 503: files are made after the start, which takes a time that grows with the data. */
export async function sendUntilReady(address: string, request: BenchRequest): Promise<CapturedReply> {
  const endMs = performance.now() + PREPARED_MS;
  for (;;) {
    const reply = await send(address, request);
    if (reply.status !== 503 || performance.now() > endMs) return reply;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Sends every request of the scenario once. Throws if one gets a status other than the scenario's. */
export async function capture(address: string, scenario: Scenario): Promise<CapturedScenario> {
  const replies: CapturedReply[] = [];
  for (const request of scenario.requests) {
    const reply = await send(address, request);
    if (reply.status !== scenario.status) {
      throw new Error(
        `${scenario.name}: ${request.method} ${request.path} got ${reply.status}, not ${scenario.status}`,
      );
    }
    replies.push(reply);
  }
  const mean = replies.reduce((sum, { body }) => sum + body.length, 0) / replies.length;
  const distance = ({ body }: CapturedReply): number => Math.abs(body.length - mean);
  const typical = replies.reduce((best, reply) => (distance(reply) < distance(best) ? reply : best));
  return { ...scenario, replies, typical };
}
