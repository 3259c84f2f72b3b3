// Package URLs as SBOMs have them: the type, name and version of what can be asked. Qualifiers and subpath do
// not matter.

import type { PackageType } from './package.ts';

export type Purl =
  | { readonly kind: 'package'; readonly type: PackageType; readonly name: string; readonly version: string }
  | { readonly kind: 'left-out'; readonly reason: string };

/**
 * How each type of purl names a plugin, a theme or WordPress itself; composer by the packages of
 * wpackagist.org.
 */
const WORDPRESS: readonly (readonly [RegExp, PackageType])[] = [
  [/^(?:composer\/wpackagist-plugin|wordpress\/plugin)\/([^/]+)$/i, 'plugin'],
  [/^(?:composer\/wpackagist-theme|wordpress\/theme)\/([^/]+)$/i, 'theme'],
  [
    /^(?:composer\/(?:johnpbloch\/wordpress-core|roots\/wordpress-no-content)|wordpress\/(wordpress))$/i,
    'wordpress',
  ],
];

export function readPurl(text: string): Purl {
  const path = /^pkg:\/*([^?#]*)/i.exec(text)?.[1];
  const slash = path?.indexOf('/') ?? -1;
  if (path === undefined || slash < 1) return leftOut('a package URL that is not valid');
  const type = path.slice(0, slash).toLowerCase();
  const at = path.lastIndexOf('@');
  // An @ before the last slash belongs to a scope.
  const hasVersion = at > path.lastIndexOf('/') && at > slash + 1;
  try {
    const name = decodeURIComponent(hasVersion ? path.slice(slash + 1, at) : path.slice(slash + 1));
    const version = hasVersion ? decodeURIComponent(path.slice(at + 1)) : '';
    if (type === 'npm') return { kind: 'package', type, name, version };
    for (const [pattern, found] of WORDPRESS) {
      const match = pattern.exec(`${type}/${name}`);
      if (match) return { kind: 'package', type: found, name: match[1] ?? 'wordpress', version };
    }
  } catch {
    return leftOut('a package URL that is not valid');
  }
  return leftOut(/^[a-z0-9.+-]{1,40}$/.test(type) ? `ecosystem ${type}` : 'a package URL that is not valid');
}

function leftOut(reason: string): Purl {
  return { kind: 'left-out', reason };
}
