// What a JSON schema accepts as a URI. References come from many databases, some with blanks or letters of
// any script.

const URI =
  /^[a-z][a-z0-9+.-]*:(?:[\w.~:/?@!$&'()*+,;=-]|%[0-9a-f]{2})+(?:#(?:[\w.~:/?@!$&'()*+,;=-]|%[0-9a-f]{2})*)?$/i;

/**
 * The text, with what a URI may not contain escaped; undefined if it is not one even then. Requires: no lone
 * surrogate.
 */
export function uriOf(text: string): string | undefined {
  if (URI.test(text)) return text;
  const hash = text.indexOf('#');
  const whole = hash < 0 ? escaped(text) : `${escaped(text.slice(0, hash))}#${escaped(text.slice(hash + 1))}`;
  return URI.test(whole) ? whole : undefined;
}

function escaped(text: string): string {
  return text.replace(/%(?![0-9a-f]{2})|[^\w.~:/?@!$&'()*+,;=%-]+/gi, (part) => encodeURIComponent(part));
}

/**
 * The address of an advisory's page, for clients that fail over a missing one. Only in a damaged snapshot is
 * it no URI.
 */
export function pageUri(text: string | null): string {
  return uriOf(text ?? '') ?? 'about:blank';
}
