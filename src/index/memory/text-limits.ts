// What keeps a text from being a slug, a name or a version before anybody reads it: its size in bytes, and control
// characters.

/**
 * Whether the text has more bytes of UTF-8 than that. A lone surrogate counts as the U+FFFD that is written for it:
 * three bytes, like its neighbours.
 */
export function isLongerThan(text: string, maxBytes: number): boolean {
  const length = text.length;
  if (length * 3 <= maxBytes) return false;
  if (length > maxBytes) return true;
  let bytes = length;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) continue;
    bytes += code < 0x800 ? 1 : 2;
    if (code >= 0xd800 && code < 0xdc00 && i + 1 < length) {
      const next = text.charCodeAt(i + 1);
      // A pair is four bytes: two beyond its two units, already added.
      if (next >= 0xdc00 && next < 0xe000) i++;
    }
  }
  return bytes > maxBytes;
}

/** Whether any character is of Unicode's category Cc: C0, DEL and C1. */
export function hasControlCharacter(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return true;
  }
  return false;
}
