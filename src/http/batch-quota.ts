// What a batch takes from its caller's quota. If it costs one request, that was spent before its body arrived. If it
// costs one per item, it is spent once, when the items are known; a batch without valid items costs one.

import type { ReplyHeader } from './reply-headers.ts';
import type { Answer } from './responses.ts';

/** The headers that the quota adds to a reply, and the refusal if too little was left. */
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

  /** Spends what is still owed. Returns the refusal if too little was left. */
  admit(itemCount: number): Answer | undefined {
    if (!this.#isOwed) return undefined;
    this.#isOwed = false;
    this.#quota = this.#spend(Math.max(1, itemCount));
    return this.#quota.answer;
  }
}
