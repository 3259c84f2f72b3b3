// Which dialects a server speaks, and where, as the operator chose: from names and paths to the dialects
// themselves. dialects.ts lists all of them; the routes that every server has are in service-routes.ts.

import { type Dialect, type Mount, type OffDialect, SERVICE_NAME } from '../http/routing/dialect.ts';
import { ALWAYS_ON, DIALECTS } from './dialects.ts';
import { npmAudit } from './npm-audit/npm-audit.ts';
import { npmUpstream } from './npm-audit/upstream.ts';
import { NO_PAGES, type Pages, pageRoutes } from './page-routes.ts';
import { patchstack } from './patchstack/patchstack.ts';
import { serviceRoutes } from './service-routes.ts';

/** What the operator says. Plain data, which can be posted to a thread. */
export interface MountChoice {
  /**
   * `NAME` for a dialect at its own paths, `NAME=/path` to move it there, `all`; undefined for
   * DEFAULT_MOUNTS.
   */
  readonly mounts: readonly string[] | undefined;
  /** The names of those that answer without a key. */
  readonly anonymous: readonly string[];
  /** The registry behind the npm dialect, without a trailing slash. */
  readonly npmUpstream: string | undefined;
  /** Whether the console and the page of the API are served. */
  readonly console: boolean;
}

/** What is served. */
export interface Selection {
  /** At least one; the first sends the 404 for paths that no dialect has. */
  readonly dialects: readonly Dialect[];
  /** Those of them that answer without a key. */
  readonly anonymous: readonly Dialect[];
  /** Those that are known and not served: their paths answer that they are off. */
  readonly off: readonly OffDialect[];
}

/** The choice cannot be served; the message says why, and what can. */
export class MountsError extends Error {
  override readonly name = 'MountsError';
}

const NPM = npmAudit.name;
/** What is on if the operator says nothing. */
export const DEFAULT_MOUNTS: readonly string[] = [patchstack.name, NPM];

const ALL = 'all';
const PATH = /^(?:\/[\w.~-]+)+$/;
const MAX_PATH_CHARS = 200;

/** Throws MountsError. `known` are the dialects to choose from; `pages` the files of those pages. */
export function selectDialects(
  choice: MountChoice,
  known: readonly Dialect[] = DIALECTS,
  pages: Pages = NO_PAGES,
): Selection {
  const paths = chosenPaths(choice.mounts ?? DEFAULT_MOUNTS, known);
  const chosen = known.flatMap((dialect) => {
    const mounts = paths.get(dialect.name);
    return mounts === undefined ? [] : [{ ...dialect, mounts }];
  });
  const pagesIfOn = choice.console ? [pageRoutes(pages)] : [];
  const apart = [...withServiceRoutes([...chosen, ...ALWAYS_ON]), ...pagesIfOn];
  checkPlaces(apart, known);
  const dialects = [...apart, ...upstreamBelow(choice.npmUpstream, paths.get(NPM))];
  const anonymous = choice.anonymous.map((name) => {
    checkName('--anonymous', name, known);
    const dialect = dialects.find((each) => each.name === name);
    if (dialect !== undefined) return dialect;
    throw new MountsError(`--anonymous ${name}: this mount is off; add ${name} to --mounts`);
  });
  const off = known
    .filter(({ name }) => !paths.has(name))
    .map((dialect) => ({
      dialect,
      detail: `The mount ${dialect.name} is off: see the server's option --mounts.`,
    }));
  return { dialects, anonymous, off };
}

/** The mounts of each dialect that is on, by its name. */
function chosenPaths(
  wanted: readonly string[],
  known: readonly Dialect[],
): ReadonlyMap<string, readonly Mount[]> {
  const paths = new Map<string, readonly Mount[]>();
  for (const word of wanted) {
    if (word === ALL) continue;
    const [name, ...rest] = word.split('=');
    const dialect = checkName('--mounts', name, known);
    const mounts = rest.length === 0 ? dialect.mounts : [movedTo(rest.join('='), word, dialect)];
    const before = paths.get(name) ?? [];
    for (const { path } of mounts) {
      if (!before.some((mount) => mount.path === path)) continue;
      throw new MountsError(`--mounts: ${name} is listed twice at ${path || '/'}: leave one out`);
    }
    paths.set(name, [...before, ...mounts]);
  }
  if (wanted.includes(ALL))
    for (const { name, mounts } of known) if (!paths.has(name)) paths.set(name, mounts);
  return paths;
}

function checkName(option: string, name: string, known: readonly Dialect[]): Dialect {
  const dialect = known.find((each) => each.name === name);
  if (dialect !== undefined) return dialect;
  const choices = [...known.map((each) => each.name), ...(option === '--mounts' ? [ALL] : [])].join(', ');
  throw new MountsError(`${option}: there is no dialect ${JSON.stringify(name)}: choose among ${choices}`);
}

function movedTo(path: string, word: string, { mounts }: Dialect): Mount {
  const isPath = path === '/' || (PATH.test(path) && path.length <= MAX_PATH_CHARS);
  if (!isPath || path.split('/').some((part) => part === '.' || part === '..')) {
    throw new MountsError(
      `--mounts ${word}: ${JSON.stringify(path)} is not a path for a mount: write it as /osv-api or /a/b, without a ` +
        'slash at the end, in letters, digits, ".", "_", "~" and "-"; "/" is the root',
    );
  }
  const plain = path === '/' ? '' : path;
  return (
    mounts.find((mount) => mount.path === plain) ?? { path: plain, description: 'Where the operator put it.' }
  );
}

/**
 * The redirects to a registry, below the mounts of npm. Not at the root, unless npm is there and nowhere
 * else: every path of other dialects that they do not have would be redirected too.
 */
function upstreamBelow(
  upstream: string | undefined,
  mounts: readonly Mount[] | undefined,
): readonly Dialect[] {
  if (upstream === undefined) return [];
  if (mounts === undefined)
    throw new MountsError(`--npm-upstream has no effect while ${NPM} is off: add ${NPM} to --mounts`);
  const ownMounts = mounts.filter((mount) => !isRoot(mount));
  return [{ ...npmUpstream(upstream), mounts: ownMounts.length === 0 ? mounts : ownMounts }];
}

/** Health, readiness and the document are at the root: the contract's own, if it is there. */
function withServiceRoutes(chosen: readonly Dialect[]): readonly Dialect[] {
  const hasOwn = chosen.some(({ name, mounts }) => name === patchstack.name && mounts.some(isRoot));
  if (hasOwn) return chosen;
  const others = chosen.map((dialect) =>
    dialect.name === patchstack.name
      ? { ...dialect, routes: dialect.routes.filter(({ kind }) => kind !== 'open') }
      : dialect,
  );
  return [...others, serviceRoutes];
}

function isRoot({ path }: Mount): boolean {
  return path === '';
}

/** Throws if a dialect was moved to where another one has its mount or a route, which it would hide. */
function checkPlaces(dialects: readonly Dialect[], known: readonly Dialect[]): void {
  for (const { name, mounts } of dialects) {
    const own = known.find((dialect) => dialect.name === name)?.mounts ?? mounts;
    const moved = mounts.filter(({ path }) => !own.some((mount) => mount.path === path));
    for (const { path } of moved) {
      const others = dialects.filter((dialect) => dialect.name !== name);
      for (const other of others) {
        const hidden = placesOf(other).find((place) => isOnTheWay(path, place));
        if (hidden === undefined) continue;
        const remedy = other.routes.every(({ kind }) => kind === 'files') ? ', or add --no-console' : '';
        throw new MountsError(
          `--mounts ${name}=${path || '/'}: ${other.name} answers at ${hidden || '/'}: choose a path of its own${remedy}`,
        );
      }
    }
  }
}

/** The mounts of a dialect, then its paths below them. The root alone does not count: it holds all others. */
function placesOf({ name, mounts, routes }: Dialect): readonly string[] {
  const isOnAnyway = name === SERVICE_NAME || ALWAYS_ON.some((dialect) => dialect.name === name);
  const paths = mounts.map(({ path }) => path);
  const patterns = routes.map((route) => ('pattern' in route ? route.pattern : ''));
  const below = paths.flatMap((path) => patterns.map((pattern) => path + pattern));
  return [...paths, ...below].filter((path) => path !== '' || !isOnAnyway);
}

/**
 * Whether one of two paths leads through the other; a `{variable}` is any part. The root leads through the
 * root only.
 */
function isOnTheWay(mount: string, place: string): boolean {
  if (mount === '' || place === '') return mount === place;
  const [one, other] = [mount.split('/'), place.split('/')];
  const length = Math.min(one.length, other.length);
  return one.slice(0, length).every((part, i) => part === other[i] || /^\{\w+\}$/.test(other[i]));
}
