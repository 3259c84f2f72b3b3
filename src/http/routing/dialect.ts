// A dialect is one value: where it answers, its routes, how it reads keys and formats errors, and its
// description. Everything that depends on all routes (matching, 405 and Allow, metrics labels, the endpoints
// that tiers grant, the OpenAPI document) is derived from these values.

import { MAX_BATCH_ITEMS } from '../../access/batch-items.ts';
import type { Generation } from '../../index/generation.ts';
import type { HandlerContext } from '../context.ts';
import type { OpenApiPart } from '../openapi/model.ts';
import type { OperationsView } from '../operations-view.ts';
import type { Readiness } from '../readiness.ts';
import type { PreparedFile } from '../replies/prepared-files.ts';
import type { Problem, RenderError } from '../replies/problems.ts';
import type { Answer, Refusal, TextAnswer } from '../replies/responses.ts';
import type { StaticFile, StaticFiles } from '../replies/static-files.ts';
import type { RequestView } from '../transport/request-view.ts';
import type { Steps } from '../work/steps.ts';
import type { PathNote } from './path-note.ts';

export interface Dialect {
  /** For messages to the operator. */
  readonly name: string;
  readonly mounts: readonly Mount[];
  readonly keys: KeyReading;
  readonly routes: readonly Route[];
  readonly renderError: RenderError;
  /** Without it, no route of the dialect is in the OpenAPI document. */
  readonly openApi?: OpenApiPart;
  /**
   * Makes the dialect's files from a generation, in a thread of its own. Names begin with the dialect's;
   * bytes are in shared memory.
   */
  readonly prepare?: (generation: Generation) => Iterable<readonly [name: string, file: PreparedFile]>;
}

/** A path prefix: every route of the dialect answers below it. */
export interface Mount {
  /** '' for the root, otherwise with a leading slash and no trailing one. */
  readonly path: string;
  readonly description: string;
}

/** How its clients send their key. */
export interface KeyReading {
  /** The headers that may carry a key, for the answer to a preflight. */
  readonly headers: readonly string[];
  /** The key as sent, or '' for none. */
  read(request: Pick<RequestView, 'header'>): string;
  /**
   * Whether the key may be of another service, which the clients send always: then, if unknown, it counts as
   * none.
   */
  readonly isForeign?: (request: Pick<RequestView, 'header'>) => boolean;
  /** The detail of `missing_key`: how to send one. */
  readonly advice: string;
  /** The value of WWW-Authenticate. */
  readonly challenge: string;
}

/** The values of a pattern's variables, in order, as sent. */
export type PathParts = readonly string[];

/**
 * How many more segments a variable spans, given its first: 0, 1, or any number.
 * `previous` is the value of the variable before it, '' for the first.
 */
export type WidePart = (part: string, previous: string) => number;

interface AnyRoute {
  /** Parts between slashes, each a literal or a `{variable}`; if both match, the literal wins. */
  readonly pattern: string;
  /**
   * For a variable whose value may contain a slash: how many parts it continues for, as far as parts are left
   * for what follows it.
   */
  readonly wide?: Readonly<Record<string, WidePart>>;
  /** Whether a slash may follow, as clients know the path. */
  readonly mayEndInSlash?: boolean;
}

/** For keys whose tier has the endpoint. */
interface KeyedRoute extends AnyRoute {
  /** The name by which a tier grants it. */
  readonly endpoint: string;
  /** Its label in metrics and logs; by default the endpoint's name. */
  readonly label?: string;
}

/** GET and HEAD, from the data. */
export interface ReadRoute extends KeyedRoute {
  readonly kind: 'read';
  /** Whether a thread remembers the paths that led here: for paths that clients ask for again and again. */
  readonly isRemembered?: boolean;
  /** `note` is of a path that is remembered, and of the live generation. */
  answer(request: RequestView, parts: PathParts, context: HandlerContext, note?: PathNote): Answer;
}

/** The most items in a batch. */
export const MAX_BODY_ITEMS = MAX_BATCH_ITEMS;

/**
 * Called with the number of items in a valid body. May return a refusal, because items may count as requests.
 */
export type Admit = (itemCount: number) => Answer | undefined;

/** What is kept of a request whose answer is made later. */
export interface KeptRequest {
  readonly query: string;
  /** The header `If-None-Match`. */
  readonly ifNoneMatch: string;
}

/** GET and HEAD, for an answer that takes milliseconds to make: in steps, in turn with bodies. */
interface LongReadRoute extends KeyedRoute {
  readonly kind: 'long-read';
  /** One request was taken from the quota; items that count as requests are told to `admit`. */
  answer(request: KeptRequest, parts: PathParts, context: HandlerContext, admit: Admit): Steps<Answer>;
}

/** POST: the question about the data is in the body. */
export interface BodyRoute extends KeyedRoute {
  readonly kind: 'body';
  readonly maxBodyBytes: number;
  /**
   * A body with a content coding (gzip, deflate) is decoded up to this size. Without it, the header is
   * ignored.
   */
  readonly maxDecodedBytes?: number;
  /** The detail of `body_too_large`. */
  readonly tooLarge: string;
  /**
   * A JSON answer is remembered with its body (body-notes.ts): it depends on the parameters and the
   * generation alone, not on the time or on who asks.
   */
  answer(
    query: string,
    parts: PathParts,
    body: Uint8Array,
    context: HandlerContext,
    admit: Admit,
  ): Steps<Answer>;
}

/**
 * GET and HEAD: about the process. It answers without data, while the port closes, and whatever `?snapshot=`
 * says: an operator asks when something is wrong.
 */
export interface ProcessRoute extends KeyedRoute {
  readonly kind: 'process';
  /** `operations` is undefined where nobody keeps account of the process. */
  answer(query: string, operations: OperationsView | undefined): Steps<Answer>;
}

/**
 * POST: an order to the process, taken whenever a ProcessRoute answers, but not from a page of another site.
 */
export interface OrderRoute extends KeyedRoute {
  readonly kind: 'order';
  readonly maxBodyBytes: number;
  /** The detail of `body_too_large`. */
  readonly tooLarge: string;
  /**
   * Why an order from where this one comes from is not followed; `mayRead` says which other origins have
   * CORS.
   */
  refusal(request: RequestView, mayRead: (origin: string) => boolean): Problem | undefined;
  answer(body: Uint8Array, operations: OperationsView | undefined): Steps<Answer>;
}

/** GET without a key: about the service, not from its data. */
export interface OpenRoute extends AnyRoute {
  readonly kind: 'open';
  readonly label: string;
  answer(service: ServiceView): OpenAnswer | Steps<TextAnswer>;
}

/**
 * GET without a key: the files of a table, each at the pattern followed by its path. Requires: no other route
 * begins like the path of a file, because that route would be followed. Files are not in the OpenAPI
 * document.
 */
export interface FilesRoute {
  readonly kind: 'files';
  /** Without variables; '' for the mount itself. */
  readonly pattern: string;
  readonly label: string;
  readonly files: StaticFiles;
  /**
   * Whether the pattern's own path needs a slash at its end, as that of a page with relative addresses does:
   * without it, it is redirected there. The address is relative, so a proxy may serve all paths below a
   * prefix.
   */
  readonly isFolder?: boolean;
  /**
   * Whether a browser that asks for the root is sent to this folder. Requires: the dialect is mounted there.
   */
  readonly isHome?: boolean;
  /**
   * The detail of the 404 for other paths below the pattern; by default, that of all paths without a route.
   */
  readonly absence?: string | undefined;
}

/**
 * Every other path below a mount, with any method and without a key: about what is not in the data. It is not
 * in the OpenAPI document, and replaces the 404 of its mount.
 */
export interface RestRoute {
  readonly kind: 'rest';
  readonly label: string;
  /** `below` is the path after the mount, as sent, with its leading slash. */
  answer(request: RequestView, below: string): Answer;
}

/** Answers from the live snapshot, or from the one that the request names. */
export type DataRoute = ReadRoute | LongReadRoute | BodyRoute;
/** A route that is an operation of the API. */
export type ApiRoute = DataRoute | ProcessRoute | OrderRoute | OpenRoute;
export type Route = ApiRoute | FilesRoute | RestRoute;

/** What an open route can see. */
export interface ServiceView {
  /** The OpenAPI document of all dialects. */
  document(): StaticFile;
  readiness(): Readiness;
  /** Of the request; '' for none. */
  readonly query: string;
  liveId(): string | undefined;
}

export type OpenAnswer = TextAnswer | { readonly kind: 'static'; readonly file: StaticFile } | Refusal;

/** A dialect that is known and off: what its paths answer, in its own format. */
export interface OffDialect {
  readonly dialect: Dialect;
  readonly detail: string;
}

/** The methods that a route answers, as `Allow` lists them. */
export function methodsOf({ kind }: ApiRoute | FilesRoute): 'POST' | 'GET, HEAD' {
  return kind === 'body' || kind === 'order' ? 'POST' : 'GET, HEAD';
}

export function labelOf(route: Route): string {
  return 'endpoint' in route ? (route.label ?? route.endpoint) : route.label;
}

/** The endpoints that a tier can grant: each once, in the order of the tables. */
export function endpointsOf(dialects: readonly Dialect[]): readonly string[] {
  const granted = dialects.flatMap(({ routes }) =>
    routes.flatMap((route) => ('endpoint' in route ? [route.endpoint] : [])),
  );
  return [...new Set(granted)];
}

/** The label of requests that no route answers. */
export const OTHER_LABEL = 'other';

/** The labels of requests in metrics and logs: each once, in the order of the tables, then OTHER_LABEL. */
export function labelsOf(dialects: readonly Dialect[]): readonly string[] {
  return [...dialectsByLabel(dialects).keys()];
}

/** Whose the requests with an open route are: about the service, whichever dialects are on. */
export const SERVICE_NAME = 'service';

/**
 * The name of the dialect that each label counts for: the first that has it, OTHER_LABEL for requests without
 * a route.
 */
export function dialectsByLabel(dialects: readonly Dialect[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { name, routes } of dialects) {
    for (const route of routes) {
      const label = labelOf(route);
      if (!names.has(label)) names.set(label, route.kind === 'open' ? SERVICE_NAME : name);
    }
  }
  return names.set(OTHER_LABEL, OTHER_LABEL);
}
