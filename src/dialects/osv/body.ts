// The body of a request, as JSON. The content type is not looked at: clients send others, or none.

export type ParsedBody =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'bad'; readonly message: string };

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/** An empty body is a missing value. */
export function parseBody(body: Uint8Array): ParsedBody {
  if (body.length === 0) return { kind: 'json', value: undefined };
  try {
    return { kind: 'json', value: JSON.parse(strictUtf8.decode(body)) as unknown };
  } catch {
    return { kind: 'bad', message: 'the body must be a JSON object in UTF-8' };
  }
}
