// Query parameters: decoding, and the refusal of known ones that come twice or cannot be decoded. Parameters an
// endpoint does not know are not even looked at.

import type { ParameterError } from './problems.ts';

/** For each name the value, or undefined. */
export type QueryValues<Names extends readonly string[]> = {
  readonly [Place in keyof Names]: string | undefined;
};

/**
 * Values in the order of the known names. One that is refused has none; complaints go to `errors`, one per parameter.
 */
export function readQuery<const Names extends readonly string[]>(
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
  return values as QueryValues<Names>; // as many as there are names
}

/** In a query a plus is a blank. Undefined for a bad escape. */
function decode(text: string): string | undefined {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
