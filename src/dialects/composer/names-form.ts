// The names in a form of PHP's http_build_query, `packages[0]=a%2Fb&packages[1]=c%2Fd`; also `packages[]=`
// and `packages=`. It comes as a body or as a query. Other members are ignored, but a form without any name
// is refused.

import { MAX_NAMES } from './limits.ts';

export type ReadNames =
  /** Each once, as sent. */
  | { readonly kind: 'names'; readonly names: ReadonlySet<string> }
  | { readonly kind: 'bad'; readonly detail: string }
  | { readonly kind: 'too-many' };

const KEY = /^packages(?:\[\d*\])?$/;
const NO_FORM =
  'Name packages as a form in UTF-8 does, packages[0]=vendor/package&packages[1]=vendor/other: in the body of a POST, or ' +
  'in the query of a GET.';

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

export function readNames(body: Uint8Array): ReadNames {
  try {
    return readForm(strictUtf8.decode(body));
  } catch {
    return { kind: 'bad', detail: NO_FORM };
  }
}

export function readForm(text: string): ReadNames {
  const names = new Set<string>();
  let pairs = 0;
  for (let at = 0; at < text.length; ) {
    if (++pairs > MAX_NAMES) return { kind: 'too-many' };
    const next = text.indexOf('&', at);
    const end = next < 0 ? text.length : next;
    const pair = text.slice(at, end);
    at = end + 1;
    const equals = pair.indexOf('=');
    if (equals < 0) continue;
    const key = decoded(pair.slice(0, equals));
    const value = decoded(pair.slice(equals + 1));
    if (key === undefined || value === undefined) return { kind: 'bad', detail: NO_FORM };
    if (KEY.test(key) && value !== '') names.add(value);
  }
  return names.size === 0 ? { kind: 'bad', detail: NO_FORM } : { kind: 'names', names };
}

/** Undefined for a bad escape, or one that is not UTF-8. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
