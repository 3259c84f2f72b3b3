// Which entity tags can be sent back. RFC 9110, 8.8.3 also allows bytes above 0x7f, which a header that is
// read as Latin-1 and written as ASCII does not carry.

const ENTITY_TAG = /^(?:W\/)?"[\x21\x23-\x7e]*"$/;

/** The tag as received, or undefined if it is not one that can be sent back. */
export function usableTag(tag: unknown): string | undefined {
  return typeof tag === 'string' && ENTITY_TAG.test(tag) ? tag : undefined;
}
