// What the address says: `#/VIEW?PARAMETERS`. All of it is in the fragment, which browsers do not send, so
// neither keys nor what somebody looked up get into an access log.

export const VIEWS = ['lookup', 'inventory', 'data', 'operate'] as const;
export type ViewName = (typeof VIEWS)[number];

export interface Route {
  readonly view: ViewName;
  readonly parameters: URLSearchParams;
}

const KEY = 'key';

/** The route of a fragment; `fallback` without parameters where it names no view. */
export function routeOf(fragment: string, fallback: ViewName): Route {
  const { path, parameters } = split(fragment);
  const view = VIEWS.find((name) => path === `/${name}`);
  return view === undefined ? { view: fallback, parameters: new URLSearchParams() } : { view, parameters };
}

/** The fragment of a route, with its `#`. Parameters without a value are left out. */
export function fragmentOf(
  view: ViewName,
  parameters: Readonly<Record<string, string | undefined>> = {},
): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const query = new URLSearchParams(given).toString();
  return query === '' ? `#/${view}` : `#/${view}?${query}`;
}

/**
 * The key that the address brought; undefined if it brought none. Both `#key=K` and `#/VIEW?key=K` bring one.
 */
export function keyIn(fragment: string): string | undefined {
  return split(fragment).parameters.get(KEY) || undefined;
}

/** The fragment without its key. */
export function withoutKey(fragment: string): string {
  const { path, parameters } = split(fragment);
  parameters.delete(KEY);
  const query = parameters.toString();
  return `#${path}${query === '' ? '' : `?${query}`}`;
}

function split(fragment: string): { readonly path: string; readonly parameters: URLSearchParams } {
  const text = fragment.replace(/^#/, '');
  if (!text.startsWith('/')) return { path: '', parameters: new URLSearchParams(text) };
  const mark = text.indexOf('?');
  return mark < 0
    ? { path: text, parameters: new URLSearchParams() }
    : { path: text.slice(0, mark), parameters: new URLSearchParams(text.slice(mark + 1)) };
}
