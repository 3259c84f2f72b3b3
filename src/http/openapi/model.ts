// The part of OpenAPI 3.1 that the document uses, as types, and the form in which dialects write their part
// of it.

import { readFileSync } from 'node:fs';

export interface Ref {
  readonly $ref: string;
}

/** JSON Schema 2020-12, unchecked here: a test compiles every schema in ajv's strict mode. */
export type Schema = { readonly [keyword: string]: unknown };

export interface Header {
  readonly description: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

interface MediaType {
  readonly schema: Schema | Ref;
  readonly examples?: { readonly [name: string]: { readonly summary?: string; readonly value: unknown } };
}

export interface Response {
  readonly description: string;
  readonly headers?: { readonly [name: string]: Header | Ref };
  readonly content?: { readonly [mediaType: string]: MediaType };
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly allowEmptyValue?: boolean;
  readonly description: string;
  readonly schema: Schema;
}

/** Scopes by scheme. */
type SecurityRequirement = { readonly [scheme: string]: readonly string[] };

export interface Server {
  readonly url: string;
  readonly description: string;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** Overrides the document's; `[]` needs no key. */
  readonly security?: readonly SecurityRequirement[];
  readonly parameters?: readonly (Parameter | Ref)[];
  readonly requestBody?: {
    readonly description: string;
    readonly required: boolean;
    readonly content: { readonly [mediaType: string]: MediaType };
  };
  readonly responses: { readonly [status: string]: Response | Ref };
}

/** No `head`: it always answers like `get`, without a body. */
export interface PathItem {
  /** Overrides the document's. */
  readonly servers?: readonly Server[];
  readonly get?: Operation;
  readonly post?: Operation;
}

type SecurityScheme =
  | { readonly type: 'apiKey'; readonly in: 'header'; readonly name: string; readonly description: string }
  | { readonly type: 'http'; readonly scheme: 'bearer'; readonly description: string };

type Named<T> = { readonly [name: string]: T };

export interface Components {
  readonly schemas: Named<Schema>;
  readonly headers: Named<Header>;
  readonly parameters: Named<Parameter>;
  readonly responses: Named<Response>;
  readonly securitySchemes: Named<SecurityScheme>;
}

export type Tag = { readonly name: string; readonly description: string };

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly Server[];
  readonly security: readonly SecurityRequirement[];
  readonly tags: readonly Tag[];
  readonly paths: Named<PathItem>;
  readonly components: Components;
}

/** A refusal has codes, of which the dialect's format of errors makes the body. */
export interface DescribedResponse extends Response {
  readonly 'x-codes'?: readonly string[];
  readonly 'x-examples'?: MediaType['examples'];
}

/** Without what every operation of its kind has. */
export interface DescribedOperation extends Omit<Operation, 'tags' | 'responses'> {
  /** By default the file's first tag. */
  readonly tags?: readonly string[];
  readonly responses: Named<DescribedResponse | Ref>;
  /** Of a read: its answer has no `ETag`. */
  readonly 'x-untagged'?: boolean;
}

/**
 * The file of a dialect: a document of its own, in which paths are the patterns of routes. What document.ts
 * adds is left out. An object schema that says neither `required` nor `additionalProperties` has all its
 * `properties`, but for those in `x-optional`, and no others.
 */
export interface Description {
  readonly info: { readonly description: string };
  readonly tags: readonly Tag[];
  readonly security?: readonly SecurityRequirement[];
  readonly paths: Named<{ readonly get?: DescribedOperation; readonly post?: DescribedOperation }>;
  readonly components?: Partial<Omit<Components, 'responses'>> & {
    readonly responses?: Named<DescribedResponse>;
  };
}

/** How a dialect tells an error. */
export interface ErrorFormat<Code extends string = string> {
  /** What the names of refusals begin with that all dialects with this format share. */
  readonly prefix: string;
  readonly mediaType: string;
  /** Of the body with one of these codes. Requires: at least one. */
  schema(codes: readonly Code[]): Schema | Ref;
  /** What such schemas refer to. */
  readonly schemas?: Components['schemas'];
}

/** A dialect's part of the document. */
export interface OpenApiPart {
  describe(): Description;
  readonly errors: ErrorFormat;
  /** Lists that the program has, by the name of the schema whose values, or whose members, they name. */
  readonly words?: Named<readonly string[]>;
}

/** Reads a description when it is first asked for. References to another file are made local. */
export function describedIn(file: URL): () => Description {
  let description: Description | undefined;
  return () => {
    description ??= JSON.parse(
      readFileSync(file, 'utf8').replaceAll(/"[\w./]+\.json#\//g, '"#/'),
    ) as Description;
    return description;
  };
}
