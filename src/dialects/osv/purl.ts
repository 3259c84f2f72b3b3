// Package URLs: reading those of queries, and writing those of records. Written here because a batch may have
// a thousand: only the type, the name and the version are read; qualifiers and subpath say nothing about what
// is affected, and are told.
//
// WordPress has no registered type, so queries may use `pkg:wordpress/plugin/SLUG`,
// `pkg:wordpress/theme/SLUG` and `pkg:wordpress/wordpress`, and records have no purl for it.

import { PLATFORM_TABLE } from '../../index/product-type.ts';
import { escapedName } from '../package-url.ts';
import { ecosystemFacts, type HeldEcosystem } from './ecosystems.ts';

export type Purl =
  | {
      readonly kind: 'held';
      readonly ecosystem: HeldEcosystem;
      readonly name: string;
      /** '' if it has none. */
      readonly version: string;
      /** What is not read: `#subpath` and `?qualifiers`, as sent; '' if it has none. */
      readonly ignored: string;
    }
  /** Of a type whose packages are not held. */
  | { readonly kind: 'other'; readonly type: string; readonly version: string }
  | { readonly kind: 'bad'; readonly problem: string };

const ECOSYSTEMS: ReadonlyMap<string, HeldEcosystem> = new Map(
  PLATFORM_TABLE.map(({ purlType, ecosystem }) => [purlType, ecosystem]),
);
const MAX_CHARS = 4096; // more than any name and version that can be stored, escaped
const TYPE = /^[a-z][a-z0-9.+-]*$/;

export function parsePurl(text: string): Purl {
  if (!/^pkg:/i.test(text)) return bad('a purl begins with "pkg:"');
  let rest = text.slice(4);
  if (rest.startsWith('/')) rest = rest.replace(/^\/+/, '');
  const end = rest.search(/[?#]/);
  const ignored = end < 0 ? '' : rest.slice(end);
  if (end >= 0) rest = rest.slice(0, end);
  if (rest.length > MAX_CHARS) return bad(`a purl has at most ${MAX_CHARS} characters before its qualifiers`);
  const slash = rest.indexOf('/');
  if (slash < 0) return bad('a purl has a type and a name');
  const type = rest.slice(0, slash).toLowerCase();
  if (!TYPE.test(type)) return bad('the type of the purl is not valid');
  let path = rest.slice(slash + 1);
  const at = path.lastIndexOf('@');
  let version = '';
  // An @ before the last slash belongs to a scope that was not escaped.
  if (at > path.lastIndexOf('/') && at > 0) {
    version = path.slice(at + 1);
    path = path.slice(0, at);
  }
  // Most have no empty parts.
  if (/^\/|\/\/|\/$/.test(path))
    path = path
      .split('/')
      .filter((part) => part !== '')
      .join('/');
  if (path === '') return bad('a purl has a type and a name');
  const ecosystem = ECOSYSTEMS.get(type);
  if (ecosystem === undefined) return { kind: 'other', type, version };
  const name = decoded(path);
  const plain = decoded(version);
  if (name === undefined || plain === undefined)
    return bad('the purl has a percent escape that is not valid');
  return { kind: 'held', ecosystem, name, version: plain, ignored };
}

function bad(problem: string): Purl {
  return { kind: 'bad', problem };
}

function decoded(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The purl of a package without a version; undefined in an ecosystem without a registered type. */
export function purlOf(ecosystem: HeldEcosystem, name: string): string | undefined {
  const { purlType, purlName } = ecosystemFacts(ecosystem);
  return purlName === null ? undefined : `pkg:${purlType}/${escapedName(purlName(name))}`;
}
