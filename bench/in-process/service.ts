// Whole requests through the service, from path and headers to the reply as a value, without a socket: the scenarios
// that are also measured over HTTP, and pages against JSON.stringify of the same records kept as objects. The status
// is checked and bodies are compared; how headers are stored may change.

import { randomUUID } from 'node:crypto';
import { buildKeyTable } from '../../src/access/key-table.ts';
import { hashKey, type KeysFile, shippedTiers } from '../../src/access/keys-file.ts';
import { DIALECTS, ENDPOINTS } from '../../src/dialects/dialects.ts';
import { KeyRing } from '../../src/http/callers/auth.ts';
import { RateLimiter } from '../../src/http/callers/rate-limit.ts';
import type { Reply } from '../../src/http/replies/responses.ts';
import type { RequestView } from '../../src/http/request-view.ts';
import { Service } from '../../src/http/service.ts';
import type { Generation } from '../../src/index/generation.ts';
import { PROGRAM_SCENARIO_NAMES } from '../dialect-scenarios.ts';
import type { BenchRequest, Scenario } from '../scenario.ts';
import { makeScenario, SCENARIO_NAMES, type ScenarioName } from '../scenarios.ts';
import { askingAll, baseline, type Prepared, type Task } from './measure.ts';

const FREE_KEY = 'bench-key-without-a-limit-0123456789';
const LIMITED_KEY = 'bench-key-with-a-limit-0123456789012';
const UNKNOWN_KEY = 'nobody-has-this-key-0123456789012345';
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
const PAGES = 8; // spread over the whole list; the baseline has all their records in memory
const SIZES = [100, 500];
const FORMS = [
  { words: '', platform: 'wordpress', query: '' },
  { words: ' with details', platform: 'wordpress', query: '&include=details' },
  // Hardly any WordPress advisory has details; nearly every npm advisory does.
  { words: ' of npm with details', platform: 'npm', query: '&platform=npm&include=details' },
] as const;

/** A request without a socket. It reuses its strings, so what V8 caches per string (its hash) is free here. */
interface FakeRequest extends RequestView {
  readonly body: Uint8Array;
}

function fakeRequest({ method, path, headers, body = '' }: BenchRequest): FakeRequest {
  const [route, query = ''] = path.split('?');
  const values = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    method,
    path: route,
    query,
    address: '127.0.0.1',
    header: (name) => values.get(name) ?? '',
    list: (name) => values.get(name) ?? '',
    body: typeof body === 'string' ? Buffer.from(body) : body,
  };
}

function makeService(generation: Generation, makeRequestId: () => string = randomUUID): Service {
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

function reply(service: Service, request: FakeRequest): Reply {
  const result = service.handle(request);
  return 'kind' in result ? result.finish(request.body) : result;
}

export function prepareService(generation: Generation): Prepared {
  const service = makeService(generation);
  const repeatable = makeService(generation, () => REQUEST_ID);
  const notes: string[] = [];
  const task = (title: string, requests: readonly BenchRequest[], status: number): Task => {
    notes.push(`${title}: ${requests.length} request(s)`);
    return askingAll(
      'Service.handle',
      title,
      requests.map(fakeRequest),
      (request) => reply(service, request).status,
      (request) => {
        const answer = reply(repeatable, request);
        if (answer.status !== status) throw new Error(`${title}: ${request.path} got ${answer.status}`);
        return answer.body;
      },
    );
  };
  const scenario = (name: ScenarioName, key: string): Scenario => makeScenario(name, generation, key);
  const names = SCENARIO_NAMES.filter((name) => !PROGRAM_SCENARIO_NAMES.includes(name));
  const tasks = names.map((name) => {
    const { title, requests, status } = scenario(name, FREE_KEY);
    return task(title, requests, status);
  });
  const limited = scenario('exists-hit', LIMITED_KEY);
  const unknown = scenario('exists-hit', UNKNOWN_KEY);
  return {
    notes,
    tasks: [
      ...tasks,
      task(`${limited.title}, key with a limit`, limited.requests, 200),
      task('exists with an unknown key', unknown.requests, 401),
    ],
  };
}

export function preparePage(generation: Generation): Prepared {
  const service = makeService(generation);
  const textOf = (request: FakeRequest): string => Buffer.from(reply(service, request).body).toString();
  const stringify = (page: unknown): string => JSON.stringify(page);
  const tasks = FORMS.flatMap(({ words, platform, query }) =>
    SIZES.flatMap((perPage): Task[] => {
      const { start, end } = generation.published(platform);
      const last = Math.floor((end - start) / perPage);
      const requests = Array.from({ length: PAGES }, (_, i) => {
        const page = Math.max(1, Math.round((last * (i + 1)) / PAGES));
        const path = `/all?per_page=${perPage}&page=${page}${query}`;
        return fakeRequest({ method: 'GET', path, headers: { pskey: FREE_KEY } });
      });
      const objects = requests.map((request): unknown => JSON.parse(textOf(request)));
      const asks = `page of ${perPage}${words}`;
      const write = (request: FakeRequest): number => reply(service, request).body.length;
      const rewrite = (page: unknown): number => Buffer.from(stringify(page)).length;
      return [
        askingAll('Service.handle', asks, requests, write, textOf),
        baseline(askingAll('JSON.stringify of records in memory', asks, objects, rewrite, stringify)),
      ];
    }),
  );
  return { notes: [`${PAGES} pages each, spread over the whole list`], tasks };
}
