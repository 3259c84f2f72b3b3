// A small dialect beside the contract, served over a socket: errors in one line of text, a key in a header of
// its own, a count of advisories, an echo of a body, and a few files.

import { type IncomingMessage, request } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { buildKeyTable } from '../../../src/access/key-table.ts';
import type { KeysFile } from '../../../src/access/keys-file.ts';
import { patchstack } from '../../../src/dialects/patchstack/patchstack.ts';
import { KeyRing } from '../../../src/http/callers/auth.ts';
import { RateLimiter, RateLimiterTable } from '../../../src/http/callers/rate-limit.ts';
import { SILENT_OBSERVER } from '../../../src/http/observer.ts';
import type { DescribedOperation, Description } from '../../../src/http/openapi/model.ts';
import { answerPrepared, notYetPrepared } from '../../../src/http/replies/answer-prepared.ts';
import { corsPolicy } from '../../../src/http/replies/cors.ts';
import type { PreparedSet } from '../../../src/http/replies/prepared-files.ts';
import { serviceProblem } from '../../../src/http/replies/problems.ts';
import { json, refuse } from '../../../src/http/replies/responses.ts';
import { makeStaticFiles } from '../../../src/http/replies/static-files.ts';
import type { Dialect } from '../../../src/http/routing/dialect.ts';
import { Service } from '../../../src/http/service.ts';
import type { TransportKind } from '../../../src/http/transport/transport.ts';
import { createTransport } from '../../../src/http/transport/transports.ts';
import type { Generation } from '../../../src/index/generation.ts';
import type { FolderOwner } from '../folder.ts';
import { coreAdvisory, generationOf } from '../snapshots/generation.ts';
import { keyRecord } from './server.ts';

const NOW_MS = Date.UTC(2026, 0, 10);
export const ORIGIN = 'https://page.example';
/** More than a socket takes at once. */
export const PICTURE = new Uint8Array(9_000_000).map((_, i) => (i * 31) ^ (i >> 8));

const files = makeStaticFiles([
  { path: '/', contentType: 'text/html; charset=utf-8', bytes: Buffer.from('<!doctype html><p>Toys…') },
  { path: '/parts/toy.js', contentType: 'text/javascript', bytes: Buffer.from('export const toys = 2;\n') },
  { path: '/picture', contentType: 'image/png', bytes: PICTURE },
  { path: '/empty.txt', contentType: 'text/plain', bytes: new Uint8Array(0) },
]);

/** Of a file that is there in three codings. */
export const SHEET = Buffer.from('.toy { color: red }\n'.repeat(5_000));

const album = makeStaticFiles(
  [
    { path: '/', contentType: 'text/html', bytes: Buffer.from('<!doctype html><p>Album') },
    {
      path: '/sheet-1A2B3C4D.css',
      contentType: 'text/css',
      bytes: SHEET,
      br: brotliCompressSync(SHEET),
      gzip: gzipSync(SHEET),
      isForever: true,
    },
    { path: '/half.txt', contentType: 'text/plain', bytes: SHEET, gzip: gzipSync(SHEET) },
  ],
  [['X-Toys', 'album']],
);

const TEXT = { type: 'string' };

function described(operationId: string): DescribedOperation {
  const responses = { '200': { description: 'The answer.' } };
  return { operationId, summary: operationId, description: `${operationId}.`, responses };
}

const TOYS: Description = {
  info: { description: 'And toys.' },
  tags: [{ name: 'toys', description: 'Toys.' }],
  security: [{ ToyKey: [] }],
  paths: {
    '/counts/{platform}': { get: described('countToys') },
    '/echo': { post: described('echoToys') },
    '/file/{name}': { get: described('getToyFile') },
  },
  components: {
    securitySchemes: {
      ToyKey: { type: 'apiKey', in: 'header', name: 'Toy-Key', description: 'The key of the toys.' },
    },
  },
};

export const toy = {
  name: 'toy',
  mounts: [
    { path: '/toy/v1', description: 'The toy.' },
    { path: '/old-toy', description: 'Its previous path.' },
  ],
  keys: {
    headers: ['Toy-Key'],
    read: (request) => request.header('toy-key'),
    advice: 'Bring a Toy-Key.',
    challenge: 'Toy',
  },
  routes: [
    {
      kind: 'read',
      pattern: '/counts/{platform}',
      endpoint: 'counts',
      label: 'toy-counts',
      answer: (_, [platform], { generation }) => json(`{"${platform}":${generation.publishedCount}}`, null),
    },
    {
      kind: 'body',
      pattern: '/echo',
      endpoint: 'batch',
      label: 'toy-echo',
      maxBodyBytes: 8,
      tooLarge: 'Eight bytes at most.',
      *answer(query, _, body, __, admit) {
        yield;
        return admit(body.length) ?? json(`"${query} ${Buffer.from(body)}"`, null);
      },
    },
    { kind: 'files', pattern: '/page', label: 'toy-page', files },
    {
      kind: 'files',
      pattern: '/our/album',
      label: 'toy-album',
      files: album,
      isFolder: true,
      absence: 'No such picture.',
    },
  ],
  renderError: ({ status, code, detail }, requestId) => ({
    status: status === 401 ? 403 : status,
    contentType: 'text/plain',
    body: `${code} (${requestId}): ${detail}`,
  }),
  openApi: { describe: () => TOYS, errors: { prefix: 'Toy', mediaType: 'text/plain', schema: () => TEXT } },
} satisfies Dialect;

/** Bytes of the toy's prepared file beyond its first line: more than a socket takes at once. */
export const FILE_BYTES = 20_000_000;

/** The same with two prepared files, of which it serves the first at /file/{name}. */
export const toyWithFiles: Dialect = {
  ...toy,
  routes: [
    ...toy.routes,
    {
      kind: 'read',
      pattern: '/file/{name}',
      endpoint: 'counts',
      label: 'toy-file',
      answer: (request, [name], { prepared }) => {
        if (prepared === undefined) return notYetPrepared();
        const file = prepared.get(`toy/${name}`);
        return file === undefined
          ? refuse(serviceProblem('not_found', 'No such file.'))
          : answerPrepared(request, file);
      },
    },
  ],
  prepare: function* (generation) {
    const text = Buffer.alloc(FILE_BYTES, `${generation.publishedCount} toys\n`.padEnd(4_096, generation.id));
    const etag = `"${generation.id}.toy"`;
    const common = { contentType: 'text/plain', etag, headers: [['X-Toys', 'yes']] } as const;
    yield ['toy/all.txt', { ...common, plain: text, gzip: gzipSync(text, { level: 1 }) }];
    yield ['toy/none.zip', { ...common, plain: new Uint8Array(0), gzip: undefined }];
  },
};

const tiers: KeysFile['tiers'] = {
  all: { endpoints: ['all', 'counts', 'batch'], rate: { limit: 3, window_seconds: 30 }, batch_cost: 'item' },
  none: { endpoints: ['exists'], rate: null },
};

export interface ToyReply {
  readonly status: number;
  /** The headers as sent, each as `\r\nName: value`. */
  readonly head: string;
  readonly body: Buffer;
  /** Its label in metrics and logs. */
  readonly label: string;
}

export type Ask = (
  method: string,
  target: string,
  headers?: Readonly<Record<string, string>>,
  body?: string,
) => Promise<ToyReply>;

export interface ToyOptions {
  /** In place of the toy without prepared files. */
  readonly dialect?: Dialect;
  readonly prepared?: (generation: Generation) => PreparedSet | undefined;
}

/** Serves the contract and the toy with fresh quotas, for keys `good` and `poor`. One request at a time. */
export async function serveToy(
  owner: FolderOwner,
  kind: TransportKind,
  { dialect = toy, prepared = () => undefined }: ToyOptions = {},
): Promise<Ask> {
  const generation = await generationOf(owner, [coreAdvisory(1), coreAdvisory(2)]);
  const file: KeysFile = { tiers, keys: [keyRecord('good', 'all'), keyRecord('poor', 'none')] };
  const limits = new RateLimiterTable();
  const ring = new KeyRing(buildKeyTable(file, limits.slotsOf(file)));
  const service = new Service({
    dialects: [patchstack, dialect],
    generation: () => generation,
    prepared: () => prepared(generation),
    keys: () => ring,
    limiter: new RateLimiter(limits.memory),
    readiness: () => ({ kind: 'ready' }),
    isClosing: () => false,
    latestAnchor: 'snapshot',
    cors: corsPolicy([ORIGIN]),
    nowMs: () => NOW_MS,
    makeRequestId: () => 'made-up',
    onInternalError: (error) => {
      throw error;
    },
  });
  let label = '';
  const observer = {
    ...SILENT_OBSERVER,
    ended: (counted: string) => {
      label = counted;
    },
  };
  const transport = await createTransport(kind, { service, host: '127.0.0.1', port: 0, observer });
  owner.after(() => transport.close());
  await transport.startListening();
  const { port } = transport;
  return async (method, path, headers = {}, body = '') => {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      // Not fetch: it normalises paths and writes header names in lower case.
      const sent = request({ host: '127.0.0.1', port, method, path, headers }, resolve);
      sent.once('error', reject);
      sent.end(body);
    });
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    const { rawHeaders } = response;
    const head = rawHeaders.map((text, i) => (i % 2 === 0 ? `\r\n${text}` : `: ${text}`)).join('');
    return { status: response.statusCode ?? 0, head, body: Buffer.concat(chunks), label };
  };
}
