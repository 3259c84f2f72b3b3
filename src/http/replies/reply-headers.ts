// The headers of a reply, as names and values. Lists that many replies begin with are made once, so that a
// transport can prepare them once.

import type { MadeId, RequestId } from '../request-id.ts';

export type ReplyHeader = readonly [name: string, value: string];

export const NO_HEADERS: readonly ReplyHeader[] = [];
/** The body is what its type says: a browser must not guess. */
export const NO_SNIFF: ReplyHeader = ['X-Content-Type-Options', 'nosniff'];

/**
 * A list of headers that many replies begin with. Requires: values without a line
 * break, which would begin a header.
 */
export class SharedHeaders {
  readonly fields: readonly ReplyHeader[];
  /** What the transport made of them. Only the transport uses it. */
  prepared: object | undefined;

  constructor(fields: readonly ReplyHeader[]) {
    this.fields = fields;
  }
}

/** What a tier promises: one object for all replies to its callers. */
export interface QuotaPolicy {
  readonly tier: string;
  /** The header `RateLimit-Policy`. */
  readonly header: ReplyHeader;
}

/** What a caller may still ask for: whole numbers, of which a transport can write the digits by itself. */
export interface QuotaLeft {
  readonly policy: QuotaPolicy;
  readonly remaining: number;
  readonly seconds: number;
}

/** The name of the header that says which request it is. */
export const REQUEST_ID = 'X-Request-Id';

/** The headers of one reply alone: those of its caller's quota, others, and an id that was made for it. */
export class OwnHeaders {
  readonly left: QuotaLeft | undefined;
  readonly others: readonly ReplyHeader[];
  readonly madeId: MadeId | undefined;

  constructor(left: QuotaLeft | undefined, others: readonly ReplyHeader[], madeId?: MadeId) {
    this.left = left;
    this.others = others;
    this.madeId = madeId;
  }

  get fields(): readonly ReplyHeader[] {
    const { left, others, madeId } = this;
    const all = madeId === undefined ? others : [...others, [REQUEST_ID, String(madeId)] as const];
    if (left === undefined) return all;
    const { policy, remaining, seconds } = left;
    return [policy.header, ['RateLimit', `"${policy.tier}";r=${remaining};t=${seconds}`], ...all];
  }

  with(more: readonly ReplyHeader[]): OwnHeaders {
    return more.length === 0 ? this : new OwnHeaders(this.left, [...this.others, ...more], this.madeId);
  }

  named(id: RequestId): OwnHeaders {
    if (id === '') return this;
    return typeof id === 'string'
      ? this.with([[REQUEST_ID, id]])
      : new OwnHeaders(this.left, this.others, id);
  }
}

export const NO_OWN_HEADERS = new OwnHeaders(undefined, NO_HEADERS);

const REASONS = {
  200: 'OK',
  202: 'Accepted',
  204: 'No Content',
  304: 'Not Modified',
  307: 'Temporary Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
} as const;

/** A status that replies may have. A dialect that needs another adds it above. */
export type Status = keyof typeof REASONS;

/** All of them, ascending. */
// The cast restores what Object.keys forgets: the table has exactly the statuses as keys.
export const STATUSES = Object.keys(REASONS).map(Number) as readonly Status[];

/** The reason phrase of a status, as RFC 9110 names it. */
export function reasonOf(status: Status): string {
  return REASONS[status];
}
