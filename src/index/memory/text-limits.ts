// Why a text cannot be a slug, a name or a version, whatever it means: too many bytes, or control characters.

/**
 * Whether the text has more than `maxBytes` bytes of UTF-8. A lone surrogate counts as the U+FFFD that
 * replaces it: three bytes.
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
      // A pair takes four bytes: two more than its two units, added above.
      if (next >= 0xdc00 && next < 0xe000) i++;
    }
  }
  return bytes > maxBytes;
}

/** On one line, without what a terminal would obey: each run of control characters becomes a space. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ');
}

/** Whether any character is of Unicode's category Cc: C0, DEL and C1. */
export function hasControlCharacter(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return true;
  }
  return false;
}
