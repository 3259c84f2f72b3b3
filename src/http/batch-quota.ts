// What a batch takes from its caller's quota. Where it costs one request, that was spent before its body came. Where
// it costs one for each item, it is spent when the items are known, once, and a batch without good items costs one.

import type { Answer, ReplyHeader } from './responses.ts';

/** What the caller's quota adds to a reply, or is instead of one. */
export interface Quota {
  readonly headers: readonly ReplyHeader[];
  readonly answer?: Answer;
}

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

  /** Spends what is still owed; the refusal when there was too little left. */
  admit(itemCount: number): Answer | undefined {
    if (!this.#isOwed) return undefined;
    this.#isOwed = false;
    this.#quota = this.#spend(Math.max(1, itemCount));
    return this.#quota.answer;
  }
}
