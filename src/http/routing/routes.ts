// The path table: finds the route for a method and a path, among the routes of all dialects. Parts of a path
// are passed on as sent; handlers decode and check them.

import assert from 'node:assert/strict';
import type { StaticFile } from '../replies/static-files.ts';
import {
  type ApiRoute,
  type Dialect,
  type FilesRoute,
  labelOf,
  methodsOf,
  type OffDialect,
  type PathParts,
  type RestRoute,
  type WidePart,
} from './dialect.ts';

export interface BoundRoute {
  readonly route: ApiRoute;
  readonly dialect: Dialect;
  readonly label: string;
}

interface BoundFiles {
  readonly route: FilesRoute;
  readonly dialect: Dialect;
}

export type Found =
  | { readonly kind: 'route'; readonly bound: BoundRoute; readonly parts: PathParts }
  | { readonly kind: 'file'; readonly file: StaticFile; readonly label: string; readonly dialect: Dialect }
  /** Any path below a mount that has no other route; `below` is what follows the mount. */
  | {
      readonly kind: 'rest';
      readonly route: RestRoute;
      readonly dialect: Dialect;
      readonly below: string;
    }
  | Folder
  | { readonly kind: 'wrong-method'; readonly dialect: Dialect; readonly allow: string }
  /** `detail` replaces the usual one. */
  | { readonly kind: 'not-found'; readonly dialect: Dialect; readonly detail?: string };

/** The path of a folder, without its slash; the location is relative. */
interface Folder {
  readonly kind: 'folder';
  readonly location: string;
  readonly label: string;
  readonly dialect: Dialect;
}

/** What answers a path that has no route, as far as it does not depend on the path. */
type Miss = Extract<Found, { readonly kind: 'not-found' }> | Omit<Extract<Found, { kind: 'rest' }>, 'below'>;

const SLASH = 0x2f;

/** A node of the tree of paths, reached by whole parts. */
interface PathNode {
  /** Few: comparing them in place costs less than slicing a part out and hashing it. */
  readonly literals: Literal[];
  variable: PathNode | undefined;
  /** For the node of a variable: how many parts its value continues for. */
  widthOf: WidePart | undefined;
  /** Mounted here. Repeated slashes after it, from a client that joined base and path, are skipped. */
  dialect: Dialect | undefined;
  read: BoundRoute | undefined;
  body: BoundRoute | undefined;
  /** For paths that match neither a literal nor the variable of this node. */
  files: BoundFiles | undefined;
  /** Whether a path that has a slash after this node is the node's too. */
  mayEndInSlash: boolean;
  notFound: Miss;
  wrongMethod: Found | undefined;
}

interface Literal {
  /** Not empty. */
  readonly text: string;
  /** Its first character. */
  readonly first: number;
  readonly node: PathNode;
}

const NO_PARTS: PathParts = [];

export class RouteTable {
  /** Where a browser that asks for the root is sent; undefined if there are no such pages. */
  readonly home: Folder | undefined;
  readonly #root: PathNode;

  /**
   * The 404 of a path without a route comes from the dialect mounted above it: the first if there are
   * several, the first of all if there is none. Throws when two routes answer the same requests.
   */
  constructor(dialects: readonly Dialect[], off: readonly OffDialect[] = []) {
    const [first] = dialects;
    this.#root = emptyNode(first);
    this.#root.dialect = first;
    for (const dialect of dialects) {
      for (const { path } of dialect.mounts) {
        const mount = partsOf(path).reduce((node, part) => enterLiteral(node, part, first), this.#root);
        if (mount.dialect === undefined) {
          mount.dialect = dialect;
          mount.notFound = { kind: 'not-found', dialect };
        }
        for (const route of dialect.routes) {
          if (route.kind === 'files') {
            addFiles(mount, route, dialect);
            if (route.isHome && route.files.size > 0) this.home = folderOf(route, dialect);
          } else if (route.kind === 'rest') addRest(mount, route, dialect);
          else addRoute(mount, route, dialect);
        }
      }
    }
    for (const each of off) addOff(this.#root, each);
  }

  find(method: string, path: string): Found {
    let node = this.#root;
    // An absolute URI or `*`: not a path, so nothing is below a mount.
    if (path.charCodeAt(0) !== SLASH) return { kind: 'not-found', dialect: node.notFound.dialect };
    let { notFound } = node;
    let mountEnd = 0; // in the path as sent, which may have more slashes than the mount
    // The first parts are in variables, so that the list, one for every request,
    // is allocated at its final size.
    let count = 0;
    let first = '';
    let second = '';
    let third = '';
    let more: PathParts = NO_PARTS;
    let previous = '';
    for (let at = 0; at < path.length; ) {
      let start = at + 1;
      if (node.dialect !== undefined) {
        while (path.charCodeAt(start) === SLASH) start++;
        notFound = node.notFound;
        mountEnd = at;
      }
      const literal = literalAt(node.literals, path, start);
      if (literal !== undefined) {
        node = literal.node;
        at = start + literal.text.length;
        continue;
      }
      const { variable } = node;
      if (variable === undefined) {
        if (node.mayEndInSlash && start === path.length) break;
        return findFile(node, method, path.slice(start - 1)) ?? missed(notFound, path.slice(mountEnd));
      }
      at = partEnd(path, start);
      let part = path.slice(start, at);
      if (variable.widthOf !== undefined && at < path.length) {
        const more = variable.widthOf(part, previous);
        if (more > 0) {
          at = wideEnd(path, at, more, variable);
          part = path.slice(start, at);
        }
      }
      previous = part;
      if (count === 0) first = previous;
      else if (count === 1) second = previous;
      else if (count === 2) third = previous;
      else more = [...more, previous];
      count += 1;
      node = variable;
    }
    const bound =
      method === 'GET' || method === 'HEAD' ? node.read : method === 'POST' ? node.body : undefined;
    if (bound === undefined)
      return node.wrongMethod ?? findFile(node, method, '') ?? missed(notFound, path.slice(mountEnd));
    return { kind: 'route', bound, parts: listOf(count, first, second, third, more) };
  }
}

/**
 * Where a value ends that ended at `end` if it had no further parts. Of the parts after it, the last one is
 * not part of it, nor the two last if the last is a literal there; all are if no pattern continues after it.
 */
function wideEnd(path: string, end: number, more: number, node: PathNode): number {
  if (node.variable === undefined && node.literals.length === 0) {
    return more > 1 ? path.length : partEnd(path, end + 1);
  }
  let limit = path.lastIndexOf('/');
  const literals = node.variable?.literals ?? [];
  if (literalAt(literals, path, limit + 1) !== undefined) limit = path.lastIndexOf('/', limit - 1);
  if (more > 1) return Math.max(end, limit);
  const next = partEnd(path, end + 1);
  return next <= limit ? next : end;
}

function missed(miss: Miss, below: string): Found {
  return miss.kind === 'rest' ? { ...miss, below } : miss;
}

/** `path` is what follows the pattern of the files, '' for nothing. */
function findFile({ files }: PathNode, method: string, path: string): Found | undefined {
  if (files === undefined) return undefined;
  const { route, dialect } = files;
  const file = route.files.get(path === '' ? '/' : path);
  if (file === undefined)
    return route.absence === undefined ? undefined : { kind: 'not-found', dialect, detail: route.absence };
  if (method !== 'GET' && method !== 'HEAD')
    return { kind: 'wrong-method', dialect, allow: methodsOf(route) };
  if (path === '' && route.isFolder) return folderOf(route, dialect);
  return { kind: 'file', file, label: route.label, dialect };
}

function folderOf({ label, pattern }: FilesRoute, dialect: Dialect): Folder {
  return { kind: 'folder', location: `${pattern.slice(pattern.lastIndexOf('/') + 1)}/`, label, dialect };
}

function listOf(count: number, first: string, second: string, third: string, more: PathParts): PathParts {
  switch (count) {
    case 0:
      return NO_PARTS;
    case 1:
      return [first];
    case 2:
      return [first, second];
    case 3:
      return [first, second, third];
    default:
      return [first, second, third, ...more];
  }
}

/** The literal equal to the part at `start`. */
function literalAt(literals: readonly Literal[], path: string, start: number): Literal | undefined {
  if (literals.length === 0) return undefined;
  const first = path.charCodeAt(start);
  for (let i = 0; i < literals.length; i++) {
    const literal = literals[i];
    if (literal.first === first && isPart(literal.text, path, start)) return literal;
  }
  return undefined;
}

/** Whether the part at `start` is the text. Requires: its first character is. */
function isPart(text: string, path: string, start: number): boolean {
  const end = start + text.length;
  // A call of `startsWith` costs more than these few comparisons.
  for (let i = 1; i < text.length; i++) if (path.charCodeAt(start + i) !== text.charCodeAt(i)) return false;
  return end === path.length || path.charCodeAt(end) === SLASH;
}

function emptyNode(dialect: Dialect): PathNode {
  return {
    literals: [],
    variable: undefined,
    widthOf: undefined,
    dialect: undefined,
    read: undefined,
    body: undefined,
    files: undefined,
    mayEndInSlash: false,
    notFound: { kind: 'not-found', dialect },
    wrongMethod: undefined,
  };
}

/** The parts of a pattern or a mount; none for ''. */
function partsOf(pattern: string): readonly string[] {
  return pattern.split('/').slice(1);
}

function enterLiteral(node: PathNode, part: string, dialect: Dialect): PathNode {
  assert.notEqual(part, '', `${dialect.name}: a mount or a pattern has an empty part`);
  const known = node.literals.find(({ text }) => text === part);
  if (known !== undefined) return known.node;
  const added = emptyNode(dialect);
  node.literals.push({ text: part, first: part.charCodeAt(0), node: added });
  return added;
}

function enterVariable(node: PathNode, widthOf: WidePart | undefined, dialect: Dialect): PathNode {
  if (node.variable === undefined) {
    node.variable = emptyNode(dialect);
    node.variable.widthOf = widthOf;
  }
  return node.variable;
}

function addFiles(mount: PathNode, route: FilesRoute, dialect: Dialect): void {
  const node = partsOf(route.pattern).reduce((at, part) => enterLiteral(at, part, dialect), mount);
  // Not `equal`, whose error would contain all bytes of the files as text.
  assert.ok(node.files === undefined, `${dialect.name} ${route.pattern}: there are files already`);
  node.files = { route, dialect };
}

function addRest(mount: PathNode, route: RestRoute, dialect: Dialect): void {
  assert.notEqual(
    mount.notFound.kind,
    'rest',
    `${dialect.name}: another dialect answers the rest of its mount`,
  );
  mount.notFound = { kind: 'rest', route, dialect };
}

/** Says so below its own mounts, except where another dialect answers what begins like them. */
function addOff(root: PathNode, { dialect, detail }: OffDialect): void {
  for (const { path } of dialect.mounts) {
    const node = partsOf(path).reduce<PathNode | undefined>((at, part) => {
      const isTaken = at === undefined || at.variable !== undefined || at.notFound.kind === 'rest';
      return isTaken ? undefined : enterLiteral(at, part, dialect);
    }, root);
    if (node === undefined || node.dialect !== undefined) continue;
    node.dialect = dialect;
    node.notFound = { kind: 'not-found', dialect, detail };
  }
}

function addRoute(mount: PathNode, route: ApiRoute, dialect: Dialect): void {
  const node = partsOf(route.pattern).reduce((at, part) => {
    const variable = /^\{(\w+)\}$/.exec(part)?.[1];
    if (variable === undefined) return enterLiteral(at, part, dialect);
    const widthOf = route.wide?.[variable];
    const next = enterVariable(at, widthOf, dialect);
    assert.equal(
      next.widthOf,
      widthOf,
      `${dialect.name} ${route.pattern}: {${variable}} has two rules for where it ends`,
    );
    return next;
  }, mount);
  const methods = methodsOf(route);
  const side = methods === 'POST' ? 'body' : 'read';
  assert.equal(node[side], undefined, `${dialect.name} ${route.pattern}: ${methods} is answered already`);
  if (route.mayEndInSlash === true) node.mayEndInSlash = true;
  node[side] = { route, dialect, label: labelOf(route) };
  const allow = [node.read, node.body].flatMap((bound) =>
    bound === undefined ? [] : methodsOf(bound.route),
  );
  node.wrongMethod = { kind: 'wrong-method', dialect, allow: allow.join(', ') };
}

/** Where the part at `start` ends: at the next slash, or at the end of the path. */
function partEnd(path: string, start: number): number {
  const slash = path.indexOf('/', start);
  return slash < 0 ? path.length : slash;
}
