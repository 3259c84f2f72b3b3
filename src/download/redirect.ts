// Where a redirect may lead: never from https to http, and to another origin only if the caller allows it,
// since the headers of a request are for its own origin.

import { HttpError, shownUrl } from './http-error.ts';
import { isValidUrl } from './valid-url.ts';

const MAX_REDIRECTS = 5;

export type HttpMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';

export interface Redirect {
  /** The request in words, for messages. */
  readonly what: string;
  readonly method: HttpMethod;
  readonly from: URL;
  /** As the header says, relative to `from`. */
  readonly location: string;
  /** The origin of the first URL. */
  readonly home: string;
  readonly mayLeaveOrigin: boolean;
  /** How many redirects were followed before. */
  readonly followed: number;
}

export function isRedirect(status: number): boolean {
  return status === 301 || status === 302 || status === 303 || status === 307 || status === 308;
}

/** The URL to ask next. Throws HttpError. */
export function targetOf({ what, method, from, location, home, mayLeaveOrigin, followed }: Redirect): URL {
  const refuse = (problem: string): HttpError => new HttpError('redirect', `${what}: ${problem}`);
  if (!isValidUrl(location, from.href)) throw refuse('redirects to something that is not a URL');
  const target = new URL(location, from.href);
  const shown = shownUrl(target);
  if (followed >= MAX_REDIRECTS) throw refuse(`more than ${MAX_REDIRECTS} redirects, the last to ${shown}`);
  if (method !== 'GET' && method !== 'HEAD') {
    throw refuse(`redirects a ${method} to ${shown}; use the URL that it leads to`);
  }
  if (!/^https?:$/.test(target.protocol)) throw refuse(`redirects to ${shown}, which is not a web address`);
  if (from.protocol === 'https:' && target.protocol === 'http:') {
    throw refuse(`redirects from https to ${shown}, which is not encrypted`);
  }
  if (target.origin !== home && !mayLeaveOrigin) {
    throw refuse(`redirects to another server, ${shown}; if that is right, use its URL`);
  }
  return target;
}
