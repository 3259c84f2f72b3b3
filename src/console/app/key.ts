// The API key of this tab. It is in session storage, so it ends with the tab, and it leaves the page in a
// header only.

import { keyIn, withoutKey } from './route.ts';

const PLACE = 'vulndex-key';

/** '' if there is none. */
export function keptKey(): string {
  return sessionStorage.getItem(PLACE) ?? '';
}

export function keepKey(key: string): void {
  sessionStorage.setItem(PLACE, key);
}

export function forgetKey(): void {
  sessionStorage.removeItem(PLACE);
}

/**
 * Takes the key that the address brought out of it, and returns it to be asked about: whoever made the link
 * may see what is looked up with it. Undefined if there is none, or the tab has it already.
 */
export function takeKey(): string | undefined {
  const key = keyIn(location.hash);
  if (key === undefined) return undefined;
  history.replaceState(null, '', withoutKey(location.hash));
  return keptKey() === key ? undefined : key;
}
