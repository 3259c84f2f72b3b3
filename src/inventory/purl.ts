// Package URLs as SBOMs have them: the type, name and version of what can be asked.

import { parsePurl } from '../index/parse-purl.ts';
import type { ProductType } from '../index/product-type.ts';

export type Purl =
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
  for (const [pattern, type] of WORDPRESS_NAMES) {
    const match = pattern.exec(`${platform.purlType}/${name}`);
    if (match) return { kind: 'package', type, name: match[1] ?? CORE, version };
  }
  // All others have one type, of the same name.
  return platform.name === 'wordpress'
    ? leftOut(INVALID)
    : { kind: 'package', type: platform.name, name, version };
}

function leftOut(reason: string): Purl {
  return { kind: 'left-out', reason };
}
