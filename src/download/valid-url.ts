// Whether a text is a URL, also for texts that are not ASCII: once `URL.canParse` is called often enough to
// be optimised, Node 20 and 22 hand it Latin-1 characters as if they were UTF-8, and a host such as
// münchen.example is refused.

const ASCII = /^[\0-\x7f]*$/;
/**
 * Nearly every URL of an advisory: nothing in it is escaped or changed by parsing, and its host cannot be a
 * number or an encoded name.
 */
const PLAIN =
  /^https?:\/\/((?:[a-z\d]+(?:-[a-z\d]+)*\.)+[a-z]{2,})(?:\/[\w.~/-]*)?(?:\?[\w.~/=&-]*)?(?:#[\w.~/=-]*)?$/;

/** The host of a URL that needs no parsing to be known as one; undefined for any other text. */
export function plainHost(text: string): string | undefined {
  return PLAIN.exec(text)?.[1];
}

export function isPlainUrl(text: string): boolean {
  return PLAIN.test(text);
}

export function isValidUrl(text: string, base?: string): boolean {
  if (base === undefined && isPlainUrl(text)) return true;
  if (ASCII.test(text) && (base === undefined || ASCII.test(base))) return URL.canParse(text, base);
  try {
    return new URL(text, base) !== undefined;
  } catch {
    return false;
  }
}
