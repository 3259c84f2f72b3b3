// Which product an OSV package is. The OSV schema defines the ecosystem `npm` but none for WordPress;
// databases of WordPress records use several spellings, and those that say whether a plugin or a theme is
// meant are accepted.

import { printable } from '../../index/memory/text-limits.ts';
import type { ProductType } from '../../index/product-type.ts';

export type NamedProduct =
  | { readonly kind: 'product'; readonly type: ProductType; readonly slug: string; readonly name: string }
  | { readonly kind: 'foreign'; readonly ecosystem: string }
  | { readonly kind: 'unclear'; readonly message: string };

const ACCEPTED =
  'write the ecosystem WordPress with plugin/SLUG, theme/SLUG or wordpress, or WordPress:Plugin, WordPress:Theme, wordpress-plugin or wordpress-theme with SLUG';

const PREFIXES: { readonly [prefix: string]: ProductType } = {
  plugin: 'plugin',
  plugins: 'plugin',
  theme: 'theme',
  themes: 'theme',
};
const CORE = 'wordpress';
const LONGEST_ECOSYSTEM = 60;

/** The product, or the ecosystem (without its suffix) if it is one whose products are not served. */
export function productOf(ecosystem: string, name: string): NamedProduct {
  const colon = ecosystem.indexOf(':');
  const base = colon === -1 ? ecosystem : ecosystem.slice(0, colon);
  const suffix = colon === -1 ? '' : ecosystem.slice(colon + 1);
  switch (base.toLowerCase()) {
    case 'npm':
      return { kind: 'product', type: 'npm', slug: name, name };
    case 'wordpress':
      return wordpressProduct(name, PREFIXES[suffix.toLowerCase()]);
    case 'wordpress-plugin':
      return wordpressProduct(name, 'plugin');
    case 'wordpress-theme':
      return wordpressProduct(name, 'theme');
    default:
      return { kind: 'foreign', ecosystem: printable(base.slice(0, LONGEST_ECOSYSTEM)) };
  }
}

/** `type` is what the ecosystem says; without one, the name must say it. */
function wordpressProduct(name: string, type: ProductType | undefined): NamedProduct {
  const parts = name.split('/');
  const slug = parts.at(-1)?.toLowerCase() ?? '';
  if (parts.length === 2 && slug !== '') {
    const named = PREFIXES[parts[0].toLowerCase()];
    if (named !== undefined && (type === undefined || type === named)) {
      return { kind: 'product', type: named, slug, name: slug };
    }
  }
  if (parts.length === 1 && slug !== '') {
    if (type !== undefined) return { kind: 'product', type, slug, name: slug };
    if (slug === CORE) return { kind: 'product', type: 'wordpress', slug, name: 'WordPress' };
  }
  const meant = type === undefined ? '' : ` for a ${type}`;
  return { kind: 'unclear', message: `does not name one WordPress product${meant}; ${ACCEPTED}` };
}
