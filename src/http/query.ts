// Query parameters: decoding, and the refusal of known ones that come twice or cannot be decoded. Parameters an
// endpoint does not know are not even looked at.

import type { ParameterError } from './problems.ts';

/** Values of the known parameters that are present; complaints go to `errors`, one per parameter. */
export function readQuery<Name extends string>(
  query: string,
  known: readonly Name[],
  errors: ParameterError[],
): ReadonlyMap<Name, string> {
  const values = new Map<Name, string>();
  if (query === '') return values;
  const refused = new Set<Name>();
  for (const pair of query.split('&')) {
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals)) as Name | undefined;
    if (name === undefined || !known.includes(name)) continue;
    const value = decode(equals < 0 ? '' : pair.slice(equals + 1));
    const message = values.has(name)
      ? 'must be given once'
      : value === undefined
        ? 'has a percent escape that is not valid'
        : undefined;
    values.set(name, value ?? '');
    if (message === undefined || refused.has(name)) continue;
    refused.add(name);
    errors.push({ parameter: name, message });
  }
  for (const name of refused) values.delete(name);
  return values;
}

/** In a query a plus is a blank. Undefined for a bad escape. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
