// Requests sent to a running server, and our server's answers to those of a scenario.

import { createHash } from 'node:crypto';
import type { BenchRequest, Scenario } from '../scenarios.ts';

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
const PROBE_TIMEOUT_MS = 30_000;
const HASH_DIGITS = 16;

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

/** Sends every request once. Throws if one gets a status other than the scenario's. */
export async function capture(
  scenario: Scenario,
  address: string,
  requests: readonly BenchRequest[],
): Promise<CapturedScenario> {
  const replies: CapturedReply[] = [];
  for (const request of requests) {
    const reply = await send(address, request);
    if (reply.status !== scenario.status) {
      const { method, path } = request;
      throw new Error(`${scenario.name}: ${method} ${path} got ${reply.status}, not ${scenario.status}`);
    }
    replies.push(reply);
  }
  const mean = replies.reduce((sum, { body }) => sum + body.length, 0) / replies.length;
  const distance = ({ body }: CapturedReply): number => Math.abs(body.length - mean);
  const typical = replies.reduce((best, reply) => (distance(reply) < distance(best) ? reply : best));
  return { ...scenario, replies, typical };
}

/** The first hex digits of the SHA-256 over all bodies. */
export function hashOf({ replies }: Pick<CapturedScenario, 'replies'>): string {
  const hash = createHash('sha256');
  for (const { body } of replies) hash.update(body);
  return hash.digest('hex').slice(0, HASH_DIGITS);
}
