// The OpenAPI 3.1 document, served at /openapi.json: the routes of all dialects with their descriptions.
// Tests check every reply against it.
//
// The first dialect's mounts are the document's servers, so its paths are listed without a mount. A path of
// another dialect begins with that dialect's first mount, and its server is the root.

import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { type ApiRoute, type Dialect, methodsOf, type Route } from '../dialect.ts';
import { makeStaticFiles, type StaticFile } from '../replies/static-files.ts';
import type { OpenApiDocument, Operation, PathItem, Server } from './model.ts';

export const VERSION = '0.1.0';
const CONTENT_TYPE = 'application/json';

const ROOT: Server = { url: '/', description: 'The service’s own root.' };

/** Requires: at least one dialect; components with the same name in two of them are the same object. */
export function openApiDocument(dialects: readonly Dialect[]): OpenApiDocument {
  const [first] = dialects;
  const parts = dialects.map(({ openApi }) => openApi);
  const components = parts.map((part) => part.components);
  return {
    openapi: '3.1.1',
    info: {
      title: 'vulndex',
      version: VERSION,
      description: parts.flatMap(({ description }) => (description === '' ? [] : description)).join('\n\n'),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: first.mounts.map(({ path, description }) => ({ url: path === '' ? '/' : path, description })),
    security: first.openApi.security,
    tags: parts.flatMap(({ tags }) => tags),
    paths: dialects.reduce((paths, dialect) => withPaths(paths, dialect, dialect === first), {}),
    components: {
      schemas: merge(components.map(({ schemas = {} }) => schemas)),
      headers: merge(components.map(({ headers = {} }) => headers)),
      parameters: merge(components.map(({ parameters = {} }) => parameters)),
      responses: merge(components.map(({ responses = {} }) => responses)),
      securitySchemes: merge(components.map(({ securitySchemes = {} }) => securitySchemes)),
    },
  };
}

/** The document as it is sent. */
export function openApiFile(dialects: readonly Dialect[]): StaticFile {
  const bytes = Buffer.from(JSON.stringify(openApiDocument(dialects)));
  const path = '/';
  const files = makeStaticFiles([{ path, contentType: CONTENT_TYPE, bytes, gzip: gzipSync(bytes) }]);
  return files.get(path) as StaticFile; // the only one
}

/** The names of all headers that replies of these dialects may have, in alphabetical order. */
export function replyHeaderNames(dialects: readonly Dialect[]): readonly string[] {
  const responses = dialects.flatMap((dialect) => [
    ...operationsOf(dialect).flatMap((operation) => Object.values(operation.responses)),
    ...Object.values(dialect.openApi.components.responses ?? {}),
  ]);
  const names = responses.flatMap((each) => ('headers' in each ? Object.keys(each.headers ?? {}) : []));
  return [...new Set(names)].sort();
}

/** The operations of a dialect's routes, each with all statuses that it can answer. */
export function operationsOf(dialect: Dialect): readonly Operation[] {
  return dialect.routes.filter(isShown).map((route) => operationOf(route, dialect));
}

type ShownRoute = ApiRoute & { readonly operation: Operation };

function isShown(route: Route): route is ShownRoute {
  return 'operation' in route && route.operation !== undefined;
}

/** The operation with what its dialect shares, as far as its route's kind has the status; its own win. */
function operationOf(
  { kind, operation }: ShownRoute,
  { openApi: { sharedResponses = {} } }: Dialect,
): Operation {
  const shared = Object.entries(sharedResponses).filter(([status]) => hasStatus(kind, status));
  return { ...operation, responses: { ...Object.fromEntries(shared), ...operation.responses } };
}

function hasStatus(kind: ApiRoute['kind'], status: string): boolean {
  const isRead = kind === 'read' || kind === 'long-read';
  switch (status) {
    case '304':
      return isRead;
    case '405':
    case '500':
      return true;
    case '412': // an unknown `snapshot`
      return isRead || kind === 'body';
    default:
      return kind !== 'open'; // which needs neither key nor data
  }
}

type Paths = OpenApiDocument['paths'];

function withPaths(before: Paths, dialect: Dialect, isFirst: boolean): Paths {
  const { mounts, openApi } = dialect;
  const paths: { [template: string]: PathItem } = { ...before };
  for (const route of dialect.routes.filter(isShown)) {
    const template = isFirst ? route.pattern : mounts[0].path + route.pattern;
    const operation = operationOf(route, dialect);
    paths[template] = {
      ...(isFirst ? {} : { servers: [ROOT] }),
      ...paths[template],
      [methodOf(route)]: isFirst ? operation : { security: openApi.security, ...operation },
    };
  }
  return paths;
}

function methodOf(route: ApiRoute): 'get' | 'post' {
  return methodsOf(route) === 'POST' ? 'post' : 'get';
}

function merge<T>(parts: readonly { readonly [name: string]: T }[]): { readonly [name: string]: T } {
  const merged: { [name: string]: T } = {};
  for (const part of parts) {
    for (const [name, value] of Object.entries(part)) {
      assert.ok(merged[name] === undefined || merged[name] === value, `two components are called ${name}`);
      merged[name] = value;
    }
  }
  return merged;
}
