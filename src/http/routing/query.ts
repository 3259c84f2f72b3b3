// Query parameters: decodes known ones, and refuses those that are repeated or cannot be decoded. Ignores
// parameters that an endpoint does not know.

import type { ParameterError } from '../replies/problems.ts';

/** The value for each name, or undefined. */
type QueryValues<Names extends readonly string[]> = {
  readonly [Place in keyof Names]: string | undefined;
};

/**
 * The values in the order of the known names; undefined for a refused one, which gets one entry in `errors`.
 */
export function readParameters<const Names extends readonly string[]>(
  query: string,
  known: Names,
  errors: ParameterError[],
): QueryValues<Names> {
  const values: (string | undefined)[] = known.map(() => undefined);
  const complaints = new Map<number, string>();
  for (let start = 0, end = 0; start < query.length; start = end + 1) {
    const ampersand = query.indexOf('&', start);
    end = ampersand < 0 ? query.length : ampersand;
    const equals = query.indexOf('=', start);
    const nameEnd = equals < 0 || equals > end ? end : equals;
    const name = decode(query.slice(start, nameEnd));
    const place = name === undefined ? -1 : known.indexOf(name);
    if (place < 0) continue;
    const value = decode(query.slice(nameEnd + 1, end));
    if (values[place] === undefined) {
      if (value === undefined) complaints.set(place, 'has a percent escape that is not valid');
    } else if (!complaints.has(place)) {
      complaints.set(place, 'must be given once');
    }
    values[place] = value ?? '';
  }
  for (const [place, message] of complaints) {
    errors.push({ parameter: known[place], message });
    values[place] = undefined;
  }
  return values as QueryValues<Names>; // one for each name
}

/** In a query, a plus means a space. Undefined for a bad escape. */
function decode(text: string): string | undefined {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
