// Which product an OSV package is. The ecosystems that the OSV schema defines are the platforms of
// product-type.ts. It defines none for WordPress; databases of WordPress records use several spellings, and
// those that say whether a plugin or a theme is meant are accepted.

import { printable } from '../../index/memory/text-limits.ts';
import { formComplaint, NAME_FORMS } from '../../index/name-forms.ts';
import {
  PLATFORM_TABLE,
  PRODUCT_TYPE_TABLE,
  type ProductType,
  type ProductTypeFacts,
} from '../../index/product-type.ts';

type NamedProduct =
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

/** The only type of products of each ecosystem that has one, by its name in lower case. */
const PACKAGES: ReadonlyMap<string, ProductTypeFacts> = new Map(
  PLATFORM_TABLE.flatMap(({ name, ecosystem }) => {
    const types = PRODUCT_TYPE_TABLE.filter(({ platform }) => platform === name);
    return types.length === 1 ? [[ecosystem.toLowerCase(), types[0]] as const] : [];
  }),
);

/** The product, or the ecosystem (without its suffix) if it is one whose products are not served. */
export function productOf(ecosystem: string, name: string): NamedProduct {
  const colon = ecosystem.indexOf(':');
  const base = colon === -1 ? ecosystem : ecosystem.slice(0, colon);
  const suffix = colon === -1 ? '' : ecosystem.slice(colon + 1);
  switch (base.toLowerCase()) {
    case 'wordpress':
      return wordpressProduct(name, PREFIXES[suffix.toLowerCase()]);
    case 'wordpress-plugin':
      return wordpressProduct(name, 'plugin');
    case 'wordpress-theme':
      return wordpressProduct(name, 'theme');
    default:
  }
  const facts = PACKAGES.get(base.toLowerCase());
  if (facts === undefined) {
    return { kind: 'foreign', ecosystem: printable(base.slice(0, LONGEST_ECOSYSTEM)) };
  }
  const misformed = NAME_FORMS[facts.name]?.holdsForRecords ? formComplaint(facts.name, name) : undefined;
  if (misformed !== undefined) {
    return { kind: 'unclear', message: `${JSON.stringify(name)} ${misformed}` };
  }
  return { kind: 'product', type: facts.name, slug: facts.slugFolds[0](name), name };
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
