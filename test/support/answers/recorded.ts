// A record of what every endpoint answered: some thousand requests over the synthetic sample, each with a
// hash of status, media type and body. It shows whether a refactoring changed an answer.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { KNOWN_FEED, readKnownFeed, readKnownLookups } from '../../../scripts/known-lookups/files.ts';
import type { FolderOwner } from '../folder.ts';
import { digestOf } from '../oracles/pinned.ts';
import { startServer, type TestServer } from '../serving/server.ts';
import { phrases } from '../words.ts';

const RECORD = fileURLToPath(new URL('../../fixtures/pinned/recorded-answers.tsv', import.meta.url));
const AT_A_TIME = 8;
const BATCH_ITEMS = 50;

/** Answers by request: `METHOD path`, for POST followed by a space and the body. */
export type Recorded = ReadonlyMap<string, string>;

export function readRecorded(): Recorded {
  const lines = readFileSync(RECORD, 'utf8').trimEnd().split('\n');
  // As they were written.
  return new Map(lines.map((line) => line.split('\t', 2).reverse() as [string, string]));
}

export function writeRecorded(recorded: Recorded): void {
  writeFileSync(RECORD, Array.from(recorded, ([request, answer]) => `${answer}\t${request}\n`).join(''));
}

function lookupRequests(): string[] {
  const lookups = readKnownLookups().map(({ q }) => q);
  const paths = lookups.map(
    ({ type, name, version }) =>
      `/product/${type}/${encodeURIComponent(name)}/${encodeURIComponent(version)}`,
  );
  const batches = Array.from({ length: Math.ceil(lookups.length / BATCH_ITEMS) }, (_, i) =>
    lookups.slice(i * BATCH_ITEMS, (i + 1) * BATCH_ITEMS),
  );
  return [
    ...paths.flatMap((path) => [`GET ${path}`, `GET ${path}/exists`, `GET ${path}?include=details&fix=true`]),
    ...batches.flatMap((items) => [
      `POST /batch ${JSON.stringify(items)}`,
      `POST /batch?fix=true&include=details ${JSON.stringify(items)}`,
      `POST /batch ${JSON.stringify(items.map((item) => ({ ...item, exists: true })))}`,
    ]),
  ];
}

function listingRequests(): string[] {
  const queries = ['', 'per_page=500', 'per_page=500&include=details', 'cursor=', 'cursor=djE6MTAyMA'];
  for (const perPage of [1, 7, 50]) {
    for (let page = 1; page <= 4; page++) queries.push(`per_page=${perPage}&page=${page}`);
  }
  const bad = [
    ...['page=0', 'page=x', 'page=1&cursor=', 'per_page=0', 'per_page=501', 'per_page=1&per_page=2'],
    ...['include=x', 'cursor=%00', 'cursor=djE6MQ==', 'platform=pypi', 'page=%zz', 'page=99999'],
  ];
  return ['all', 'latest'].flatMap((endpoint) =>
    ['wordpress', 'npm', 'NPM'].flatMap((platform) =>
      [...queries, ...bad].map((query) => `GET /${endpoint}?platform=${platform}&${query}`),
    ),
  );
}

function advisoryRequests(): string[] {
  const ids = readKnownFeed().map(({ id }) => String(id));
  return [...new Set([...ids, '1', 'x', '0', 'CVE-1999-1', '9'.repeat(20), '%zz'])].map(
    (id) => `GET /vulnerability/${id}`,
  );
}

const OTHERS = [
  ...['GET /', 'GET /healthz', 'GET /readyz', 'GET /nowhere', 'POST /all', 'GET /batch'],
  ...['HEAD /all', 'DELETE /latest', 'GET /product', 'GET /product/plugin', 'GET /product/pypi/a/1'],
  ...['GET /product/npm/@scope/pkg/1.0.0', 'GET /product/npm/a/1.0.0?fix=x&include=y', 'GET //all'],
  ...['GET /database/api/npm/all?per_page=1', 'GET /database/api/beta/product/plugin/a/1', 'POST /batch {}'],
  ...phrases(`
    POST /batch [ | POST /batch [] | POST /batch [1] | POST /batch [{"type":"x","name":"","version":1}]
  `),
];

async function ask(server: TestServer, request: string): Promise<string> {
  const [method, path, ...body] = request.split(' ');
  const { status, headers, text } = await server.request(path, {
    method,
    ...(method === 'POST' ? { body: body.join(' ') } : {}),
  });
  return `${status} ${headers.get('content-type') ?? '-'} ${digestOf(text)}`;
}

/** Sends all requests again. */
export async function recordAnswers(owner: FolderOwner): Promise<Recorded> {
  const server = await startServer(owner, { feeds: [KNOWN_FEED], transport: 'each' });
  const requests = [...lookupRequests(), ...listingRequests(), ...advisoryRequests(), ...OTHERS];
  const answers = new Map<string, string>(requests.map((request) => [request, '']));
  const left = [...answers.keys()];
  const worker = async (): Promise<void> => {
    for (let request = left.pop(); request !== undefined; request = left.pop()) {
      answers.set(request, await ask(server, request));
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  return answers;
}
