// What a dialect is: one value that says where it answers, what it answers, how it reads keys and tells errors, and
// how it is described. Whatever must know all routes (matching, 405 and Allow, metrics labels, the endpoints that tiers
// grant, the OpenAPI document) is derived from here.

import { MAX_BATCH_ITEMS } from '../access/batch-items.ts';
import type { HandlerContext } from './context.ts';
import type { OpenApiDocument, Operation, SecurityRequirement } from './openapi/model.ts';
import type { TellError } from './problems.ts';
import type { Readiness } from './readiness.ts';
import type { RequestView } from './request-view.ts';
import type { Answer } from './responses.ts';
import type { StaticFiles } from './static-files.ts';

export interface Dialect {
  /** For messages to the operator. */
  readonly name: string;
  readonly mounts: readonly Mount[];
  readonly keys: KeyReading;
  readonly routes: readonly Route[];
  readonly tellError: TellError;
  readonly openApi: OpenApiPart;
}

/** A path below which every route of the dialect answers. */
export interface Mount {
  /** '' for the root, else with a slash in front and none behind. */
  readonly path: string;
  readonly description: string;
}

/** How its clients send their key. */
export interface KeyReading {
  /** The headers in which a key may come, for browsers that ask before they send. */
  readonly headers: readonly string[];
  /** The key as sent, or '' for none. */
  read(request: Pick<RequestView, 'header'>): string;
  /** The detail of `missing_key`: how to send one. */
  readonly advice: string;
  /** The value of WWW-Authenticate. */
  readonly challenge: string;
}

/** The variables of a route's pattern, in its order, as sent. */
export type PathParts = readonly string[];

/** `previous` is the variable before it, '' for the first. */
export type WidePart = (part: string, previous: string) => boolean;

interface AnyRoute {
  /** Parts between slashes, each a text or a `{variable}`; where both fit, the text wins. */
  readonly pattern: string;
  /**
   * For a variable whose value may hold a slash of its own: says of a part whether it goes on in the next one. Asked
   * only where another part is left behind that one.
   */
  readonly wide?: Readonly<Record<string, WidePart>>;
  readonly operation: Operation;
}

/** Answers from the data, for a key whose tier has the endpoint. */
interface KeyedRoute extends AnyRoute {
  /** The name by which a tier grants it. */
  readonly endpoint: string;
  /** What it is counted as; the endpoint's name when absent. */
  readonly label?: string;
}

/** GET, and HEAD with it. */
export interface ReadRoute extends KeyedRoute {
  readonly kind: 'read';
  answer(request: RequestView, parts: PathParts, context: HandlerContext): Answer;
}

/** Most items that a body may ask about: with more, a tier that counts items could refuse it for good. */
export const MAX_BODY_ITEMS = MAX_BATCH_ITEMS;

/** Hears how many items a sound body asks about, and may refuse it: a tier may count each as a request. */
export type Admit = (itemCount: number) => Answer | undefined;

/** POST: what is asked comes in the body. */
export interface BodyRoute extends KeyedRoute {
  readonly kind: 'body';
  readonly maxBodyBytes: number;
  /** The detail of `body_too_large`. */
  readonly tooLarge: string;
  answer(query: string, parts: PathParts, body: Uint8Array, context: HandlerContext, admit: Admit): Answer;
}

/** GET, for everybody: about the service and not from its data. */
export interface OpenRoute extends AnyRoute {
  readonly kind: 'open';
  readonly label: string;
  answer(service: ServiceView): OpenAnswer;
}

/**
 * GET, for everyone: the files of a table, each at the pattern followed by its path. Requires: no other route whose path
 * begins like a file's, because that route is followed. Files are not in the OpenAPI document.
 */
export interface FilesRoute {
  readonly kind: 'files';
  /** Without variables; '' for the mount itself. */
  readonly pattern: string;
  readonly label: string;
  readonly files: StaticFiles;
}

/** A route that is an operation of the API. */
export type ApiRoute = ReadRoute | BodyRoute | OpenRoute;
export type Route = ApiRoute | FilesRoute;

/** What an open route may know. */
export interface ServiceView {
  /** The OpenAPI document of all dialects, as JSON. */
  document(): string;
  readiness(): Readiness;
}

export type OpenAnswer =
  | { readonly kind: 'text'; readonly body: string }
  | Extract<Answer, { readonly kind: 'problem' }>;

/** What the OpenAPI document says of a dialect besides the operations of its routes. */
export interface OpenApiPart {
  readonly description: string;
  /** What its keyed operations ask for. */
  readonly security: readonly SecurityRequirement[];
  readonly tags: OpenApiDocument['tags'];
  readonly components: OpenApiDocument['components'];
}

/** The methods that a route answers, as `Allow` lists them. */
export function methodsOf({ kind }: Route): string {
  return kind === 'body' ? 'POST' : 'GET, HEAD';
}

export function labelOf(route: Route): string {
  return 'endpoint' in route ? (route.label ?? route.endpoint) : route.label;
}

/** What a tier can grant: each endpoint once, in the order of the tables. */
export function endpointsOf(dialects: readonly Dialect[]): readonly string[] {
  const granted = dialects.flatMap(({ routes }) =>
    routes.flatMap((route) => ('endpoint' in route ? [route.endpoint] : [])),
  );
  return [...new Set(granted)];
}

/** What is in no route's name: paths and methods that nobody answers. */
export const OTHER_LABEL = 'other';

/** What requests are counted as: each label once, in the order of the tables, and the one for the rest. */
export function labelsOf(dialects: readonly Dialect[]): readonly string[] {
  return [...new Set(dialects.flatMap(({ routes }) => routes.map(labelOf))), OTHER_LABEL];
}
