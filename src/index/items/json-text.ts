// JSON string literals. Most strings need no escaping, and testing for that is cheaper than calling
// JSON.stringify on each.

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what JSON must escape
const NEEDS_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/;

/** The string as a JSON literal with its quotes. */
export function quote(text: string): string {
  return NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** A number or null as JSON. */
export function numberOrNull(value: number | null): string {
  return value === null ? 'null' : String(value);
}
