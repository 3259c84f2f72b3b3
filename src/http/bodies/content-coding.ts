// Request bodies with a content coding (RFC 9110 8.4): which codings are known, and decoding with a bound,
// because a few bytes of gzip can stand for gigabytes.

import { gunzipSync, inflateSync } from 'node:zlib';
import { serviceProblem } from '../replies/problems.ts';
import { type Refusal, refuse } from '../replies/responses.ts';
import type { BodyRoute } from '../routing/dialect.ts';

export type ContentCoding = 'identity' | 'gzip' | 'deflate' | 'unknown';

const KNOWN_CODINGS = 'gzip, deflate, identity';

/** The coding that a Content-Encoding header names; '' for none. */
export function contentCoding(contentEncoding: string): ContentCoding {
  switch (contentEncoding.trim().toLowerCase()) {
    case '':
    case 'identity':
      return 'identity';
    case 'gzip':
    case 'x-gzip':
      return 'gzip';
    case 'deflate':
      return 'deflate';
    default:
      return 'unknown';
  }
}

export type DecodedBody = { readonly kind: 'body'; readonly body: Uint8Array } | Refusal;

/** The body without its coding, or why there is none. */
export function decodeBody(
  body: Uint8Array,
  coding: ContentCoding,
  { maxDecodedBytes, tooLarge }: Pick<BodyRoute, 'maxDecodedBytes' | 'tooLarge'>,
): DecodedBody {
  if (coding === 'identity' || maxDecodedBytes === undefined) return { kind: 'body', body };
  if (coding === 'unknown') {
    const detail = `A body may have one of these content codings: ${KNOWN_CODINGS}.`;
    return refuse(serviceProblem('unsupported_encoding', detail), [['Accept-Encoding', KNOWN_CODINGS]]);
  }
  const inflate = coding === 'gzip' ? gunzipSync : inflateSync;
  try {
    return { kind: 'body', body: inflate(body, { maxOutputLength: maxDecodedBytes }) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      return refuse(serviceProblem('body_too_large', tooLarge));
    }
    return refuse(serviceProblem('invalid_encoding', `The body is not valid ${coding}.`));
  }
}
