// What a request takes from its caller's quota: one, or for a body of some callers
// more, by its items or its size.

import { MAX_BATCH_ITEMS } from '../../access/batch-items.ts';
import { serviceProblem } from '../replies/problems.ts';
import { NO_HEADERS, NO_OWN_HEADERS, OwnHeaders, type ReplyHeader } from '../replies/reply-headers.ts';
import { type Refusal, refuse } from '../replies/responses.ts';
import type { Caller } from './auth.ts';
import {
  describeRefusal,
  type Limiter,
  quotaLeft,
  type Rate,
  retryAfterSeconds,
  type Verdict,
} from './rate-limit.ts';

/** The headers that the quota adds to a reply, and the refusal if too little was left. */
export interface Quota {
  readonly headers: OwnHeaders;
  readonly answer?: Refusal;
}

const NO_QUOTA: Quota = { headers: NO_OWN_HEADERS };

/** Takes `cost` requests from the caller's quota; `answer` is the refusal if too few were left. */
export function spendQuota(limiter: Limiter, caller: Caller, nowMs: number, cost: number): Quota {
  if (caller.rate === null) return NO_QUOTA;
  return quotaOf(caller, caller.rate, limiter.take(caller.slot, caller.rate, nowMs, cost), cost);
}

/** The quota as it would be after one request, which is not taken. */
export function peekQuota(limiter: Limiter, caller: Caller, nowMs: number): Quota {
  if (caller.rate === null) return NO_QUOTA;
  return quotaOf(caller, caller.rate, limiter.peek(caller.slot, caller.rate, nowMs), 1);
}

/**
 * What a caller who is charged by size gets for one request: so many items, and so
 * many bytes without their coding.
 */
const ITEMS_PER_REQUEST = 100;
const BYTES_PER_REQUEST = 64 * 1024;
/** What a body costs a request for, in a sentence. */
const PER: Readonly<Record<Caller['batchCost'], string>> = {
  request: 'one for all of it',
  item: 'one for each item',
  size: `one for every ${ITEMS_PER_REQUEST} items or ${BYTES_PER_REQUEST / 1024} KiB`,
};
/** The most that a body costs: a tier that charges more than one request has at least this burst. */
const MAX_COST = MAX_BATCH_ITEMS;

/**
 * The quota of a body. If it costs one request, that was spent before it arrived. Otherwise it is spent at
 * once, when the items are known; a body without valid items costs one item, or its bytes. What was refused
 * once is not asked for again.
 */
export class BodyQuota {
  readonly #caller: Pick<Caller, 'batchCost' | 'rate'>;
  readonly #spend: (cost: number) => Quota;
  #quota: Quota;
  #spent: number;
  #bytes = 0;

  /** `quota` is that of the `spent` requests. */
  constructor(
    quota: Quota,
    spent: number,
    caller: Pick<Caller, 'batchCost' | 'rate'>,
    spend: (cost: number) => Quota,
  ) {
    this.#quota = quota;
    this.#spent = spent;
    this.#caller = caller;
    this.#spend = spend;
  }

  get headers(): OwnHeaders {
    return this.#quota.headers;
  }

  /** The size of the body, without its coding. */
  arrived(bytes: number): void {
    this.#bytes = bytes;
  }

  /** Charges what is still owed. Returns the refusal if too little was left. */
  admit(itemCount: number): Refusal | undefined {
    if (this.#quota.answer !== undefined) return this.#quota.answer;
    const owed = this.#costOf(itemCount) - this.#spent;
    if (owed <= 0) return undefined;
    this.#spent += owed;
    this.#quota = this.#spend(owed);
    return this.#quota.answer;
  }

  #costOf(itemCount: number): number {
    const { batchCost, rate } = this.#caller;
    if (batchCost === 'request') return 1;
    const wanted =
      batchCost === 'item'
        ? itemCount
        : Math.min(
            rate?.burst ?? MAX_COST, // of a tier that need not have the burst of one that counts items
            Math.max(Math.ceil(itemCount / ITEMS_PER_REQUEST), Math.ceil(this.#bytes / BYTES_PER_REQUEST)),
          );
    return Math.max(1, Math.min(wanted, MAX_COST));
  }
}

function quotaOf({ batchCost }: Caller, rate: Rate, verdict: Verdict, cost: number): Quota {
  const headers = new OwnHeaders(quotaLeft(rate, verdict), NO_HEADERS);
  if (verdict.allowed) return { headers };
  const retryAfter: ReplyHeader = ['Retry-After', String(retryAfterSeconds(verdict.retryAfterMs))];
  const problem = serviceProblem('rate_limited', describeRefusal(rate, verdict, cost, PER[batchCost]));
  return { headers, answer: refuse(problem, [retryAfter]) };
}
