// The OpenAPI 3.1 document, served at /openapi.json: the descriptions of all dialects in one. Each has an
// openapi.json in its folder; added here is what every operation of its route's kind has: parameters, headers
// and the refusals of the service (shared.json), in the dialect's format of errors. Tests check every reply
// against the document.
//
// The first dialect's mounts are the document's servers, so its paths are listed without a mount. A path of
// another dialect begins with that dialect's first mount, and its server is the root.

import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { gzipSync } from 'node:zlib';
import { UPPER_BOUNDS } from '../../index/lookup/interval.ts';
import { PRODUCT_TYPE_TABLE, PRODUCT_TYPES } from '../../index/product-type.ts';
import { VERSION_SCHEMES } from '../../index/versions/version-key.ts';
import { makeStaticFiles, type StaticFile } from '../replies/static-files.ts';
import { type ApiRoute, type Dialect, methodsOf, type Route } from '../routing/dialect.ts';
import {
  type Components,
  type DescribedOperation,
  type DescribedResponse,
  describedIn,
  type ErrorFormat,
  type OpenApiDocument,
  type OpenApiPart,
  type Operation,
  type PathItem,
  type Ref,
  type Response,
  type Schema,
  type Server,
  type Tag,
} from './model.ts';

export const VERSION = '0.1.0';
const CONTENT_TYPE = 'application/json';

const ROOT: Server = { url: '/', description: 'The service’s own root.' };
/** Either way to send a key. */
const KEY_SECURITY = [{ PSKey: [] }, { Bearer: [] }];

/** As `words` of a dialect, for the schemas of shared.json. */
const SHARED_WORDS = {
  ProductType: PRODUCT_TYPES,
  ProductTypeLabel: PRODUCT_TYPE_TABLE.map(({ label }) => label),
  CountsByType: PRODUCT_TYPES,
  VersionScheme: VERSION_SCHEMES,
  UpperBound: UPPER_BOUNDS,
};

const describeShared = describedIn(new URL('./shared.json', import.meta.url));

/** Requires: at least one dialect; components with the same name in two of them are equal. */
export function openApiDocument(dialects: readonly Dialect[]): OpenApiDocument {
  const [first] = dialects;
  const parts = dialects.flatMap(({ openApi }) => openApi?.describe() ?? []);
  const paths: { [template: string]: PathItem } = {};
  for (const dialect of dialects) {
    for (const [pattern, item] of itemsOf(dialect)) {
      const template = dialect === first ? pattern : dialect.mounts[0].path + pattern;
      paths[template] = { ...(dialect === first ? {} : { servers: [ROOT] }), ...paths[template], ...item };
    }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'vulndex',
      version: VERSION,
      description: parts.map(({ info }) => info.description).join('\n\n'),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: first.mounts.map(({ path, description }) => ({ url: path === '' ? '/' : path, description })),
    security: parts[0].security ?? KEY_SECURITY,
    tags: parts.flatMap(({ tags }) => tags).filter(isUsedIn(paths)),
    paths,
    components: reached({ paths, more: dialects.flatMap(elsewhere) }, allComponents(dialects)),
  };
}

/** The document as it is sent. */
export function openApiFile(dialects: readonly Dialect[]): StaticFile {
  const bytes = Buffer.from(JSON.stringify(openApiDocument(dialects)));
  const path = '/';
  const files = makeStaticFiles([{ path, contentType: CONTENT_TYPE, bytes, gzip: gzipSync(bytes) }]);
  return files.get(path) as StaticFile; // the only one
}

function describedAt(route: Route, { describe }: OpenApiPart): DescribedOperation | undefined {
  if (route.kind === 'files' || route.kind === 'rest') return undefined;
  return describe().paths[route.pattern]?.[methodOf(route)];
}

function methodOf(route: ApiRoute): 'get' | 'post' {
  return methodsOf(route) === 'POST' ? 'post' : 'get';
}

function itemsOf(dialect: Dialect): readonly (readonly [pattern: string, item: PathItem])[] {
  const { openApi, routes } = dialect;
  if (openApi === undefined) return [];
  return routes.flatMap((route) => {
    const operation = describedAt(route, openApi);
    if (operation === undefined) return [];
    const { pattern, kind } = route as ApiRoute; // others are not described
    return [[pattern, { [methodOf(route as ApiRoute)]: operationOf(kind, operation, openApi) }]];
  });
}

/** What replies of one kind of route have in common. */
interface Kind {
  /** Names of parameters in shared.json. */
  readonly parameters: readonly string[];
  /** Of successful answers. */
  readonly headers: NonNullable<Response['headers']>;
  /** Names of responses in shared.json, by status. */
  readonly refusals: Readonly<Record<string, string>>;
}

const refTo = (kind: keyof Components, name: string): Ref => ({ $ref: `#/components/${kind}/${name}` });
const headerRefs = (names: Readonly<Record<string, string>>): Readonly<Record<string, Ref>> =>
  Object.fromEntries(Object.entries(names).map(([header, name]) => [header, refTo('headers', name)]));

const ECHOED = headerRefs({ 'X-Request-Id': 'EchoedRequestId' });
const LIMITS = headerRefs({
  RateLimit: 'RateLimit',
  'RateLimit-Policy': 'RateLimitPolicy',
  Warning: 'Warning',
});
const FROM_DATA = headerRefs({
  'Cache-Control': 'CacheControl',
  'Vulndex-Snapshot': 'Snapshot',
  'Vulndex-Unknown-Ecosystems': 'UnknownEcosystems',
  'Vulndex-Ignored-Version-Parts': 'IgnoredVersionParts',
});
const ALWAYS_REFUSED = { 405: 'MethodNotAllowed', 500: 'InternalError' };
const KEYED = {
  ...ALWAYS_REFUSED,
  401: 'Unauthenticated',
  403: 'Forbidden',
  429: 'RateLimited',
  503: 'Unavailable',
};
const PINNED = { ...KEYED, 412: 'UnknownSnapshot', 422: 'InvalidSnapshot' };

const OPEN: Kind = { parameters: ['RequestId'], headers: ECHOED, refusals: ALWAYS_REFUSED };
const ORDER: Kind = { parameters: ['RequestId'], headers: { ...ECHOED, ...LIMITS }, refusals: KEYED };
const PROCESS: Kind = { ...ORDER, headers: { ...ECHOED, ...LIMITS, ...FROM_DATA } };
const BODY: Kind = { ...PROCESS, parameters: ['Snapshot', 'RequestId'], refusals: PINNED };
const READ: Kind = {
  parameters: ['Snapshot', 'IfNoneMatch', 'RequestId'],
  headers: { ...BODY.headers, ...headerRefs({ ETag: 'ETag' }) },
  refusals: { ...PINNED, 304: 'NotModified' },
};
const KINDS: Readonly<Record<ApiRoute['kind'], Kind>> = {
  open: OPEN,
  order: ORDER,
  process: PROCESS,
  body: BODY,
  'long-read': READ,
  read: READ,
};

/** The operation with what its route's kind has; its own statuses win. */
function operationOf(
  routeKind: ApiRoute['kind'],
  { 'x-untagged': isUntagged, ...described }: DescribedOperation,
  part: OpenApiPart,
): Operation {
  const { parameters, headers, refusals } = isUntagged === true ? BODY : KINDS[routeKind];
  const { tags, security } = part.describe();
  const shared = Object.entries(refusals).map(
    ([status, name]) => [status, refTo('responses', name)] as const,
  );
  const limits = routeKind === 'open' ? {} : LIMITS;
  const responses = Object.entries({ ...Object.fromEntries(shared), ...described.responses }).map(
    ([status, response]) => [
      status,
      '$ref' in response
        ? localRef(response, part.errors)
        : responseOf(response, part.errors, headers, limits),
    ],
  );
  return {
    ...(routeKind === 'open' ? { security: [] } : { security: security ?? KEY_SECURITY }),
    tags: [tags[0].name],
    ...described,
    parameters: [...(described.parameters ?? []), ...parameters.map((name) => refTo('parameters', name))],
    ...(described.requestBody === undefined ? {} : { requestBody: closed(described.requestBody) }),
    responses: Object.fromEntries(responses),
  };
}

/** With the headers of its kind: an answer with those of `headers`, a refusal with `limits`. */
function responseOf(
  response: DescribedResponse,
  errors: ErrorFormat,
  headers: Response['headers'],
  limits: Response['headers'],
): Response {
  const { 'x-codes': codes, 'x-examples': examples, ...rest } = response;
  if (codes === undefined) return closed({ ...rest, headers: { ...headers, ...rest.headers } });
  const schema = closed(errors.schema(codes));
  return {
    ...rest,
    headers: { 'X-Request-Id': refTo('headers', 'RequestId'), ...limits, ...rest.headers },
    content: { [errors.mediaType]: examples === undefined ? { schema } : { schema, examples } },
  };
}

/** The refusals of the service are there once for each format of errors. */
function localRef({ $ref }: Ref, { prefix }: ErrorFormat): Ref {
  const name = $ref.slice($ref.lastIndexOf('/') + 1);
  const shared = describeShared().components?.responses?.[name];
  return shared?.['x-codes'] === undefined ? { $ref } : refTo('responses', prefix + name);
}

/** The responses of paths that no operation has. */
function elsewhere({ openApi, routes }: Dialect): readonly Ref[] {
  if (openApi === undefined || routes.every(({ kind }) => kind === 'open')) return [];
  const own = Object.keys(openApi.describe().components?.responses ?? {}).find((name) =>
    name.endsWith('NotFound'),
  );
  return [refTo('responses', own ?? `${openApi.errors.prefix}NotFound`)];
}

type Parts = { readonly [kind in keyof Components]: { readonly [name: string]: object } };

function allComponents(dialects: readonly Dialect[]): Parts {
  const all: { [kind in keyof Components]: { [name: string]: object } } = {
    ...{ schemas: {}, headers: {}, parameters: {}, responses: {}, securitySchemes: {} },
  };
  const add = (kind: keyof Components, name: string, part: object): void => {
    const before = all[kind][name];
    assert.ok(before === undefined || isDeepStrictEqual(before, part), `two components are called ${name}`);
    all[kind][name] = part;
  };
  const shared = describeShared().components ?? {};
  const described = dialects.flatMap(({ openApi }) => openApi ?? []);
  for (const { describe, errors, words } of described) {
    const own = describe().components ?? {};
    const lists: Readonly<Record<string, readonly string[]>> = { ...SHARED_WORDS, ...words };
    for (const { schemas = {}, headers = {}, parameters = {}, securitySchemes = {} } of [shared, own]) {
      for (const [kind, parts] of Object.entries({ headers, parameters, securitySchemes }))
        for (const [name, part] of Object.entries(parts)) add(kind as keyof Components, name, closed(part));
      for (const [name, schema] of Object.entries(schemas))
        add('schemas', name, closed(name in lists ? withWords(schema, lists[name]) : schema));
    }
    for (const [name, schema] of Object.entries(errors.schemas ?? {})) add('schemas', name, closed(schema));
    for (const [name, response] of Object.entries(own.responses ?? {}))
      add('responses', name, responseOf(response, errors, {}, LIMITS));
  }
  for (const { errors } of described) {
    for (const [name, response] of Object.entries(shared.responses ?? {})) {
      const full = response['x-codes'] === undefined ? name : errors.prefix + name;
      all.responses[full] ??= responseOf(response, errors, {}, {});
    }
  }
  return all;
}

/** An object has a member for each word, others have one of them as their value. */
function withWords(schema: Schema, words: readonly string[]): Schema {
  const { additionalProperties: value, ...rest } = schema;
  if (schema.type === 'object')
    return { ...rest, properties: Object.fromEntries(words.map((word) => [word, value])) };
  return { ...schema, enum: [schema.type].flat().includes('null') ? [...words, null] : words };
}

const REFERENCE = /"\$ref":"#\/components\/(\w+)\/([\w.-]+)"/g;

/** The components that a part refers to, and those that they refer to; all ways to send a key. */
function reached(from: unknown, all: Parts): Components {
  const found: { [kind in keyof Components]: { [name: string]: object } } = {
    ...{ schemas: {}, headers: {}, parameters: {}, responses: {} },
    securitySchemes: all.securitySchemes,
  };
  const follow = (part: unknown): void => {
    for (const [, kind, name] of JSON.stringify(part).matchAll(REFERENCE)) {
      const parts = all[kind as keyof Components];
      assert.ok(parts?.[name] !== undefined, `${kind}/${name} is referred to, and no dialect has it`);
      if (found[kind as keyof Components][name] !== undefined) continue;
      found[kind as keyof Components][name] = parts[name];
      follow(parts[name]);
    }
  };
  follow(from);
  return found as unknown as Components; // each was copied from the same kind
}

/** With the keywords of a closed object where a description leaves them out; see Description. */
function closed<T>(part: T): T {
  if (typeof part !== 'object' || part === null) return part;
  if (Array.isArray(part)) return part.map(closed) as T;
  const { 'x-optional': optional = [], ...rest } = part as { readonly 'x-optional'?: readonly string[] };
  const copy: { [key: string]: unknown } = {};
  for (const [key, value] of Object.entries(rest)) copy[key] = DATA.has(key) ? value : closed(value);
  const { properties } = copy;
  const isSchema = 'type' in copy && typeof properties === 'object' && properties !== null;
  if (isSchema && !('required' in copy) && !('additionalProperties' in copy)) {
    copy.required = Object.keys(properties).filter((name) => !optional.includes(name));
    copy.additionalProperties = false;
  }
  return copy as T;
}

/** Whose values are not schemas. */
const DATA: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'example', 'examples']);

function isUsedIn(paths: OpenApiDocument['paths']): (tag: Tag, at: number, all: readonly Tag[]) => boolean {
  const used = new Set(
    Object.values(paths).flatMap(({ get, post }) => [get, post].flatMap((each) => each?.tags ?? [])),
  );
  return ({ name }, at, all) => used.has(name) && all.findIndex((other) => other.name === name) === at;
}
