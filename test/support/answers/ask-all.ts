// Queries every endpoint of every dialect about everything in a generation, through the service and without a
// socket. No reply may be a 500 but for a fault of the snapshot, and each must be in valid UTF-8 and, if it
// is JSON, have the shape that the OpenAPI document gives it. Its texts and numbers are not checked: a forger
// is free to lie.

import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { buildKeyTable } from '../../../src/access/key-table.ts';
import { type KeysFile, shippedTiers } from '../../../src/access/keys-file.ts';
import { DIALECTS, ENDPOINTS } from '../../../src/dialects/dialects.ts';
import { MAX_COORDINATES, readCoordinate } from '../../../src/dialects/oss-index/coordinates.ts';
import { HELD_ECOSYSTEMS, packageOf } from '../../../src/dialects/osv/ecosystems.ts';
import { recordsOf } from '../../../src/dialects/osv/records.ts';
import { KeyRing } from '../../../src/http/callers/auth.ts';
import { RateLimiter, RateLimiterTable } from '../../../src/http/callers/rate-limit.ts';
import { prepareFiles } from '../../../src/http/replies/answer-prepared.ts';
import type { PreparedSet } from '../../../src/http/replies/prepared-files.ts';
import type { Reply } from '../../../src/http/replies/responses.ts';
import { Service } from '../../../src/http/service.ts';
import type { RequestView } from '../../../src/http/transport/request-view.ts';
import type { Generation } from '../../../src/index/generation.ts';
import { formatPsid } from '../../../src/index/lookup/alias-table.ts';
import { PLATFORMS, PRODUCT_TYPES, type ProductType } from '../../../src/index/product-type.ts';
import { SnapshotError } from '../../../src/loader/errors.ts';
import { packageUrl } from '../package-url.ts';
import { absolute, findPathItem, openApiDocument, resolve } from '../serving/openapi.ts';
import { replyOf } from '../serving/reply-of.ts';
import { keyRecord } from '../serving/server.ts';
import { BUILT_AT_MS } from '../snapshots/snapshots.ts';

const KEY = 'asks-all';
const VERSIONS = ['*', '0.1', '1.1', '2.3.0', '1.0.0-rc.1'];
const LISTINGS = ['', '&include=details', '&per_page=2&page=2', '&cursor=&per_page=3'];
const MOST_OF_EACH = 12; // advisories, products, aliases
const OWN_VERSIONS = 4;
const FLAT = '/database/api/v2';
const AUDITS = '/-/npm/v1/security';

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });
const laxUtf8 = new TextDecoder();

/**
 * Queries with the tier that may use everything. Throws AssertionError with the request that got a bad reply,
 * and the SnapshotError that made one a 500.
 */
export class Asker {
  #generation: Generation | undefined;
  #prepared: PreparedSet | undefined;
  #error: unknown;
  readonly #service: Service;
  /** The ids of the operations that answered 200 at least once. */
  readonly answered = new Set<string>();

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
    this.#prepared = { snapshot: generation.id, files: prepareFiles(DIALECTS, generation) };
    const paths = pathsOf(generation);
    for (const path of paths) this.#ask('GET', path);
    const bodies = bodiesOf(generation);
    for (const [path, body] of bodies) {
      this.#ask('POST', path, typeof body === 'string' ? body : JSON.stringify(body));
    }
    return paths.length + bodies.length;
  }

  #ask(method: string, path: string, body = ''): void {
    const answer = this.#service.handle(requestOf(method, path));
    const reply = replyOf(answer, Buffer.from(body));
    const label = `${method} ${path} ${body}`;
    if (reply.status === 500 && this.#error instanceof SnapshotError) throw this.#error;
    assert.notEqual(reply.status, 500, `${label}: ${(this.#error as Error | undefined)?.stack}`);
    const { id, mediaType, isOfShape } = expectationOf(path, method);
    if (reply.status === 200) this.answered.add(id);
    if (/zip$/.test(mediaType)) return;
    const text = textOf(path, reply);
    if (reply.status === 200 && mediaType !== 'application/json') return;
    const value: unknown = JSON.parse(text);
    if (reply.status !== 200) return;
    assert.ok(isOfShape(value), `${label}: ${JSON.stringify(isOfShape.errors)}\n${JSON.stringify(value)}`);
  }
}

/** The schema keywords that constrain the value of a text or a number. */
const MEANINGS = ['format', 'pattern', 'minimum', 'maximum', 'minLength', 'maxLength'];
const ajv = new Ajv2020({ strict: false });
ajv.addSchema(shapeOnly(absolute({ $defs: openApiDocument.components.schemas })), 'schemas.json');

function shapeOnly(schema: unknown): object {
  return JSON.parse(JSON.stringify(schema, (name, value) => (MEANINGS.includes(name) ? undefined : value)));
}

/** A 200 to a request. */
interface Expectation {
  /** Of the operation. */
  readonly id: string;
  readonly mediaType: string;
  readonly isOfShape: ValidateFunction;
}

/** By method and template. */
const expectations = new Map<string, Expectation>();

function expectationOf(path: string, method: string): Expectation {
  const found = findPathItem(path);
  assert.ok(found !== undefined, path);
  const asked = `${method} ${found.template}`;
  const known = expectations.get(asked);
  if (known !== undefined) return known;
  const operation = method === 'POST' ? found.item.post : found.item.get;
  assert.ok(operation !== undefined, path);
  const [[mediaType, { schema }]] = Object.entries(resolve(operation.responses[200]).content ?? {});
  const isOfShape = ajv.compile(shapeOnly(absolute(schema)));
  const expectation = { id: operation.operationId, mediaType, isOfShape };
  expectations.set(asked, expectation);
  return expectation;
}

function requestOf(method: string, target: string): RequestView {
  const [path, query = ''] = target.split('?');
  const header = (name: string): string => (name === 'pskey' ? KEY : '');
  const list = (name: string): string => (name === 'host' ? 'vulndex.example' : header(name));
  return { method, path, query, address: '127.0.0.1', header, list };
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
  const aliases = textsOf(columns.aliasText, columns.aliasStart, MOST_OF_EACH);
  const products = productsOf(generation);
  const versions = versionsOf(generation);
  const records = recordsOf(generation);
  const recordIds = ordinals.map((ordinal) => part(records.idOf(ordinal)));
  const contract = [
    ...['all', 'latest'].flatMap((endpoint) =>
      PLATFORMS.flatMap((platform) => LISTINGS.map((more) => `/${endpoint}?platform=${platform}${more}`)),
    ),
    ...ordinals.map((ordinal) => `/vulnerability/${generation.idAt(ordinal)}`),
    ...ordinals.map((ordinal) => `/vulnerability/${formatPsid(columns.advisoryPsid[ordinal])}`),
    ...aliases.map((alias) => `/vulnerability/${part(alias)}`),
    ...products.flatMap(({ type, name }) =>
      versions.flatMap((version) => {
        const path = `/product/${type}/${part(name)}/${part(version)}`;
        return [path, `${path}?include=details`, `${path}/exists`];
      }),
    ),
  ];
  return [
    ...contract,
    ...contract.map((path) => FLAT + path),
    ...PLATFORMS.map((platform) => `/changes?platform=${platform}&since=${generation.id}`),
    '/statistics',
    ...PRODUCT_TYPES.map((type) => `/products?type=${type}&limit=20`),
    ...products.flatMap(({ type, name }) =>
      versions.map((version) => `/explain/${type}/${part(name)}/${part(version)}`),
    ),
    ...[...recordIds, ...aliases.map(part)].map((id) => `/osv/v1/vulns/${id}`),
    '/osv/ecosystems.txt',
    '/osv/modified_id.csv',
    '/osv/all.zip',
    ...HELD_ECOSYSTEMS.flatMap((ecosystem) => [
      `/osv/${ecosystem}/all.zip`,
      `/osv/${ecosystem}/modified_id.csv`,
      ...recordIds.map((id) => `/osv/${ecosystem}/${id}.json`),
    ]),
    ...['db', 'modules', 'vulns'].flatMap((name) => [
      `/govulndb/index/${name}.json`,
      `/govulndb/index/${name}.json.gz`,
    ]),
    '/govulndb/index.json',
    ...recordIds.map((id) => `/govulndb/ID/${id}.json`),
    ...products.map(({ name }) => `/govulndb/${part(escapedCapitals(name))}.json`),
    '/composer/packages.json',
    '/nuget/v3/index.json',
    '/nuget/v3/vulnerabilities/index.json',
    ...['base', 'update'].map((page) => `/nuget/v3/vulnerabilities/0/${page}.json`),
    `/composer/api/security-advisories?${formOf(products.map(({ name }) => name))}`,
    '/wordfence/v3/vulnerabilities/production',
    '/wordfence/v3/vulnerabilities/scanner',
    ...products.flatMap(({ type, name }) => {
      if (type === 'plugin' || type === 'theme') return [`/wpscan/api/v3/${type}s/${part(name)}`];
      return type === 'wordpress'
        ? ['49', '411', '5'].map((core) => `/wpscan/api/v3/wordpresses/${core}`)
        : [];
    }),
  ];
}

/** As Go writes a module's path in the name of a file. */
function escapedCapitals(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`);
}

function bodiesOf(generation: Generation): readonly (readonly [path: string, body: unknown])[] {
  const products = productsOf(generation);
  const versions = versionsOf(generation);
  const items = products.flatMap(({ type, name }) => VERSIONS.map((version) => ({ type, name, version })));
  const packages = products.filter(({ type }) => type === 'npm');
  const bulk = Object.fromEntries(packages.map(({ name }) => [name, versions]));
  const trees = versions.map((version) => ({
    name: 'root',
    version: '1.0.0',
    requires: {},
    dependencies: Object.fromEntries(packages.map(({ name }) => [name, { version }])),
  }));
  const queries = products.flatMap(({ type, name }) =>
    versions.map((version) => ({ package: packageOf(type, name), version })),
  );
  return [
    ...['/batch', '/batch?include=details', `${FLAT}/batch`].map(
      (path) => [path, items.slice(0, 50)] as const,
    ),
    [`${AUDITS}/advisories/bulk`, bulk],
    ...trees.flatMap((tree) => [
      [`${AUDITS}/audits/quick`, tree] as const,
      [`${AUDITS}/audits`, tree] as const,
    ]),
    // A forged snapshot may call anything a package of Composer.
    ['/composer/api/security-advisories', formOf(products.map(({ name }) => name))],
    ['/composer/api/filter', { packages: products.map(({ name }) => name), lists: ['malware'] }],
    ...queries.map((query) => ['/osv/v1/query', query] as const),
    ...versions.map((version) => batchOf(queries.filter((query) => query.version === version))),
    ...versions.map((version) => reportOf(products.map(({ type, name }) => packageUrl(type, name, version)))),
  ];
}

/** As PHP writes a list. */
function formOf(names: readonly string[]): string {
  return names
    .map((name, i) => `packages[${i}]=${encodeURIComponent(Buffer.from(name).toString())}`)
    .join('&');
}

/** A batch with a version that cannot be read is refused as a whole. */
function batchOf(queries: readonly object[]): readonly [path: string, body: unknown] {
  return ['/osv/v1/querybatch', { queries }];
}

/** Names that a type cannot have refuse the whole request. */
function reportOf(purls: readonly string[]): readonly [path: string, body: unknown] {
  const coordinates = purls.filter((purl) => typeof readCoordinate(purl) !== 'string');
  return ['/oss-index/api/v3/component-report', { coordinates: coordinates.slice(0, MAX_COORDINATES) }];
}

function textsOf(pool: Uint8Array, starts: Uint32Array, most: number): string[] {
  return Array.from({ length: Math.min(most, starts.length - 1) }, (_, i) =>
    laxUtf8.decode(pool.slice(starts[i], starts[i + 1])),
  );
}

/** Some of everybody's versions, and some of the snapshot's own. */
function versionsOf({ parts: { columns } }: Generation): string[] {
  return [...VERSIONS, ...textsOf(columns.versionText, columns.versionTextStart, OWN_VERSIONS)];
}

function productsOf({ parts }: Generation): readonly { readonly type: ProductType; readonly name: string }[] {
  const { productType, productSlug, productSlugStart } = parts.columns;
  return textsOf(productSlug, productSlugStart, MOST_OF_EACH).map((name, product) => ({
    type: PRODUCT_TYPES[productType[product]],
    name,
  }));
}
