// Whether a text is a URL, also for texts that are not ASCII: once `URL.canParse` is called often enough to
// be optimised, Node 20 and 22 hand it Latin-1 characters as if they were UTF-8, and a host such as
// münchen.example is refused.

const ASCII = /^[\0-\x7f]*$/;

export function isValidUrl(text: string, base?: string): boolean {
  if (ASCII.test(text) && (base === undefined || ASCII.test(base))) return URL.canParse(text, base);
  try {
    return new URL(text, base) !== undefined;
  } catch {
    return false;
  }
}
