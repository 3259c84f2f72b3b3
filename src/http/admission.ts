// Who may ask, and how often: the key, its tier and its quota, in the order that the contract fixes. What a
// caller without a key may do is anonymous.ts's.

import type { Generation } from '../index/generation.ts';
import type { AnonymousCallers } from './callers/anonymous.ts';
import { ANONYMOUS_TIER, type AuthResult, type Caller, type KeyRing, mayCall } from './callers/auth.ts';
import { peekQuota, type Quota, spendQuota } from './callers/quota.ts';
import type { Limiter } from './callers/rate-limit.ts';
import { type Problem, serviceProblem } from './replies/problems.ts';
import type { ReplyHeader } from './replies/reply-headers.ts';
import { prepareRefusal, type Refusal, refuse } from './replies/responses.ts';
import type { Dialect } from './routing/dialect.ts';
import type { RequestView } from './transport/request-view.ts';

export interface AdmissionOptions {
  /** Those that refuse callers without a valid key, each in its own form. */
  readonly dialects: readonly Dialect[];
  readonly keys: () => Pick<KeyRing, 'authenticate' | 'tier'>;
  /** Counts for the keys. */
  readonly limiter: Limiter;
  /** Who is admitted without a key; by default, nobody. */
  readonly anonymous?: AnonymousCallers | undefined;
  /** Answers from older data have a `Warning` header. */
  readonly maxDataAgeMs?: number | undefined;
}

type Admitted = Extract<AuthResult, { readonly kind: 'caller' }>;

/** A dialect's answers to callers without a valid key. */
type KeyRefusals = Readonly<Record<'missing' | 'invalid', Refusal>>;

/** RFC 9111 retired the field but kept its meaning, and clients and logs know it. */
const STALE_WARNING: readonly ReplyHeader[] = [['Warning', '110 - "Response is Stale"']];

export class Admission {
  readonly #options: AdmissionOptions;
  readonly #keyRefusals: ReadonlyMap<Dialect, KeyRefusals>;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#keyRefusals = new Map(options.dialects.map((dialect) => [dialect, keyRefusals(dialect)]));
  }

  /** The caller, or the answer to one without a valid key. */
  admit(request: RequestView, dialect: Dialect, nowMs: number): Admitted | Refusal {
    const entry = this.#authenticate(request, dialect, nowMs);
    if (entry.kind === 'caller') return entry;
    // Made for every dialect that has routes.
    const refusals = this.#keyRefusals.get(dialect) as KeyRefusals;
    return refusals[entry.kind];
  }

  /** The answer to a caller whose tier does not have the endpoint; undefined if it has. */
  forbidden(caller: Caller, endpoint: string): Refusal | undefined {
    if (mayCall(caller, endpoint)) return undefined;
    const detail = `The tier "${caller.tier}" does not include the endpoint "${endpoint}".`;
    return refuse(serviceProblem('forbidden_endpoint', detail));
  }

  /**
   * Takes `cost` requests from the caller's quota. `generation` is what the answer
   * comes from, if it comes from data.
   */
  spend(caller: Caller, generation: Generation | undefined, nowMs: number, cost = 1): Quota {
    const quota = spendQuota(caller.limiter ?? this.#options.limiter, caller, nowMs, cost);
    return this.#warned(quota, generation, nowMs);
  }

  /** The quota as it would be after one request, which is not taken. */
  peek(caller: Caller, generation: Generation, nowMs: number): Quota {
    return this.#warned(peekQuota(caller.limiter ?? this.#options.limiter, caller, nowMs), generation, nowMs);
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

  /** Adds the warning if the data is older than `maxDataAgeMs`. */
  #warned(quota: Quota, generation: Generation | undefined, nowMs: number): Quota {
    const { maxDataAgeMs } = this.#options;
    if (maxDataAgeMs === undefined || generation === undefined) return quota;
    if (nowMs - generation.parts.builtAtMs <= maxDataAgeMs) return quota;
    return { ...quota, headers: quota.headers.with(STALE_WARNING) };
  }
}

function keyRefusals({ keys, renderError }: Dialect): KeyRefusals {
  const challenge: readonly ReplyHeader[] = [['WWW-Authenticate', keys.challenge]];
  const prepare = (problem: Problem): Refusal => prepareRefusal(problem, challenge, renderError);
  return {
    missing: prepare(serviceProblem('missing_key', keys.advice)),
    invalid: prepare(serviceProblem('invalid_key', 'This API key is not valid.')),
  };
}
