// What can go wrong between a request and a usable answer. Messages name the URL, the status and the
// beginning of the answer, and never a header or a query that was sent: either may be a key.

import { SourceError } from './source-error.ts';

type HttpErrorCode =
  /** No answer, after all attempts. */
  | 'unreachable'
  /** The certificate is not trusted, or not for this host. */
  | 'untrusted'
  /** An answer with a status that is not a success. */
  | 'status'
  /** The server asks for a longer wait than is allowed. */
  | 'busy'
  | 'redirect'
  /** The answer is not what was asked for. */
  | 'unusable'
  | 'too-large'
  /** Not complete within the time that it may take. */
  | 'too-slow';

export class HttpError extends SourceError {
  override readonly name = 'HttpError';
  readonly code: HttpErrorCode;
  /** Of the last answer, if there was one. */
  readonly status: number | undefined;

  constructor(code: HttpErrorCode, message: string, status?: number, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    this.status = status;
  }
}

const SHOWN_CHARACTERS = 200;
const MIN_SECRET_CHARACTERS = 6;
/** Without the brackets of markup. An access key's id has 20 characters, all that is secret has more. */
const LONG_WORD = /[^\s<>]{20,}/g;

/** A URL as messages show it: without user, password, query and fragment. */
export function shownUrl(url: URL): string {
  return shownLocation(url.href);
}

/** A text that may be a URL, even an invalid one, without those parts; a path is shown as it is. */
export function shownLocation(text: string): string {
  const [, scheme, rest] = /^([a-z][a-z0-9+.-]*:\/\/)([^?#]*)/i.exec(text) ?? [];
  return rest === undefined ? text : `${scheme}${rest.replace(/^[^/]*@/, '')}`;
}

/**
 * What an answer could repeat of a query, as sent and as meant. Shorter values are not worth hiding, and are
 * in any text.
 */
export function secretsIn({ search, searchParams }: URL): string[] {
  const sent = search
    .slice(1)
    .split('&')
    .map((pair) => pair.slice(pair.indexOf('=') + 1));
  return [...sent, ...searchParams.values()].filter((value) => value.length >= MIN_SECRET_CHARACTERS);
}

/**
 * The beginning of an answer on one line, with every secret replaced. `repeatsRequest` is for one to a
 * request with secrets in its headers or body: a page of errors may show these, and escaped in ways that
 * nobody foresees. Its long words are replaced, which tokens and signatures are.
 */
export function excerpt(
  body: Uint8Array,
  secrets: readonly string[],
  { repeatsRequest = false }: { readonly repeatsRequest?: boolean } = {},
): string {
  let text = Buffer.from(body.subarray(0, SHOWN_CHARACTERS * 8)).toString();
  for (const secret of secrets) if (secret !== '') text = text.replaceAll(secret, '[secret]');
  if (repeatsRequest) text = text.replace(LONG_WORD, '[…]');
  // A name that continues beyond the part that was read could still hold the beginning of a secret.
  const line = text.replace(/[\s\p{Cc}\ufffd]+/gu, ' ').trim();
  return line.length <= SHOWN_CHARACTERS ? line : `${line.slice(0, SHOWN_CHARACTERS)}…`;
}
