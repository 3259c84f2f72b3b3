// The headers of a reply, as names and values. Lists that many replies begin with are made once, so that a
// transport can prepare them once.

export type ReplyHeader = readonly [name: string, value: string];

export const NO_HEADERS: readonly ReplyHeader[] = [];
/** The body is what its type says: a browser must not guess. */
export const NO_SNIFF: ReplyHeader = ['X-Content-Type-Options', 'nosniff'];

interface PreparedHead {
  readonly status: number;
  readonly head: string;
  /** The first header of its own that the last reply had, and the head with it if two in a row had it. */
  first: ReplyHeader | undefined;
  longer: string | undefined;
}

/**
 * A list of headers that many replies begin with. Requires: values without a line
 * break, which would begin a header.
 */
export class SharedHeaders {
  readonly fields: readonly ReplyHeader[];
  /** What the transport made of them for the last status. Only the transport uses it. */
  prepared: PreparedHead | undefined;

  constructor(fields: readonly ReplyHeader[]) {
    this.fields = fields;
  }
}

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
