// Turns a request into a reply, with the checks in the order that the contract fixes: path, method, key, tier, data (unless it
// is about the process), quota, body, parameters, record. Knows nothing of sockets. State is passed in as functions, so that a swap of data or
// keys takes effect with the next request.

import type { Generation } from '../index/generation.ts';
import { ThreadMemory } from '../index/memory/thread-memory.ts';
import type { AnonymousCallers } from './callers/anonymous.ts';
import { ANONYMOUS_TIER, type AuthResult, type Caller, type KeyRing, mayCall } from './callers/auth.ts';
import { BodyQuota, peekQuota, type Quota, spendQuota } from './callers/quota.ts';
import type { RateLimiter } from './callers/rate-limit.ts';
import { type ContentCoding, contentCoding, decodeBody } from './content-coding.ts';
import type { HandlerContext } from './context.ts';
import {
  type BodyRoute,
  type Dialect,
  type OrderRoute,
  OTHER_LABEL,
  type PathParts,
  type ProcessRoute,
  type ServiceView,
} from './dialect.ts';
import type { KeptGeneration } from './kept-generation.ts';
import { openApiFile, replyHeaderNames } from './openapi/document.ts';
import type { OperationsView } from './operations-view.ts';
import { asPinned, type Pin, pinOf } from './pinning.ts';
import { type Readiness, unready } from './readiness.ts';
import {
  type CorsPolicy,
  corsHeaders,
  exposing,
  mayRead,
  preflightHeaders,
  withHeaders,
} from './replies/cors.ts';
import { isCurrent } from './replies/etag.ts';
import type { PreparedSet } from './replies/prepared-files.ts';
import { serviceProblem } from './replies/problems.ts';
import { NO_HEADERS, type ReplyHeader, SharedHeaders } from './replies/reply-headers.ts';
import {
  type Answer,
  openReply,
  prepareRefusal,
  type Reply,
  type RequestFacts,
  redirect,
  refuse,
  toReply,
} from './replies/responses.ts';
import { type StaticFile, variantFor } from './replies/static-files.ts';
import type { RequestView } from './request-view.ts';
import { type BoundRoute, type Found, RouteTable } from './routes.ts';
import type { Steps } from './work/steps.ts';
import type { Work } from './work/work-queue.ts';

export interface ServiceOptions {
  /** At least one; the first sends the 404 for paths that no dialect has. */
  readonly dialects: readonly Dialect[];
  readonly generation: () => Generation | undefined;
  /** All generations that a request may name, the live one first. Without it, the live one alone. */
  readonly kept?: () => readonly KeptGeneration[];
  /** Files prepared from the data, of the live generation or of the one before; undefined while there are none. */
  readonly prepared?: () => PreparedSet | undefined;
  readonly keys: () => Pick<KeyRing, 'authenticate' | 'tier'>;
  /** Counts for the keys. */
  readonly limiter: RateLimiter;
  /** Who is admitted without a key; by default, nobody. */
  readonly anonymous?: AnonymousCallers | undefined;
  readonly readiness: (nowMs: number) => Readiness;
  /** Answers from older data have a `Warning` header. */
  readonly maxDataAgeMs?: number | undefined;
  /** Whether the port is closed: requests for data on open connections then get 503. */
  readonly isClosing: () => boolean;
  readonly latestAnchor: 'clock' | 'snapshot';
  /** What the process does, for the routes about that. */
  readonly operations?: OperationsView | undefined;
  /** Whose pages may read replies in a browser; by default, none. */
  readonly cors?: CorsPolicy | undefined;
  readonly nowMs: () => number;
  readonly makeRequestId: () => string;
  /** Called on an internal error; the client gets a 500 without details. */
  readonly onInternalError: (error: unknown, requestId: string) => void;
}

/** A request that passed the checks and waits for its body. */
export interface BodyWanted {
  readonly kind: 'body-wanted';
  readonly maxBytes: number;
  /** Once the whole body has arrived. */
  work(body: Uint8Array): Work;
  /** The reply if the body exceeds `maxBytes`. */
  tooLarge(): Reply;
}

/** What a request gets: a reply at once, or one that takes a body or time. */
export type Handled = Reply | BodyWanted | Work;

/** What a preflight says depends on the path and the page. */
const PREFLIGHT = new SharedHeaders(NO_HEADERS);
const VALID_REQUEST_ID = /^[\w.:-]{1,128}$/;
/** RFC 9111 retired the field but kept its meaning, and clients and logs know it. */
const STALE_WARNING: ReplyHeader = ['Warning', '110 - "Response is Stale"'];

const NO_ENDPOINT = 'No endpoint has this path; see /openapi.json.';

const LIVE: Pin = { kind: 'live' };
/** For a caller who has too much waiting; most of that is done when this has passed. */
const TOO_BUSY_HEADERS: readonly ReplyHeader[] = [['Retry-After', '5']];

const TOO_BUSY =
  'Too many requests of this caller that take long are waiting to be answered: send fewer at the same time.';

/** A request that passed the checks. */
interface Asked {
  readonly about: RequestFacts;
  readonly dialect: Dialect;
  readonly caller: Caller;
  readonly query: string;
  readonly parts: PathParts;
  readonly context: HandlerContext;
}

/** A body that has arrived whole. */
interface SentBody extends Pick<Asked, 'query' | 'parts'> {
  readonly body: Uint8Array;
  readonly coding: ContentCoding;
  readonly route: BodyRoute;
  readonly quota: BodyQuota;
}

/** A request whose caller's tier has the endpoint. */
interface Admitted {
  readonly about: RequestFacts;
  readonly dialect: Dialect;
  readonly caller: Caller;
  readonly nowMs: number;
}

/** A dialect's answers to callers without a valid key. */
interface KeyRefusals {
  readonly missing: Answer;
  readonly invalid: Answer;
}

export class Service {
  readonly #options: ServiceOptions;
  readonly #memory = new ThreadMemory();
  /** For requests that name another generation than the live one: one memory, so that the live one's stays warm. */
  #pinnedMemory: ThreadMemory | undefined;
  /** For works, between whose steps other requests are answered. One at a time uses it. */
  #workMemory: ThreadMemory | undefined;
  #isWorking = false;
  readonly #routes: RouteTable;
  /** Headers that pages of other origins may read. */
  readonly #exposed: ReplyHeader;
  readonly #keyRefusals: ReadonlyMap<Dialect, KeyRefusals>;
  /** The list of a service that keeps no other generation than the live one. */
  #alone: readonly KeptGeneration[] = [];
  #document: StaticFile | undefined;

  constructor(options: ServiceOptions) {
    this.#options = options;
    this.#routes = new RouteTable(options.dialects);
    this.#exposed = exposing(replyHeaderNames(options.dialects));
    this.#keyRefusals = new Map(options.dialects.map((dialect) => [dialect, keyRefusals(dialect)]));
  }

  /** Size of the buffer in which answers are assembled. */
  get bufferBytes(): number {
    const further = (this.#pinnedMemory?.out.capacity ?? 0) + (this.#workMemory?.out.capacity ?? 0);
    return this.#memory.out.capacity + further;
  }

  /** Releases memory that large answers needed. Requires: every reply was sent or copied. */
  shrink(): void {
    this.#memory.out.shrink();
    this.#pinnedMemory?.out.shrink();
    if (!this.#isWorking) this.#workMemory?.out.shrink();
  }

  /** Releases generations that are no longer held now, instead of with the next request for data. */
  adopt(generation: Generation): void {
    if (this.#memory.isOf(generation)) return;
    this.#memory.reset(generation);
    this.#pinnedMemory = undefined; // what it is of may no longer be held
    this.#workMemory = undefined; // a work that was begun goes on with it
    this.#alone = [];
  }

  /** Never throws: an internal error becomes a 500 and is reported. */
  handle(request: RequestView): Handled {
    const { cors } = this.#options;
    if (cors === undefined) return this.#route(request);
    const headers = corsHeaders(cors, request.header('origin'), this.#exposed);
    const result = this.#route(request);
    if (!('kind' in result)) return withHeaders(result, headers);
    if (result.kind === 'work') return workWithHeaders(result, headers);
    return {
      ...result,
      work: (body) => workWithHeaders(result.work(body), headers),
      tooLarge: () => withHeaders(result.tooLarge(), headers),
    };
  }

  #route(request: RequestView): Handled {
    const sent = request.header('x-request-id');
    const id = sent !== '' && VALID_REQUEST_ID.test(sent) ? sent : '';
    let found = this.#routes.find(request.method, request.path);
    if (found.kind === 'not-found' && request.path === '/') found = this.#homeFor(request) ?? found;
    if (found.kind === 'file') {
      const { file, label, dialect } = found;
      return this.#reply(fileAnswer(request, file), { id, label, keyId: undefined }, dialect);
    }
    if (found.kind === 'folder') {
      const { location, label, dialect } = found;
      return this.#reply(redirect(location), { id, label, keyId: undefined }, dialect);
    }
    if (found.kind === 'rest') {
      const { route, dialect, below } = found;
      const about: RequestFacts = { id, label: route.label, keyId: undefined };
      try {
        return this.#reply(route.answer(request, below), about, dialect);
      } catch (error) {
        return this.#internalError(error, about, dialect);
      }
    }
    if (found.kind !== 'route') return this.#unrouted(request, found, id);
    const { bound, parts } = found;
    try {
      return this.#routed(request, bound, parts, id);
    } catch (error) {
      return this.#internalError(error, { id, label: bound.label, keyId: undefined }, bound.dialect);
    }
  }

  /** For a person who typed the address of the server alone; a program gets the 404. */
  #homeFor(request: RequestView): Found | undefined {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    return isRead && request.header('accept').includes('text/html') ? this.#routes.home : undefined;
  }

  #unrouted(
    request: RequestView,
    found: Exclude<Found, { kind: 'route' | 'file' | 'folder' | 'rest' }>,
    id: string,
  ): Reply {
    const { dialect } = found;
    const about: RequestFacts = { id, label: OTHER_LABEL, keyId: undefined };
    if (found.kind === 'not-found') {
      const problem = serviceProblem('not_found', found.detail ?? NO_ENDPOINT);
      return this.#reply(refuse(problem), about, dialect);
    }
    const { cors } = this.#options;
    const { allow } = found;
    const headers =
      cors === undefined ? undefined : preflightHeaders(cors, request, allow, dialect.keys.headers);
    if (headers !== undefined)
      return { about, status: 204, headers: PREFLIGHT, ownHeaders: headers, body: '' };
    const problem = serviceProblem('method_not_allowed', `This path answers ${allow} only.`);
    return this.#reply(refuse(problem, [['Allow', allow]]), about, dialect);
  }

  #routed(request: RequestView, bound: BoundRoute, parts: PathParts, id: string): Handled {
    const { route, label, dialect } = bound;
    const nowMs = this.#options.nowMs();
    if (route.kind === 'open') {
      const about: RequestFacts = { id, label, keyId: undefined };
      const answer = route.answer(this.#view(nowMs));
      if (answer.kind === 'text') return openReply(answer.contentType, answer.body, about);
      const fitting = answer.kind === 'static' ? fileAnswer(request, answer.file) : answer;
      return this.#reply(fitting, about, dialect);
    }
    const entry = this.#authenticate(request, dialect, nowMs);
    if (entry.kind !== 'caller') return this.#keyRefused(entry, { id, label, keyId: undefined }, dialect);
    const { caller } = entry;
    const about: RequestFacts = { id, label, keyId: caller.id };
    if (!mayCall(caller, route.endpoint)) {
      const detail = `The tier "${caller.tier}" does not include the endpoint "${route.endpoint}".`;
      return this.#reply(refuse(serviceProblem('forbidden_endpoint', detail)), about, dialect);
    }
    if (route.kind === 'process' || route.kind === 'order')
      return this.#aboutProcess(request, route, { about, dialect, caller, nowMs });
    if (this.#options.isClosing()) {
      return this.#reply(
        unready({ kind: 'unready', code: 'draining', detail: 'This process is shutting down.' }),
        about,
        dialect,
      );
    }
    const live = this.#options.generation();
    if (live === undefined) {
      return this.#reply(
        unready({ kind: 'unready', code: 'no_snapshot', detail: 'No snapshot is loaded yet.' }),
        about,
        dialect,
      );
    }
    const kept = this.#options.kept?.() ?? this.#keptAlone(live);
    const { query } = request;
    const pin = query === '' ? LIVE : pinOf(query, kept);
    const generation = pin.kind === 'pinned' ? pin.generation : live;
    const { latestAnchor } = this.#options;
    const limiter = caller.limiter ?? this.#options.limiter;
    const costsItems = route.kind === 'body' && caller.batchCost === 'item';
    const spent = costsItems ? peekQuota(limiter, caller, nowMs) : spendQuota(limiter, caller, nowMs);
    const quota = this.#warned(spent, generation, nowMs);
    if (quota.answer !== undefined) return this.#reply(quota.answer, about, dialect, quota.headers);
    if (pin.kind === 'refused') {
      const paid = costsItems ? this.#warned(spendQuota(limiter, caller, nowMs), generation, nowMs) : quota;
      return this.#reply(paid.answer ?? pin.answer, about, dialect, paid.headers);
    }
    this.adopt(live);
    const prepared = this.#options.prepared?.();
    const context: HandlerContext = {
      generation,
      kept,
      memory: generation === live ? this.#memory : this.#memoryOf(generation),
      prepared: prepared?.files,
      nowMs,
      latestAnchor,
    };
    if (route.kind === 'read') {
      const answer = route.answer(request, parts, context);
      const fitting = pin.kind === 'live' ? answer : asPinned(answer, generation, prepared);
      return this.#reply(fitting, about, dialect, quota.headers);
    }
    // What is needed later is read now: the native request is gone then.
    const asked: Asked = { about, dialect, caller, query, parts, context };
    if (route.kind === 'long-read') {
      const kept = { query, ifNoneMatch: request.header('if-none-match') };
      return this.#work(asked, quota, (own) => route.answer(kept, parts, own));
    }
    const bodyQuota = new BodyQuota(quota, costsItems ? 0 : 1, caller, (cost) => {
      const laterMs = this.#options.nowMs();
      return this.#warned(spendQuota(limiter, caller, laterMs, cost), generation, laterMs);
    });
    const coding = contentCoding(request.header('content-encoding'));
    return this.#awaitBody(asked, route, coding, bodyQuota);
  }

  #authenticate(request: RequestView, dialect: Dialect, nowMs: number): AuthResult {
    const ring = this.#options.keys();
    const { anonymous } = this.#options;
    const entry = ring.authenticate(dialect.keys.read(request), nowMs);
    if (entry.kind === 'caller' || anonymous === undefined) return entry;
    if (entry.kind === 'invalid' && dialect.keys.isForeign?.(request) !== true) return entry;
    const admitted = anonymous.admit(request, dialect, ring.tier(ANONYMOUS_TIER));
    return admitted.kind === 'caller' ? admitted : entry;
  }

  #aboutProcess(request: RequestView, route: ProcessRoute | OrderRoute, admitted: Admitted): Handled {
    const { about, dialect, caller, nowMs } = admitted;
    const { limiter, operations } = this.#options;
    const quota = spendQuota(caller.limiter ?? limiter, caller, nowMs);
    const reply = (answer: Answer): Reply => this.#reply(answer, about, dialect, quota.headers);
    if (quota.answer !== undefined) return reply(quota.answer);
    if (route.kind === 'process') return reply(route.answer(request, operations));
    const problem = route.refusal(request, (origin) => mayRead(this.#options.cors, origin));
    if (problem !== undefined) return reply(refuse(problem));
    return {
      kind: 'body-wanted',
      maxBytes: route.maxBodyBytes,
      work: (body) => ({
        kind: 'work',
        caller: caller.source,
        steps: () => this.#orderSteps(route, body, admitted, quota),
        refuse: () => reply(refuse(serviceProblem('rate_limited', TOO_BUSY), TOO_BUSY_HEADERS)),
      }),
      tooLarge: () => reply(refuse(serviceProblem('body_too_large', route.tooLarge))),
    };
  }

  *#orderSteps(
    route: OrderRoute,
    body: Uint8Array,
    { about, dialect }: Admitted,
    quota: Quota,
  ): Steps<Reply> {
    try {
      const answer = yield* route.answer(body, this.#options.operations);
      return this.#reply(answer, about, dialect, quota.headers);
    } catch (error) {
      return this.#internalError(error, about, dialect);
    }
  }

  #awaitBody(asked: Asked, route: BodyRoute, coding: ContentCoding, quota: BodyQuota): BodyWanted {
    const { about, dialect, query, parts } = asked;
    return {
      kind: 'body-wanted',
      maxBytes: route.maxBodyBytes,
      work: (body) => {
        const sent: SentBody = { body, coding, route, quota, query, parts };
        return this.#work(asked, quota, (own) => bodySteps(sent, own));
      },
      tooLarge: () => {
        const answer = refuse(serviceProblem('body_too_large', route.tooLarge));
        return this.#reply(quota.admit(1) ?? answer, about, dialect, quota.headers);
      },
    };
  }

  /** `answer` gets a context whose memory is not used by requests that are answered between its steps. */
  #work(asked: Asked, quota: Pick<Quota, 'headers'>, answer: (own: HandlerContext) => Steps<Answer>): Work {
    const { about, dialect, caller } = asked;
    return {
      kind: 'work',
      caller: caller.source,
      steps: () => this.#stepsOf(asked, quota, answer),
      refuse: () => {
        const problem = serviceProblem('rate_limited', TOO_BUSY);
        return this.#reply(refuse(problem, TOO_BUSY_HEADERS), about, dialect, quota.headers);
      },
    };
  }

  *#stepsOf(
    { about, dialect, context }: Asked,
    quota: Pick<Quota, 'headers'>,
    answer: (own: HandlerContext) => Steps<Answer>,
  ): Steps<Reply> {
    const { generation } = context;
    this.#isWorking = true;
    try {
      const own = { ...context, memory: this.#workMemoryOf(generation) };
      return this.#reply(yield* answer(own), about, dialect, quota.headers);
    } catch (error) {
      return this.#internalError(error, about, dialect);
    } finally {
      this.#isWorking = false;
      // Nothing may keep a generation in memory that is no longer live.
      if (generation !== this.#options.generation()) this.#workMemory = undefined;
    }
  }

  #workMemoryOf(generation: Generation): ThreadMemory {
    if (this.#workMemory?.isOf(generation) !== true) this.#workMemory = new ThreadMemory(generation);
    return this.#workMemory;
  }

  #keptAlone(live: Generation): readonly KeptGeneration[] {
    if (this.#alone[0]?.generation !== live) this.#alone = [{ generation: live, changedIds: undefined }];
    return this.#alone;
  }

  /** A memory for a generation that is not live. */
  #memoryOf(generation: Generation): ThreadMemory {
    this.#pinnedMemory ??= new ThreadMemory();
    if (!this.#pinnedMemory.isOf(generation)) this.#pinnedMemory.reset(generation);
    return this.#pinnedMemory;
  }

  #keyRefused(
    { kind }: Exclude<AuthResult, { kind: 'caller' }>,
    about: RequestFacts,
    dialect: Dialect,
  ): Reply {
    const refusals = this.#keyRefusals.get(dialect) as KeyRefusals; // made for every dialect that has routes
    return this.#reply(refusals[kind], about, dialect);
  }

  /** Renders the document on first use: most threads are never asked for it. */
  #view(nowMs: number): ServiceView {
    const { dialects, readiness } = this.#options;
    const document = (): StaticFile => {
      this.#document ??= openApiFile(dialects);
      return this.#document;
    };
    return { document, readiness: () => readiness(nowMs) };
  }

  /** Adds the warning if the data is older than `maxDataAgeMs`. */
  #warned(quota: Quota, generation: Generation, nowMs: number): Quota {
    const { maxDataAgeMs } = this.#options;
    if (maxDataAgeMs === undefined || nowMs - generation.parts.builtAtMs <= maxDataAgeMs) return quota;
    return { ...quota, headers: [...quota.headers, STALE_WARNING] };
  }

  #reply(
    answer: Answer,
    about: RequestFacts,
    dialect: Dialect,
    limitHeaders: readonly ReplyHeader[] = NO_HEADERS,
  ): Reply {
    return toReply(answer, about, this.#options.makeRequestId, limitHeaders, dialect.renderError);
  }

  #internalError(error: unknown, about: RequestFacts, dialect: Dialect): Reply {
    const id = about.id === '' ? this.#options.makeRequestId() : about.id;
    this.#options.onInternalError(error, id);
    const problem = serviceProblem('internal_error', 'The request could not be answered.');
    return this.#reply(refuse(problem), { ...about, id }, dialect);
  }
}

/** The file in the coding that suits the client, or 304 if it has that. */
function fileAnswer(request: RequestView, file: StaticFile): Answer {
  const variant = variantFor(file, request.header('accept-encoding'));
  return { kind: 'file', file, variant, isCurrent: isCurrent(request.header('if-none-match'), variant.etag) };
}

// Generators are functions with names here, never closures: V8 makes a map for each closure that is a generator, and
// keeps it until the next full collection.

function* bodySteps(
  { body, coding, route, quota, query, parts }: SentBody,
  own: HandlerContext,
): Steps<Answer> {
  const decoded = decodeBody(body, coding, route);
  if (decoded.kind === 'problem') return quota.admit(1) ?? decoded;
  const refusal = quota.arrived(decoded.body.length);
  if (refusal !== undefined) return refusal;
  yield;
  const answer = yield* route.answer(query, parts, decoded.body, own, (items) => quota.admit(items));
  return quota.admit(1) ?? answer;
}

function workWithHeaders(work: Work, headers: readonly ReplyHeader[]): Work {
  return {
    ...work,
    steps: () => stepsWithHeaders(work, headers),
    refuse: () => withHeaders(work.refuse(), headers),
  };
}

function* stepsWithHeaders(work: Work, headers: readonly ReplyHeader[]): Steps<Reply> {
  return withHeaders(yield* work.steps(), headers);
}

function keyRefusals({ keys, renderError }: Dialect): KeyRefusals {
  const challenge: readonly ReplyHeader[] = [['WWW-Authenticate', keys.challenge]];
  const missing = serviceProblem('missing_key', keys.advice);
  const invalid = serviceProblem('invalid_key', 'This API key is not valid.');
  return {
    missing: prepareRefusal(missing, challenge, renderError),
    invalid: prepareRefusal(invalid, challenge, renderError),
  };
}
