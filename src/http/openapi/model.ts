// The part of OpenAPI 3.1 that the document uses, as types: a misspelt keyword
// outside a schema is a type error.

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

export interface Example {
  readonly summary?: string;
  readonly value: unknown;
}

export interface MediaType {
  readonly schema: Schema | Ref;
  readonly examples?: { readonly [name: string]: Example };
}

export interface Response {
  readonly description: string;
  readonly headers?: { readonly [name: string]: Header | Ref };
  readonly content?: { readonly [mediaType: string]: MediaType };
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly allowEmptyValue?: boolean;
  readonly description: string;
  readonly schema: Schema;
}

/** Scopes by scheme. */
export type SecurityRequirement = { readonly [scheme: string]: readonly string[] };

export interface Server {
  readonly url: string;
  readonly description: string;
}

export interface RequestBody {
  readonly description: string;
  readonly required: boolean;
  readonly content: { readonly [mediaType: string]: MediaType };
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** Overrides the document's; `[]` needs no key. */
  readonly security?: readonly SecurityRequirement[];
  readonly parameters?: readonly (Parameter | Ref)[];
  readonly requestBody?: RequestBody;
  readonly responses: { readonly [status: string]: Response | Ref };
}

/** No `head`: it always answers like `get`, without a body. */
export interface PathItem {
  /** Overrides the document's. */
  readonly servers?: readonly Server[];
  readonly get?: Operation;
  readonly post?: Operation;
}

export type SecurityScheme =
  | { readonly type: 'apiKey'; readonly in: 'header'; readonly name: string; readonly description: string }
  | { readonly type: 'http'; readonly scheme: 'bearer'; readonly description: string };

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
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: { readonly [template: string]: PathItem };
  readonly components: {
    readonly schemas: { readonly [name: string]: Schema };
    readonly headers: { readonly [name: string]: Header };
    readonly parameters: { readonly [name: string]: Parameter };
    readonly responses: { readonly [name: string]: Response };
    readonly securitySchemes: { readonly [name: string]: SecurityScheme };
  };
}
