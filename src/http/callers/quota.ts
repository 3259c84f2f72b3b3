// What a request takes from its caller's quota: one, or for a batch of some tiers one per item.

import { serviceProblem } from '../replies/problems.ts';
import { NO_HEADERS, type ReplyHeader } from '../replies/reply-headers.ts';
import { type Answer, refuse } from '../replies/responses.ts';
import type { Caller } from './auth.ts';
import {
  describeRefusal,
  type Rate,
  type RateLimiter,
  rateLimit,
  retryAfterSeconds,
  type Verdict,
} from './rate-limit.ts';

/** The headers that the quota adds to a reply, and the refusal if too little was left. */
export interface Quota {
  readonly headers: readonly ReplyHeader[];
  readonly answer?: Answer;
}

const NO_QUOTA: Quota = { headers: NO_HEADERS };

/** Takes `cost` requests from the caller's quota; `answer` is the refusal if too few were left. */
export function spendQuota(limiter: RateLimiter, caller: Caller, nowMs: number, cost = 1): Quota {
  const { rate, tier } = caller;
  if (rate === null) return NO_QUOTA;
  return quotaOf(tier, rate, limiter.take(caller.slot, rate, nowMs, cost), cost);
}

/** The quota as it would be after one request, which is not taken. */
export function peekQuota(limiter: RateLimiter, caller: Caller, nowMs: number): Quota {
  const { rate, tier } = caller;
  if (rate === null) return NO_QUOTA;
  return quotaOf(tier, rate, limiter.peek(caller.slot, rate, nowMs), 1);
}

/**
 * The quota of a batch. If it costs one request, that was spent before its body arrived. If it costs one per item, it is
 * spent once, when the items are known; a batch without valid items costs one.
 */
export class BatchQuota {
  #quota: Quota;
  #isOwed: boolean;
  readonly #spend: (cost: number) => Quota;

  constructor(quota: Quota, isOwed: boolean, spend: (cost: number) => Quota) {
    this.#quota = quota;
    this.#isOwed = isOwed;
    this.#spend = spend;
  }

  get headers(): readonly ReplyHeader[] {
    return this.#quota.headers;
  }

  /** Spends what is still owed. Returns the refusal if too little was left. */
  admit(itemCount: number): Answer | undefined {
    if (!this.#isOwed) return undefined;
    this.#isOwed = false;
    this.#quota = this.#spend(Math.max(1, itemCount));
    return this.#quota.answer;
  }
}

function quotaOf(tier: string, rate: Rate, verdict: Verdict, cost: number): Quota {
  const headers: readonly ReplyHeader[] = [
    ['RateLimit-Policy', rate.policy],
    ['RateLimit', rateLimit(tier, verdict)],
  ];
  if (verdict.allowed) return { headers };
  const retryAfter: ReplyHeader = ['Retry-After', String(retryAfterSeconds(verdict.retryAfterMs))];
  const problem = serviceProblem('rate_limited', describeRefusal(rate, verdict, cost));
  return { headers, answer: refuse(problem, [retryAfter]) };
}
