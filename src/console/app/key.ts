// The API key of this tab. It is in session storage, so it ends with the tab, and it leaves the page in a header only.

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
