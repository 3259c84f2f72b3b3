// The dependency trees of the older endpoints, flattened: each name and version once, with a few of the paths
// that lead to it. Trees may be deep, so they are walked without recursion.
//
//     npm   {name, version, requires, dependencies: {a: {version, dependencies: {b: ...}}}}
//     pnpm  {dev: false, dependencies: {".": {version, dependencies: {a: ...}}, "packages__x": ...}}   no name, no version
//
// The first level of pnpm's tree are the packages of the workspace, which nobody published: they are part of
// paths, but are not audited. Only pnpm writes `dev` at the root.

import { isObject, type JsonObject } from '../../http/bodies/json-body.ts';
import type { Steps } from '../../http/work/steps.ts';
import { MAX_NAMES, MAX_VERSIONS } from './body.ts';

export const MAX_NODES = 100_000;
/** Read without a pause. */
const NODES_AT_ONCE = 1_024;
/** Listed of one version. */
export const MAX_PATHS = 10;
/** Of one path; from the middle of a longer one, parts are left out. */
export const MAX_PATH_PARTS = 64;

/** An alias: the name under which a package is installed differs from its own. */
const ALIAS = /^npm:(@?[^@]+)@(.+)$/;

/** One version of a package in a tree. */
export interface Occurrences {
  /** Rows of the tree, at most MAX_PATHS. */
  readonly rows: number[];
  /** Whether all of them are development dependencies, or optional. */
  isDev: boolean;
  isOptional: boolean;
}

type ReadTree =
  | { readonly kind: 'tree'; readonly tree: Tree }
  | { readonly kind: 'not-a-tree'; readonly detail: string }
  | { readonly kind: 'too-large'; readonly what: string };

export class Tree {
  /** By name, by version. */
  readonly packages = new Map<string, Map<string, Occurrences>>();
  /** Distinct names and versions. */
  versionCount = 0;
  // By row: its key in the tree, and the row above it or -1.
  readonly #keys: string[] = [];
  readonly #above: number[] = [];

  get rowCount(): number {
    return this.#keys.length;
  }

  /** Returns the row. */
  addRow(key: string, above: number): number {
    this.#above.push(above);
    return this.#keys.push(key) - 1;
  }

  addPackage(row: number, name: string, version: string, { dev, optional }: JsonObject): void {
    let versions = this.packages.get(name);
    if (versions === undefined) {
      versions = new Map();
      this.packages.set(name, versions);
    }
    const known = versions.get(version);
    if (known === undefined) {
      versions.set(version, { rows: [row], isDev: dev === true, isOptional: optional === true });
      this.versionCount++;
      return;
    }
    if (known.rows.length < MAX_PATHS) known.rows.push(row);
    known.isDev &&= dev === true;
    known.isOptional &&= optional === true;
  }

  /** The keys that lead to a row, as `a>b>c`. */
  pathOf(row: number): string {
    const keys: string[] = [];
    for (let at = row; at >= 0; at = this.#above[at]) keys.push(this.#keys[at]);
    keys.reverse();
    if (keys.length > MAX_PATH_PARTS) {
      const half = MAX_PATH_PARTS / 2;
      keys.splice(half, keys.length - 2 * half, '…');
    }
    return keys.join('>');
  }
}

export function* readTree(root: JsonObject): Steps<ReadTree> {
  const { dependencies } = root;
  if (dependencies === undefined) {
    // npm 10 sends this for a lockfile of version 3: an empty answer would say that a tree nobody looked at
    // is clean.
    if (isObject(root.requires) && Object.keys(root.requires).length > 0) {
      return { kind: 'not-a-tree', detail: NO_TREE };
    }
    return { kind: 'tree', tree: new Tree() };
  }
  return isObject(dependencies)
    ? yield* walk(dependencies, typeof root.dev === 'boolean')
    : { kind: 'not-a-tree', detail: 'The member "dependencies" must be an object of packages by name.' };
}

const NO_TREE =
  'The request has "requires" without "dependencies", so there is no tree to audit. npm 10 sends this for a lockfile of ' +
  'version 3 after the bulk endpoint has failed: run the audit again.';

function* walk(first: JsonObject, hasImporters: boolean): Steps<ReadTree> {
  const tree = new Tree();
  // Level by level, so that the paths listed are the shortest.
  const open = [{ entries: first, above: -1 }];
  let looked = 0;
  for (let at = 0; at < open.length; at++) {
    const { entries, above } = open[at];
    for (const key of Object.keys(entries)) {
      const node = entries[key];
      if (++looked % NODES_AT_ONCE === 0) yield;
      if (!isObject(node)) continue;
      if (tree.rowCount === MAX_NODES) return { kind: 'too-large', what: `${MAX_NODES} nodes` };
      const row = tree.addRow(key, above);
      const { version, dependencies } = node;
      if (typeof version === 'string' && !(hasImporters && above < 0)) {
        const [, name = key, aliased = version] = ALIAS.exec(version) ?? [];
        tree.addPackage(row, name, aliased, node);
        if (tree.packages.size > MAX_NAMES) return { kind: 'too-large', what: `${MAX_NAMES} names` };
        if (tree.versionCount > MAX_VERSIONS) return { kind: 'too-large', what: `${MAX_VERSIONS} versions` };
      }
      if (isObject(dependencies)) open.push({ entries: dependencies, above: row });
    }
  }
  return { kind: 'tree', tree };
}
