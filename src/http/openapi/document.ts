// The OpenAPI 3.1 document, served at /openapi.json: the routes of all dialects with their descriptions. Tests check every
// reply against it.
//
// The first dialect's mounts are the document's servers, so its paths are listed without a mount. A path of another
// dialect begins with that dialect's first mount, and its server is the root.

import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { type ApiRoute, type Dialect, methodsOf } from '../dialect.ts';
import { makeStaticFiles, type StaticFile } from '../replies/static-files.ts';
import type { OpenApiDocument, PathItem, Server } from './model.ts';

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
      schemas: merge(components.map(({ schemas }) => schemas)),
      headers: merge(components.map(({ headers }) => headers)),
      parameters: merge(components.map(({ parameters }) => parameters)),
      responses: merge(components.map(({ responses }) => responses)),
      securitySchemes: merge(components.map(({ securitySchemes }) => securitySchemes)),
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
  const responses = dialects.flatMap(({ routes, openApi }) => [
    ...routes.flatMap((route) => ('operation' in route ? Object.values(route.operation.responses) : [])),
    ...Object.values(openApi.components.responses),
  ]);
  const names = responses.flatMap((each) => ('headers' in each ? Object.keys(each.headers ?? {}) : []));
  return [...new Set(names)].sort();
}

type Paths = OpenApiDocument['paths'];

function withPaths(before: Paths, { mounts, routes, openApi }: Dialect, isFirst: boolean): Paths {
  const paths: { [template: string]: PathItem } = { ...before };
  for (const route of routes) {
    if (!('operation' in route)) continue;
    const template = isFirst ? route.pattern : mounts[0].path + route.pattern;
    const operation = isFirst ? route.operation : { security: openApi.security, ...route.operation };
    paths[template] = {
      ...(isFirst ? {} : { servers: [ROOT] }),
      ...paths[template],
      [methodOf(route)]: operation,
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
