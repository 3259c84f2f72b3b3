// Reads package URLs (https://github.com/package-url/purl-spec): those of queries, of SBOMs, of the command
// line. Written here because a batch may have a thousand: only the type, the name and the version are read;
// qualifiers and subpath say nothing about what is affected, and are told.
//
// WordPress has no registered type: its products are `pkg:wordpress/plugin/SLUG`,
// `pkg:wordpress/theme/SLUG` and `pkg:wordpress/wordpress`.

import { PLATFORM_TABLE, type PlatformFacts } from './platforms.ts';

export type Purl =
  | {
      readonly kind: 'held';
      readonly platform: PlatformFacts;
      /** Below the type: of WordPress with the kind of product. */
      readonly name: string;
      /** '' if it has none. */
      readonly version: string;
      /** What is not read: `#subpath` and `?qualifiers`, as sent; '' if it has none. */
      readonly ignored: string;
    }
  /** Of a type whose packages are not held. */
  | { readonly kind: 'other'; readonly type: string; readonly version: string }
  | { readonly kind: 'bad'; readonly problem: PurlProblem };

export type PurlProblem = 'scheme' | 'length' | 'parts' | 'type' | 'escape';

const PLATFORMS_BY_TYPE: ReadonlyMap<string, PlatformFacts> = new Map(
  PLATFORM_TABLE.map((platform) => [platform.purlType, platform]),
);
/** Before its qualifiers: more than any name and version that can be stored, escaped. */
export const MAX_PURL_CHARS = 4096;
const TYPE = /^[a-z][a-z0-9.+-]*$/;

export function parsePurl(text: string): Purl {
  if (!/^pkg:/i.test(text)) return bad('scheme');
  let rest = text.slice(4);
  if (rest.startsWith('/')) rest = rest.replace(/^\/+/, '');
  const end = rest.search(/[?#]/);
  const ignored = end < 0 ? '' : rest.slice(end);
  if (end >= 0) rest = rest.slice(0, end);
  if (rest.length > MAX_PURL_CHARS) return bad('length');
  const slash = rest.indexOf('/');
  if (slash < 0) return bad('parts');
  const type = rest.slice(0, slash).toLowerCase();
  if (!TYPE.test(type)) return bad('type');
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
  if (path === '') return bad('parts');
  const platform = PLATFORMS_BY_TYPE.get(type);
  if (platform === undefined) return { kind: 'other', type, version };
  const name = decoded(path);
  const plain = decoded(version);
  if (name === undefined || plain === undefined) return bad('escape');
  return { kind: 'held', platform, name: platform.nameOfPurl(name), version: plain, ignored };
}

function bad(problem: PurlProblem): Purl {
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
