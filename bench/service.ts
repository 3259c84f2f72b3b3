// Whole requests through the service, from path and headers to the reply as a value, without a socket. Status and body
// are compared; how headers are stored may change.

import { randomUUID } from 'node:crypto';
import { buildKeyTable } from '../src/access/key-table.ts';
import { hashKey, type KeysFile, shippedTiers } from '../src/access/keys-file.ts';
import { DIALECTS, ENDPOINTS } from '../src/dialects/dialects.ts';
import { etagOf } from '../src/dialects/patchstack/etag.ts';
import { KeyRing } from '../src/http/auth.ts';
import { RateLimiter } from '../src/http/rate-limit.ts';
import type { Reply } from '../src/http/responses.ts';
import { Service } from '../src/http/service.ts';
import type { Generation } from '../src/index/generation.ts';
import type { BenchContext, Prepared } from './bench-context.ts';
import { FakeRequest } from './fake-request.ts';
import type { Task } from './measure.ts';
import { describeMix, type Question, zipfMix } from './questions.ts';

const MIX = 2048;
const FREE_KEY = 'bench-key-without-a-limit-0123456789';
const LIMITED_KEY = 'bench-key-with-a-limit-0123456789012';
const REQUEST_ID = 'bench'; // instead of random ids, so that answers can be compared
const KEYS: KeysFile = {
  tiers: {
    ...shippedTiers(ENDPOINTS),
    // More than any run can use.
    limited: { endpoints: ENDPOINTS, rate: { limit: 1_000_000_000, window_seconds: 86_400 } },
  },
  keys: [
    { id: 'free', name: 'free', sha256: hashKey(FREE_KEY), tier: 'partner' },
    { id: 'limited', name: 'limited', sha256: hashKey(LIMITED_KEY), tier: 'limited' },
  ],
};
export const FREE: Readonly<Record<string, string>> = { pskey: FREE_KEY };
const LIMITED: Readonly<Record<string, string>> = { pskey: LIMITED_KEY };

export function makeService(generation: Generation, makeRequestId: () => string = randomUUID): Service {
  const ring = new KeyRing(buildKeyTable(KEYS));
  return new Service({
    dialects: DIALECTS,
    generation: () => generation,
    keys: () => ring,
    limiter: new RateLimiter(),
    readiness: () => ({ kind: 'ready' }),
    isClosing: () => false,
    latestAnchor: 'clock',
    nowMs: Date.now,
    makeRequestId,
    onInternalError: (error) => {
      throw error;
    },
  });
}

/** The path of a product question; `suffix` is `/exists` or empty. */
export function productPath({ type, name, version }: Question, suffix: string): string {
  return `/product/${type}/${encodeURIComponent(name)}/${encodeURIComponent(version)}${suffix}`;
}

export function prepareService({ generation }: BenchContext): Prepared {
  const service = makeService(generation);
  const repeatable = makeService(generation, () => REQUEST_ID);
  const mixed = zipfMix(generation, MIX);
  const ask = (path: string, headers = FREE, query = ''): FakeRequest =>
    new FakeRequest('GET', path, query, headers);
  const exists = mixed.map((question) => productPath(question, '/exists'));
  const { end } = generation.published('wordpress');
  const pageCount = Math.max(1, Math.floor(end / 100));
  const pages = Array.from({ length: 16 }, (_, i) => 1 + ((i * 7919) % pageCount));
  const current = { ...FREE, 'if-none-match': etagOf(generation) };

  const task = (asks: string, requests: readonly FakeRequest[], status: number): Task => ({
    name: 'Service.handle',
    asks,
    questions: requests.length,
    run: () => {
      let sum = 0;
      for (const request of requests) sum += reply(service, request).status;
      return sum;
    },
    *answers() {
      for (const request of requests) {
        const answer = reply(repeatable, request);
        if (answer.status !== status) throw new Error(`${asks}: ${request.path} got ${answer.status}`);
        yield String(answer.status);
        yield answer.body;
      }
    },
  });
  const tasks = [
    task(
      'exists, Zipf mix',
      exists.map((path) => ask(path)),
      200,
    ),
    task(
      'exists, Zipf mix, key with a limit',
      exists.map((path) => ask(path, LIMITED)),
      200,
    ),
    task(
      'product, Zipf mix',
      mixed.map((question) => ask(productPath(question, ''))),
      200,
    ),
    task(
      '/all, pages of 100',
      pages.map((page) => ask('/all', FREE, `per_page=100&page=${page}`)),
      200,
    ),
    task(
      'exists, 304',
      exists.map((path) => ask(path, current)),
      304,
    ),
    task(
      '/all, 304',
      pages.map((page) => ask('/all', current, `per_page=100&page=${page}`)),
      304,
    ),
    task(
      'exists, 401 without a key',
      exists.map((path) => ask(path, {})),
      401,
    ),
    task(
      'exists, 401 for an unknown key',
      exists.map((path) => ask(path, { pskey: 'nobody-has-this-key-0123456789012345' })),
      401,
    ),
  ];
  return { notes: [describeMix(generation, mixed)], tasks };
}

/** The reply to a request without a body. */
export function reply(service: Service, request: FakeRequest): Reply {
  const result = service.handle(request);
  if ('kind' in result) throw new Error(`${request.path} expects a body`);
  return result;
}
