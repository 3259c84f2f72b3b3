// Package URLs as SBOMs have them: the type, name and version of what can be asked.

import { parsePurl } from '../index/parse-purl.ts';
import type { Platform } from '../index/platforms.ts';
import type { ProductType } from '../index/product-type.ts';

type Purl =
  | { readonly kind: 'package'; readonly type: ProductType; readonly name: string; readonly version: string }
  | { readonly kind: 'left-out'; readonly reason: string };

const CORE: ProductType = 'wordpress';
/** How purls name a plugin, a theme or WordPress itself; Composer's by the packages of wpackagist.org. */
const WORDPRESS_NAMES: readonly (readonly [RegExp, ProductType])[] = [
  [/^(?:composer\/wpackagist-plugin|wordpress\/plugin)\/([^/]+)$/i, 'plugin'],
  [/^(?:composer\/wpackagist-theme|wordpress\/theme)\/([^/]+)$/i, 'theme'],
  [
    /^(?:composer\/(?:johnpbloch\/wordpress-core|roots\/wordpress-no-content)|wordpress\/(wordpress))$/i,
    CORE,
  ],
];
const INVALID = 'a package URL that is not valid';
const LONGEST_TYPE = 40; // of those registered, three times the longest

export function readPurl(text: string): Purl {
  const purl = parsePurl(text);
  if (purl.kind === 'bad') return leftOut(INVALID);
  if (purl.kind === 'other') {
    const { type } = purl;
    return leftOut(type.length > LONGEST_TYPE ? INVALID : `ecosystem ${type}`);
  }
  const { platform, name, version } = purl;
  const found = purlPackage(platform.name, name);
  return found === undefined ? leftOut(INVALID) : { kind: 'package', ...found, version };
}

/** What a package of a platform other than WordPress is here: Composer installs plugins and themes too. */
export function purlPackage(platform: Exclude<Platform, 'wordpress'>, name: string): NamedPackage;
/** Undefined for a name that WordPress does not have. */
export function purlPackage(platform: Platform, name: string): NamedPackage | undefined;
export function purlPackage(platform: Platform, name: string): NamedPackage | undefined {
  for (const [pattern, type] of WORDPRESS_NAMES) {
    const match = pattern.exec(`${platform}/${name}`);
    if (match) return { type, name: match[1] ?? CORE };
  }
  // All others have one type, of the same name.
  return platform === 'wordpress' ? undefined : { type: platform, name };
}

type NamedPackage = Pick<Extract<Purl, { readonly kind: 'package' }>, 'type' | 'name'>;

function leftOut(reason: string): Purl {
  return { kind: 'left-out', reason };
}
