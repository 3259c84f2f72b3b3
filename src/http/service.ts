// A request to a reply: the order of checks that the contract fixes (path, method, key, tier, data, quota, body,
// parameters, record), and nothing of sockets. State it needs is handed in as functions, so that a swap of data
// or keys takes effect with the next request.

import type { Generation } from '../index/generation.ts';
import { type AuthResult, type Caller, type KeyRing, mayCall } from './auth.ts';
import { BatchQuota, type Quota } from './batch-quota.ts';
import { type CorsPolicy, corsHeaders, preflightHeaders, withHeaders } from './cors.ts';
import { handleBatch, MAX_BODY_BYTES } from './handlers/batch.ts';
import { type HandlerContext, makeBuffers } from './handlers/context.ts';
import { handleAll, handleLatest } from './handlers/listing.ts';
import { handleExists, handleProduct } from './handlers/product.ts';
import { handleVulnerability } from './handlers/vulnerability.ts';
import { openApiDocument } from './openapi.ts';
import {
  describeRefusal,
  type Rate,
  type RateLimiter,
  rateLimit,
  retryAfterSeconds,
  type Verdict,
} from './rate-limit.ts';
import type { RequestView } from './request-view.ts';
import {
  type Answer,
  makeHead,
  NO_HEADERS,
  openReply,
  preparedProblem,
  problem,
  type Reply,
  type ReplyHeader,
  type RequestFacts,
  toReply,
} from './responses.ts';
import { findRoute, type KeyedRoute, type Route } from './routes.ts';

/** Whether this process wants requests: `unready` names why not. */
export type Readiness =
  | { readonly kind: 'ready' }
  /** Ready, with data that is older than it should be. */
  | { readonly kind: 'stale'; readonly detail: string }
  | {
      readonly kind: 'unready';
      readonly code: 'no_snapshot' | 'draining' | 'no_worker' | 'snapshot_too_old';
      readonly detail: string;
    };

export interface ServiceOptions {
  readonly generation: () => Generation | undefined;
  readonly keys: () => KeyRing;
  readonly limiter: RateLimiter;
  readonly readiness: (nowMs: number) => Readiness;
  /** Answers from older data carry a warning. */
  readonly maxDataAgeMs?: number | undefined;
  /** Whether the port is closed: what still arrives on open connections belongs elsewhere. */
  readonly isClosing: () => boolean;
  readonly latestAnchor: 'clock' | 'snapshot';
  /** Whose pages may read replies in a browser; without it nobody's. */
  readonly cors?: CorsPolicy | undefined;
  readonly nowMs: () => number;
  readonly makeRequestId: () => string;
  /** Hears of our own mistakes; the request gets a bare 500. */
  readonly onInternalError: (error: unknown, requestId: string) => void;
}

/** A request that was let in and now wants its body. */
export interface BodyWanted {
  readonly kind: 'body-wanted';
  readonly maxBytes: number;
  /** The reply to the whole body. */
  finish(body: Uint8Array): Reply;
  /** The reply when the body passes `maxBytes`. */
  tooLarge(): Reply;
}

const NO_QUOTA: Quota = { headers: NO_HEADERS };
const SANE_REQUEST_ID = /^[\w.:-]{1,128}$/;
const RETRY_SOON: ReplyHeader = ['Retry-After', '5']; // seconds: a load or a restart is over by then, or will take long
/** RFC 9111 has retired the field and kept its meaning; it is what clients and logs know. */
const STALE_WARNING: ReplyHeader = ['Warning', '110 - "Response is Stale"'];
const CHALLENGE: ReplyHeader = ['WWW-Authenticate', 'Bearer'];
const MISSING_KEY = preparedProblem(
  'missing_key',
  'Send your API key in the header "PSKey: <key>", or as "Authorization: Bearer <key>".',
  [CHALLENGE],
);
const INVALID_KEY = preparedProblem('invalid_key', 'This API key is not valid.', [CHALLENGE]);
const openApiJson = JSON.stringify(openApiDocument);

export class Service {
  readonly #options: ServiceOptions;
  readonly #buffers = makeBuffers();

  constructor(options: ServiceOptions) {
    this.#options = options;
  }

  /** What answers are put together in. */
  get bufferBytes(): number {
    return this.#buffers.out.capacity;
  }

  /** Gives back what large answers have needed. Requires: every reply was sent or copied. */
  shrink(): void {
    this.#buffers.out.shrink();
  }

  /** Never throws: what goes wrong inside is a 500 and a report. */
  handle(request: RequestView): Reply | BodyWanted {
    const { cors } = this.#options;
    if (cors === undefined) return this.#route(request);
    const headers = corsHeaders(cors, request.header('origin'));
    const result = this.#route(request);
    if (!('kind' in result)) return withHeaders(result, headers);
    return {
      ...result,
      finish: (body) => withHeaders(result.finish(body), headers),
      tooLarge: () => withHeaders(result.tooLarge(), headers),
    };
  }

  #route(request: RequestView): Reply | BodyWanted {
    const sent = request.header('x-request-id');
    const id = sent !== '' && SANE_REQUEST_ID.test(sent) ? sent : '';
    const route = findRoute(request.method, request.path);
    if (!('endpoint' in route)) return this.#open(request, route, id);
    try {
      return this.#keyed(request, route, id);
    } catch (error) {
      return this.#internalError(error, { id, label: route.endpoint, keyId: undefined });
    }
  }

  #open(request: RequestView, route: Exclude<Route, KeyedRoute>, id: string): Reply {
    const label = route.kind === 'not-found' || route.kind === 'wrong-method' ? 'other' : route.kind;
    const about: RequestFacts = { id, label, keyId: undefined };
    switch (route.kind) {
      case 'openapi':
        return openReply(openApiJson, about);
      case 'healthz':
        return openReply('{"status":"ok"}', about);
      case 'readyz': {
        const readiness = this.#options.readiness(this.#options.nowMs());
        return readiness.kind === 'unready'
          ? this.#reply(problem(readiness.code, readiness.detail, [RETRY_SOON]), about)
          : openReply(renderReady(readiness), about);
      }
      case 'wrong-method': {
        const { cors } = this.#options;
        const headers = cors === undefined ? undefined : preflightHeaders(cors, request, route.allow);
        if (headers !== undefined) return { about, status: 204, head: makeHead(204, headers), body: '' };
        const detail = `This path answers ${route.allow} only.`;
        return this.#reply(problem('method_not_allowed', detail, [['Allow', route.allow]]), about);
      }
      case 'not-found':
        return this.#reply(problem('not_found', 'No endpoint has this path; see /openapi.json.'), about);
    }
  }

  #keyed(request: RequestView, route: KeyedRoute, id: string): Reply | BodyWanted {
    const nowMs = this.#options.nowMs();
    const entry = this.#authenticate(request, nowMs);
    if (entry.kind !== 'caller') {
      const answer = entry.kind === 'missing' ? MISSING_KEY : INVALID_KEY;
      return this.#reply(answer, { id, label: route.endpoint, keyId: undefined });
    }
    const { caller } = entry;
    if (!mayCall(caller, route.endpoint)) {
      const detail = `The tier "${caller.tier}" does not include the endpoint "${route.endpoint}".`;
      const about: RequestFacts = { id, label: route.endpoint, keyId: caller.id };
      return this.#reply(problem('forbidden_endpoint', detail), about);
    }
    const about: RequestFacts = { id, label: route.endpoint, keyId: caller.id };
    if (this.#options.isClosing()) {
      return this.#reply(problem('draining', 'This process is shutting down.', [RETRY_SOON]), about);
    }
    const generation = this.#options.generation();
    if (generation === undefined) {
      const answer = problem('no_snapshot', 'No snapshot is loaded yet.', [RETRY_SOON]);
      return this.#reply(answer, about);
    }
    const costsItems = route.kind === 'batch' && caller.batchCost === 'item';
    const spent = costsItems ? this.#peekQuota(caller, nowMs) : this.#spendQuota(caller, nowMs);
    const quota = this.#warned(spent, generation, nowMs);
    if (quota.answer !== undefined) return this.#reply(quota.answer, about, quota.headers);
    const { latestAnchor } = this.#options;
    const { out, matches } = this.#buffers;
    const context: HandlerContext = { generation, nowMs, latestAnchor, out, matches };
    if (route.kind !== 'batch') {
      return this.#reply(dispatch(request, route, context), about, quota.headers);
    }
    return this.#batch(
      request,
      context,
      about,
      new BatchQuota(quota, costsItems, (cost) => {
        const laterMs = this.#options.nowMs();
        return this.#warned(this.#spendQuota(caller, laterMs, cost), generation, laterMs);
      }),
    );
  }

  #batch(
    { query }: RequestView, // read now: the native request is gone when the body has arrived
    context: HandlerContext,
    about: RequestFacts,
    quota: BatchQuota,
  ): BodyWanted {
    return {
      kind: 'body-wanted',
      maxBytes: MAX_BODY_BYTES,
      finish: (body) => {
        try {
          const answer = handleBatch({ query }, body, context, (itemCount) => quota.admit(itemCount));
          return this.#reply(quota.admit(1) ?? answer, about, quota.headers);
        } catch (error) {
          return this.#internalError(error, about);
        }
      },
      tooLarge: () => {
        const answer = problem('body_too_large', `A batch has at most ${MAX_BODY_BYTES} bytes.`);
        return this.#reply(quota.admit(1) ?? answer, about, quota.headers);
      },
    };
  }

  #authenticate(request: RequestView, nowMs: number): AuthResult {
    const psKey = request.header('pskey');
    const authorization = psKey === '' ? request.header('authorization') : '';
    return this.#options.keys().authenticate(psKey, authorization, nowMs);
  }

  /** Takes requests from the caller's quota; `answer` is the refusal when there were too few left. */
  #spendQuota({ rate, slot, tier }: Caller, nowMs: number, cost = 1): Quota {
    if (rate === null) return NO_QUOTA;
    return quotaOf(tier, rate, this.#options.limiter.take(slot, rate, nowMs, cost), cost);
  }

  /** What taking one request would come to. */
  #peekQuota({ rate, slot, tier }: Caller, nowMs: number): Quota {
    if (rate === null) return NO_QUOTA;
    return quotaOf(tier, rate, this.#options.limiter.peek(slot, rate, nowMs), 1);
  }

  /** With a warning on everything that is said from data older than it should be. */
  #warned(quota: Quota, generation: Generation, nowMs: number): Quota {
    const { maxDataAgeMs } = this.#options;
    if (maxDataAgeMs === undefined || nowMs - generation.parts.builtAtMs <= maxDataAgeMs) return quota;
    return { ...quota, headers: [...quota.headers, STALE_WARNING] };
  }

  #reply(answer: Answer, about: RequestFacts, limitHeaders: readonly ReplyHeader[] = NO_HEADERS): Reply {
    return toReply(answer, about, this.#options.makeRequestId, limitHeaders);
  }

  #internalError(error: unknown, about: RequestFacts): Reply {
    const id = about.id === '' ? this.#options.makeRequestId() : about.id;
    this.#options.onInternalError(error, id);
    return this.#reply(problem('internal_error', 'The request could not be answered.'), { ...about, id });
  }
}

/** The body of /readyz with 200. */
export function renderReady(readiness: Exclude<Readiness, { kind: 'unready' }>): string {
  return readiness.kind === 'ready'
    ? '{"status":"ready"}'
    : JSON.stringify({ status: 'ready', warning: readiness.detail });
}

function quotaOf(tier: string, rate: Rate, verdict: Verdict, cost: number): Quota {
  const headers: readonly ReplyHeader[] = [
    ['RateLimit-Policy', rate.policy],
    ['RateLimit', rateLimit(tier, verdict)],
  ];
  if (verdict.allowed) return { headers };
  const retryAfter: ReplyHeader = ['Retry-After', String(retryAfterSeconds(verdict.retryAfterMs))];
  return { headers, answer: problem('rate_limited', describeRefusal(rate, verdict, cost), [retryAfter]) };
}

function dispatch(
  request: RequestView,
  route: Exclude<KeyedRoute, { kind: 'batch' }>,
  context: HandlerContext,
): Answer {
  switch (route.kind) {
    case 'listing':
      return route.endpoint === 'all' ? handleAll(request, context) : handleLatest(request, context);
    case 'product':
      return route.endpoint === 'exists'
        ? handleExists(request, route, context)
        : handleProduct(request, route, context);
    case 'vulnerability':
      return handleVulnerability(request, route.id, context);
  }
}
