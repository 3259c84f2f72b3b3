// The path table: what a method and a path mean, from the routes of all dialects. Parts of a path are handed on as sent;
// judging and decoding them is the handlers'.

import assert from 'node:assert/strict';
import { type Dialect, labelOf, methodsOf, type PathParts, type Route } from './dialect.ts';

export interface BoundRoute {
  readonly route: Route;
  readonly dialect: Dialect;
  readonly label: string;
}

export type Found =
  | { readonly kind: 'route'; readonly bound: BoundRoute; readonly parts: PathParts }
  | { readonly kind: 'wrong-method'; readonly dialect: Dialect; readonly allow: string }
  | { readonly kind: 'not-found'; readonly dialect: Dialect };

const SLASH = 0x2f;

/** A place in a path, after whole parts. */
interface Place {
  readonly literals: Map<string, Place>;
  variable: Place | undefined;
  /** Of a variable's place: whether a part goes on in the next one. */
  isWide: ((part: string, before: PathParts) => boolean) | undefined;
  /** Mounted here: slashes doubled behind it, where a client joined base and path, do not matter. */
  dialect: Dialect | undefined;
  read: BoundRoute | undefined;
  body: BoundRoute | undefined;
  notFound: Found;
  wrongMethod: Found | undefined;
}

export class RouteTable {
  readonly #root: Place;

  /** Paths below no mount are told missing by the first dialect. Throws when two routes answer the same requests. */
  constructor(dialects: readonly Dialect[]) {
    const [first] = dialects;
    this.#root = emptyPlace(first);
    this.#root.dialect = first;
    for (const dialect of dialects) {
      for (const { path } of dialect.mounts) {
        const mount = partsOf(path).reduce((place, part) => literalAt(place, part, first), this.#root);
        mount.dialect = dialect;
        mount.notFound = { kind: 'not-found', dialect };
        for (const route of dialect.routes) addRoute(mount, route, dialect);
      }
    }
  }

  find(method: string, path: string): Found {
    let place = this.#root;
    if (path.charCodeAt(0) !== SLASH) return place.notFound;
    let { notFound } = place;
    const parts: string[] = [];
    for (let at = 0; at < path.length; ) {
      let start = at + 1;
      if (place.dialect !== undefined) {
        while (path.charCodeAt(start) === SLASH) start++;
        notFound = place.notFound;
      }
      at = partEnd(path, start);
      const literal = place.literals.size === 0 ? undefined : place.literals.get(path.slice(start, at));
      if (literal !== undefined) {
        place = literal;
        continue;
      }
      const { variable } = place;
      if (variable === undefined) return notFound;
      if (variable.isWide !== undefined && at < path.length) {
        const pairEnd = partEnd(path, at + 1);
        if (pairEnd < path.length && variable.isWide(path.slice(start, at), parts)) at = pairEnd;
      }
      parts.push(path.slice(start, at));
      place = variable;
    }
    const bound =
      method === 'GET' || method === 'HEAD' ? place.read : method === 'POST' ? place.body : undefined;
    return bound === undefined ? (place.wrongMethod ?? notFound) : { kind: 'route', bound, parts };
  }
}

function emptyPlace(dialect: Dialect): Place {
  return {
    literals: new Map(),
    variable: undefined,
    isWide: undefined,
    dialect: undefined,
    read: undefined,
    body: undefined,
    notFound: { kind: 'not-found', dialect },
    wrongMethod: undefined,
  };
}

/** The parts of a pattern or a mount; none for ''. */
export function partsOf(pattern: string): readonly string[] {
  return pattern.split('/').slice(1);
}

function literalAt(place: Place, part: string, dialect: Dialect): Place {
  const known = place.literals.get(part);
  if (known !== undefined) return known;
  const added = emptyPlace(dialect);
  place.literals.set(part, added);
  return added;
}

function variableAt(place: Place, isWide: Place['isWide'], dialect: Dialect): Place {
  place.variable ??= { ...emptyPlace(dialect), isWide };
  return place.variable;
}

function addRoute(mount: Place, route: Route, dialect: Dialect): void {
  const place = partsOf(route.pattern).reduce((at, part) => {
    const variable = /^\{(\w+)\}$/.exec(part)?.[1];
    if (variable === undefined) return literalAt(at, part, dialect);
    const isWide = route.wide?.[variable];
    const next = variableAt(at, isWide, dialect);
    assert.equal(next.isWide, isWide, `${dialect.name} ${route.pattern}: {${variable}} ends in two ways`);
    return next;
  }, mount);
  const side = route.kind === 'body' ? 'body' : 'read';
  const methods = methodsOf(route);
  assert.equal(place[side], undefined, `${dialect.name} ${route.pattern}: ${methods} is answered already`);
  place[side] = { route, dialect, label: labelOf(route) };
  const allow = [place.read, place.body].flatMap((bound) =>
    bound === undefined ? [] : methodsOf(bound.route),
  );
  place.wrongMethod = { kind: 'wrong-method', dialect, allow: allow.join(', ') };
}

/** Where the part that begins at `start` ends: at the next slash or with the path. */
function partEnd(path: string, start: number): number {
  const slash = path.indexOf('/', start);
  return slash < 0 ? path.length : slash;
}
