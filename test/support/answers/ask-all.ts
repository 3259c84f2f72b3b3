// Queries every endpoint about everything in a generation, through the service and without a socket. No reply may be a
// 500, and each must be JSON in valid UTF-8 with the shape that the OpenAPI document gives it. Its texts and numbers
// are not checked: a forger is free to lie.

import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { buildKeyTable } from '../../../src/access/key-table.ts';
import { type KeysFile, shippedTiers } from '../../../src/access/keys-file.ts';
import { DIALECTS, ENDPOINTS } from '../../../src/dialects/dialects.ts';
import { patchstack } from '../../../src/dialects/patchstack/patchstack.ts';
import { KeyRing } from '../../../src/http/callers/auth.ts';
import { RateLimiter, RateLimiterTable } from '../../../src/http/callers/rate-limit.ts';
import { prepareFiles } from '../../../src/http/replies/answer-prepared.ts';
import type { PreparedSet } from '../../../src/http/replies/prepared-files.ts';
import type { Reply } from '../../../src/http/replies/responses.ts';
import type { RequestView } from '../../../src/http/request-view.ts';
import { Service } from '../../../src/http/service.ts';
import type { Generation } from '../../../src/index/generation.ts';
import { formatPsid } from '../../../src/index/lookup/alias-table.ts';
import { PLATFORMS, PRODUCT_TYPES } from '../../../src/index/product-type.ts';
import { absolute, findPathItem, openApiDocument, resolve } from '../serving/openapi.ts';
import { replyOf } from '../serving/reply-of.ts';
import { keyRecord } from '../serving/server.ts';
import { BUILT_AT_MS } from '../snapshots/snapshots.ts';

const KEY = 'asks-all';
const VERSIONS = ['*', '0.1', '1.1', '2.3.0', '1.0.0-rc.1'];
const LISTINGS = ['', '&include=details', '&per_page=2&page=2', '&cursor=&per_page=3'];
const MOST_OF_EACH = 12; // advisories, products, aliases
const OWN_VERSIONS = 4;

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });
const laxUtf8 = new TextDecoder();

/** Queries with the tier that may use everything. Throws AssertionError with the request that got a bad reply. */
export class Asker {
  #generation: Generation | undefined;
  #prepared: PreparedSet | undefined;
  #error: unknown;
  readonly #service: Service;

  constructor() {
    const file: KeysFile = { tiers: shippedTiers(ENDPOINTS), keys: [keyRecord(KEY, 'partner')] };
    const limits = new RateLimiterTable();
    const ring = new KeyRing(buildKeyTable(file, limits.slotsOf(file)));
    let nowMs = BUILT_AT_MS;
    this.#service = new Service({
      dialects: DIALECTS,
      generation: () => this.#generation,
      prepared: () => this.#prepared,
      keys: () => ring,
      limiter: new RateLimiter(limits.memory),
      readiness: () => ({ kind: 'ready' }),
      isClosing: () => false,
      latestAnchor: 'snapshot',
      nowMs: () => (nowMs += 60_000), // no quota is ever exhausted
      makeRequestId: () => 'asked',
      onInternalError: (error) => {
        this.#error = error;
      },
    });
  }

  /** Returns the number of replies. */
  askAll(generation: Generation): number {
    this.#generation = generation;
    this.#prepared = { snapshot: generation.id, files: prepareFiles([patchstack], generation) };
    const paths = pathsOf(generation);
    for (const path of paths) this.#ask('GET', path);
    const items = productsOf(generation).flatMap(({ type, name }) =>
      VERSIONS.map((version) => ({ type, name, version })),
    );
    for (const query of ['', '?include=details']) {
      this.#ask('POST', `/batch${query}`, JSON.stringify(items.slice(0, 50)));
    }
    return paths.length + 2;
  }

  #ask(method: string, path: string, body = ''): void {
    const answer = this.#service.handle(requestOf(method, path));
    const reply = replyOf(answer, Buffer.from(body));
    assert.notEqual(reply.status, 500, `${method} ${path}: ${(this.#error as Error | undefined)?.stack}`);
    const value: unknown = JSON.parse(textOf(path, reply));
    if (reply.status !== 200) return;
    const isOfShape = shapeOf(path, method);
    assert.ok(
      isOfShape(value),
      `${method} ${path}: ${JSON.stringify(isOfShape.errors)}\n${JSON.stringify(value)}`,
    );
  }
}

/** The schema keywords that constrain the value of a text or a number. */
const MEANINGS = ['format', 'pattern', 'minimum', 'maximum', 'minLength', 'maxLength'];
const ajv = new Ajv2020({ strict: false });
ajv.addSchema(shapeOnly(absolute({ $defs: openApiDocument.components.schemas })), 'schemas.json');
const shapes = new Map<string, ValidateFunction>();

function shapeOnly(schema: unknown): object {
  return JSON.parse(JSON.stringify(schema, (name, value) => (MEANINGS.includes(name) ? undefined : value)));
}

/** The schema of a 200 to this request. */
function shapeOf(path: string, method: string): ValidateFunction {
  const found = findPathItem(path);
  assert.ok(found !== undefined, path);
  const known = shapes.get(found.template);
  if (known !== undefined) return known;
  const operation = method === 'POST' ? found.item.post : found.item.get;
  assert.ok(operation !== undefined, path);
  const [content] = Object.values(resolve(operation.responses[200]).content ?? {});
  const shape = ajv.compile(shapeOnly(absolute(content.schema)));
  shapes.set(found.template, shape);
  return shape;
}

function requestOf(method: string, target: string): RequestView {
  const [path, query = ''] = target.split('?');
  const header = (name: string): string => (name === 'pskey' ? KEY : '');
  return { method, path, query, address: '127.0.0.1', header, list: header };
}

function textOf(path: string, { body }: Reply): string {
  if (typeof body === 'string') return body;
  try {
    return strictUtf8.decode(Uint8Array.from(body));
  } catch {
    return assert.fail(`${path}: the reply is not UTF-8`);
  }
}

function pathsOf(generation: Generation): string[] {
  const { columns } = generation.parts;
  const part = encodeURIComponent;
  const ordinals = Array.from(columns.advisoryId.keys()).slice(0, MOST_OF_EACH);
  const texts = (pool: Uint8Array, starts: Uint32Array, most: number): string[] =>
    Array.from({ length: Math.min(most, starts.length - 1) }, (_, i) =>
      laxUtf8.decode(pool.slice(starts[i], starts[i + 1])),
    );
  const versions = [...VERSIONS, ...texts(columns.versionText, columns.versionTextStart, OWN_VERSIONS)];
  return [
    ...['all', 'latest'].flatMap((endpoint) =>
      PLATFORMS.flatMap((platform) => LISTINGS.map((more) => `/${endpoint}?platform=${platform}${more}`)),
    ),
    ...PLATFORMS.map((platform) => `/changes?platform=${platform}&since=${generation.id}`),
    '/statistics',
    ...PRODUCT_TYPES.map((type) => `/products?type=${type}&limit=20`),
    ...ordinals.map((ordinal) => `/vulnerability/${generation.idAt(ordinal)}`),
    ...ordinals.map((ordinal) => `/vulnerability/${formatPsid(columns.advisoryPsid[ordinal])}`),
    ...texts(columns.aliasText, columns.aliasStart, MOST_OF_EACH).map(
      (alias) => `/vulnerability/${part(alias)}`,
    ),
    ...productsOf(generation).flatMap(({ type, name }) =>
      versions.flatMap((version) => {
        const path = `/product/${type}/${part(name)}/${part(version)}`;
        return [path, `${path}?include=details`, `${path}/exists`, path.replace('/product', '/explain')];
      }),
    ),
  ];
}

function productsOf({ parts }: Generation): readonly { readonly type: string; readonly name: string }[] {
  const { productType, productSlug, productSlugStart } = parts.columns;
  return Array.from(productType.subarray(0, MOST_OF_EACH), (type, product) => ({
    type: PRODUCT_TYPES[type],
    name: laxUtf8.decode(productSlug.slice(productSlugStart[product], productSlugStart[product + 1])),
  }));
}
