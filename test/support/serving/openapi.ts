// Checks a reply against the OpenAPI document: the operation for its path, the status, the headers and the
// body. It says whether the document allows a reply, not whether it is the right one: that is each test's own
// job.

import assert from 'node:assert/strict';
import { Ajv2020, type AnySchema, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { ALL_DIALECTS } from '../../../src/dialects/dialects.ts';
import { openApiDocument as documentOf } from '../../../src/http/openapi/document.ts';
import type { Header, Operation, PathItem, Ref, Response, Schema } from '../../../src/http/openapi/model.ts';
import { type NameSlashes, PRODUCT_TYPE_TABLE } from '../../../src/index/product-type.ts';

export interface Reply {
  readonly method: string;
  /** As requested, including base path, escapes and query. */
  readonly path: string;
  readonly status: number;
  readonly headers: { get(name: string): string | null | undefined };
  /** `""` if there is none. */
  readonly body: string;
}

export const openApiDocument = documentOf(ALL_DIALECTS);

const SCHEMAS = 'schemas.json';
const SCHEMA_PART = '#/components/schemas/';

/**
 * The same schema for ajv, which takes complete schemas only: references point into the registered
 * definitions.
 */
export function absolute(schema: object): AnySchema {
  return JSON.parse(JSON.stringify(schema).replaceAll(`"${SCHEMA_PART}`, `"${SCHEMAS}#/$defs/`));
}

/** An ajv in strict mode that knows the document's schemas, each compiled at first use. */
export function createAjv(): Ajv2020 {
  const ajv = new Ajv2020({ strict: true, allErrors: true });
  formats.default(ajv, ['uri']);
  // The pattern beside each date-time is stricter, and allows the year 10000, which the format rejects.
  ajv.addFormat('date-time', true);
  ajv.addSchema(absolute({ $defs: openApiDocument.components.schemas }), SCHEMAS);
  return ajv;
}

const ajv = createAjv();
const validators = new Map<Schema | Ref, ValidateFunction>();

function validatorOf(schema: Schema | Ref): ValidateFunction {
  let validator = validators.get(schema);
  if (validator === undefined) {
    validator = ajv.compile(absolute(schema));
    validators.set(schema, validator);
  }
  return validator;
}

/** What ajv finds wrong with the value, one line each; empty if it is valid. */
export function complaintsOf(schema: Schema | Ref, value: unknown): string[] {
  const validator = validatorOf(schema);
  if (validator(value)) return [];
  return (validator.errors ?? []).map((error) => {
    const extra = error.params.additionalProperty ?? error.params.allowedValue ?? error.params.allowedValues;
    const named = extra === undefined ? '' : ` (${JSON.stringify(extra)})`;
    return `${error.instancePath === '' ? 'the body' : error.instancePath} ${error.message}${named}`;
  });
}

/** The part of the document that a local reference points to, or undefined. */
export function findPart(reference: string): unknown {
  let part: unknown = openApiDocument;
  for (const key of reference.replace(/^#\//, '').split('/')) {
    if (typeof part !== 'object' || part === null) return undefined;
    part = (part as Record<string, unknown>)[key.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return part;
}

/** Follows a reference. The cast holds as long as references point at their own kind, which a test checks. */
export function resolve<T extends object>(part: T | Ref): T {
  return '$ref' in part && typeof part.$ref === 'string' ? (findPart(part.$ref) as T) : (part as T);
}

// Longest first, or "/" would match every path.
const bases = openApiDocument.servers
  .map((server) => server.url.replace(/\/$/, ''))
  .sort((a, b) => b.length - a.length);

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

const SLASHES: ReadonlyMap<string, NameSlashes> = new Map(
  PRODUCT_TYPE_TABLE.map(({ name, nameSlashes }) => [name, nameSlashes]),
);

/** The path below the base, in segments; those of a name with bare slashes joined into one. */
function segmentsOf(path: string): string[] {
  // A base URL that ends in a slash puts two slashes before the endpoint.
  const bare = path.split(/[?#]/, 1)[0].replace(/^\/+/, '/');
  const base = bases.find((prefix) => bare.startsWith(`${prefix}/`)) ?? '';
  const segments = bare.slice(base.length).replace(/^\/+/, '').split('/');
  // After the mount of the dialect.
  const at = segments.findIndex((each) => each === 'product' || each === 'explain') + 1;
  if (at === 0) return segments;
  const first = decoded(segments[at + 1] ?? '');
  // product or explain, type, name, version, perhaps exists: what is more belongs to the name.
  const tail = segments.at(-1) === 'exists' ? 2 : 1;
  const spare = Math.max(0, segments.length - tail - (at + 2));
  const slashes = SLASHES.get(segments[at]);
  const isPair = slashes === 'scope' ? /^@[^/]*$/.test(first) : slashes === 'pair' && !/[:/]/.test(first);
  const more = slashes === 'any' ? spare : Math.min(spare, Number(isPair));
  const end = at + 2 + more;
  return [...segments.slice(0, at + 1), segments.slice(at + 1, end).join('/'), ...segments.slice(end)];
}

/**
 * Every operation at every mount: the document lists those of other dialects than the first at one mount
 * only.
 */
const templates: readonly (readonly [template: string, item: PathItem])[] = [
  ...Object.entries(openApiDocument.paths),
  ...ALL_DIALECTS.slice(1).flatMap(({ mounts: [first, ...others], routes }) =>
    others.flatMap((mount) =>
      routes.flatMap((route) =>
        'pattern' in route && first.path + route.pattern in openApiDocument.paths
          ? [[mount.path + route.pattern, openApiDocument.paths[first.path + route.pattern]] as const]
          : [],
      ),
    ),
  ),
];

/** The templates that a slash may follow. */
const SLASHED: ReadonlySet<string> = new Set(
  ALL_DIALECTS.flatMap(({ mounts, routes }) =>
    routes.flatMap((route) =>
      'mayEndInSlash' in route && route.mayEndInSlash === true
        ? mounts.map(({ path }) => path + route.pattern)
        : [],
    ),
  ),
);

/** The path item for a requested path, or undefined; a template's literal segments win over its variables. */
export function findPathItem(path: string): { template: string; item: PathItem } | undefined {
  const sent = segmentsOf(path);
  let best: { template: string; item: PathItem } | undefined;
  for (const [template, item] of templates) {
    const parts = template.slice(1).split('/');
    const segments = sent.at(-1) === '' && SLASHED.has(template) ? sent.slice(0, -1) : sent;
    const fits =
      parts.length === segments.length &&
      parts.every((part, at) => part.startsWith('{') || part === segments[at]);
    if (fits && (best === undefined || template.split('{').length < best.template.split('{').length)) {
      best = { template, item };
    }
  }
  return best;
}

/**
 * What a path without a route answers: `NotFound` of the first dialect, also for others at the root; else
 * that of the owner's errors, or one of its own.
 */
function notFoundAt(path: string): Response {
  const owner = ALL_DIALECTS.slice(1).find(({ mounts }) =>
    mounts.some((mount) => mount.path !== '' && `${path.replace(/^\/+/, '/')}/`.startsWith(`${mount.path}/`)),
  );
  const { openApi } = owner ?? ALL_DIALECTS[0];
  const own = Object.keys(openApi?.describe().components?.responses ?? {});
  const name = own.find((each) => each.endsWith('NotFound')) ?? `${openApi?.errors.prefix}NotFound`;
  const response = openApiDocument.components.responses[name];
  assert.ok(response !== undefined, `${path}: the document has no response ${name}`);
  return response;
}

function responseOf(reply: Reply, label: string): Response {
  const found = findPathItem(reply.path);
  if (found === undefined) {
    assert.equal(reply.status, 404, `${label}: the path is in no operation, so it must answer 404`);
    return notFoundAt(reply.path);
  }
  const method = reply.method.toUpperCase();
  const operation: Operation | undefined =
    method === 'GET' || method === 'HEAD' ? found.item.get : method === 'POST' ? found.item.post : undefined;
  if (operation === undefined) {
    assert.equal(reply.status, 405, `${label}: ${found.template} has no ${method}, so it must answer 405`);
    const described = (found.item.get ?? found.item.post)?.responses['405'];
    assert.ok(described !== undefined, `${label}: ${found.template} does not describe its 405`);
    return resolve(described);
  }
  const response = operation.responses[String(reply.status)];
  assert.ok(
    response !== undefined && reply.status !== 405,
    `${label}: the status is not one of ${operation.operationId}: ${Object.keys(operation.responses).join(', ')}`,
  );
  return resolve(response);
}

function assertHeaders(response: Response, reply: Reply, label: string): void {
  for (const [name, part] of Object.entries(response.headers ?? {})) {
    const header: Header = resolve(part);
    const value = reply.headers.get(name) ?? undefined;
    if (value === undefined) {
      assert.ok(header.required !== true, `${label}: the header ${name} is missing`);
      continue;
    }
    const isNumber = header.schema.type === 'integer' && /^\d+$/.test(value);
    const complaints = complaintsOf(header.schema, isNumber ? Number(value) : value);
    assert.deepEqual(complaints, [], `${label}: the header ${name} is "${value}": ${complaints.join('; ')}`);
  }
}

function assertBody(response: Response, reply: Reply, label: string): void {
  if (response.content === undefined || reply.method.toUpperCase() === 'HEAD') {
    assert.equal(reply.body, '', `${label}: there must be no body`);
    return;
  }
  const sent = (reply.headers.get('content-type') ?? 'none').split(';', 1)[0].trim();
  const types = Object.entries(response.content);
  const [mediaType, { schema }] = types.find(([type]) => type === sent) ?? types[0];
  assert.equal(sent, mediaType, `${label}: the content type must be ${mediaType}`);
  let value: unknown = reply.body;
  try {
    if (/[/+]json$/.test(mediaType)) value = JSON.parse(reply.body);
  } catch (error) {
    assert.fail(`${label}: the body is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  const complaints = complaintsOf(schema, value);
  assert.ok(
    complaints.length === 0,
    `${label}: ${complaints.join('; ')}\n${reply.body.length > 2000 ? `${reply.body.slice(0, 2000)}…` : reply.body}`,
  );
}

/**
 * Throws an AssertionError naming method, path, status and every complaint, unless the document allows the
 * reply.
 */
export function assertMatchesOpenApi(reply: Reply): void {
  const label = `${reply.method} ${reply.path} -> ${reply.status}`;
  const response = responseOf(reply, label);
  assertHeaders(response, reply, label);
  assertBody(response, reply, label);
}
