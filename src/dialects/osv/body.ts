// The body of a request, as JSON. The content type is not looked at: clients send others, or none.

import { readJson } from '../../http/json-body.ts';
import type { Steps } from '../../http/work/steps.ts';

export type ParsedBody =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'bad'; readonly message: string };

/** An empty body is a missing value. */
export function* parseBody(body: Uint8Array): Steps<ParsedBody> {
  if (body.length === 0) return { kind: 'json', value: undefined };
  const read = yield* readJson(body);
  switch (read.kind) {
    case 'json':
      return read;
    case 'not-json':
      return { kind: 'bad', message: 'the body must be a JSON object in UTF-8' };
    case 'too-complex':
      return { kind: 'bad', message: `the body may ${read.what}, got more` };
  }
}
