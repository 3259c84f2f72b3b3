// The ecosystems of OSV: which names exist, and what a name in a held one means here.
//
// npm is defined by the OSV schema. WordPress is not: its packages are called `plugin/SLUG`, `theme/SLUG` and
// `wordpress` here, and a bare slug means the plugin or the theme that has it.

import type { Generation } from '../../index/generation.ts';
import type { ProductType } from '../../index/product-type.ts';

/** What a product is called in queries and records. */
export interface ProductName {
  readonly type: ProductType;
  readonly name: string;
}

/** The ecosystems whose packages are held, in the order of ecosystems.txt. */
export const HELD_ECOSYSTEMS = ['WordPress', 'npm'] as const;
export type HeldEcosystem = (typeof HELD_ECOSYSTEMS)[number];

/**
 * The names of https://ossf.github.io/osv-schema/#defined-ecosystems (schema 1.7.5), and GIT, which queries
 * may name too. A name that is in neither table is refused in a single query.
 */
const OTHER_ECOSYSTEMS: ReadonlySet<string> = new Set([
  ...['AlmaLinux', 'Alpaquita', 'Alpine', 'Android', 'Azure Linux', 'BellSoft Hardened Containers'],
  ...['Bioconductor', 'Bitnami', 'Chainguard', 'CleanStart', 'ConanCenter', 'CRAN', 'crates.io', 'Debian'],
  ...['Docker Hardened Images', 'Echo', 'FreeBSD', 'GHC', 'GIT', 'GitHub Actions', 'Go', 'Hackage', 'Hex'],
  ...['Julia', 'Kubernetes', 'Linux', 'Mageia', 'Maven', 'MinimOS', 'NuGet', 'opam', 'openEuler', 'openSUSE'],
  ...['OSS-Fuzz', 'Packagist', 'Photon OS', 'Pub', 'PyPI', 'Red Hat', 'Rocky Linux', 'Root', 'RubyGems'],
  ...['SUSE', 'SwiftURL', 'TuxCare', 'Ubuntu', 'VSCode', 'Wolfi'],
]);

export type Ecosystem =
  | { readonly kind: 'held'; readonly name: HeldEcosystem; readonly suffix: string }
  /** Exists, but none of its packages is held. Without its suffix. */
  | { readonly kind: 'other'; readonly name: string }
  | { readonly kind: 'unknown'; readonly name: string };

/** What an ecosystem's name, with any suffix after a colon, stands for. */
export function ecosystemOf(text: string): Ecosystem {
  const colon = text.indexOf(':');
  const name = colon < 0 ? text : text.slice(0, colon);
  const suffix = colon < 0 ? '' : text.slice(colon + 1);
  if (name === 'npm' && suffix === '') return { kind: 'held', name, suffix };
  if (name === 'WordPress' && (suffix === '' || isSuffix(suffix))) return { kind: 'held', name, suffix };
  const exists = OTHER_ECOSYSTEMS.has(name) || (HELD_ECOSYSTEMS as readonly string[]).includes(name);
  return { kind: exists ? 'other' : 'unknown', name };
}

/** `WordPress:Plugin` and `WordPress:Theme`, as some databases write them. */
const SUFFIX_TYPES: { readonly [suffix: string]: ProductType } = { Plugin: 'plugin', Theme: 'theme' };

function isSuffix(suffix: string): boolean {
  return Object.hasOwn(SUFFIX_TYPES, suffix);
}

const CORE = 'wordpress';

export interface NamedProducts {
  /** Empty if no product can have the name. */
  readonly products: readonly ProductName[];
  /** Whether a plugin and a theme have the name: then both are meant. */
  readonly isAmbiguous: boolean;
}

/** What a package's name means, whatever the data has. */
export type Named =
  | { readonly kind: 'none' }
  | { readonly kind: 'product'; readonly product: ProductName }
  /** Of a plugin, of a theme or of both. */
  | { readonly kind: 'bare'; readonly slug: string };

const NONE: Named = { kind: 'none' };

export function productNamed(ecosystem: HeldEcosystem, suffix: string, name: string): Named {
  if (ecosystem === 'npm') return only('npm', name);
  const slash = name.indexOf('/');
  const [kind, slug] = slash < 0 ? ['', name] : [name.slice(0, slash), name.slice(slash + 1)];
  const wanted = suffix === '' ? undefined : SUFFIX_TYPES[suffix];
  if (slash >= 0) {
    const isKind = kind === 'plugin' || kind === 'theme';
    return isKind && (wanted === undefined || wanted === kind) ? only(kind, slug) : NONE;
  }
  if (wanted !== undefined) return only(wanted, slug);
  return slug.toLowerCase() === CORE ? only('wordpress', CORE) : { kind: 'bare', slug };
}

function only(type: ProductType, name: string): Named {
  return { kind: 'product', product: { type, name } };
}

/** The products that a package's name means. */
export function productsNamed(
  generation: Generation,
  ecosystem: HeldEcosystem,
  suffix: string,
  name: string,
): NamedProducts {
  const named = productNamed(ecosystem, suffix, name);
  if (named.kind === 'none') return { products: [], isAmbiguous: false };
  if (named.kind === 'product') return { products: [named.product], isAmbiguous: false };
  const products = (['plugin', 'theme'] as const)
    .filter((type) => generation.findProduct(type, named.slug) !== undefined)
    .map((type): ProductName => ({ type, name: named.slug }));
  return { products, isAmbiguous: products.length > 1 };
}

/** The ecosystem of a product and its name there. */
export function packageOf(type: ProductType, slug: string): { ecosystem: HeldEcosystem; name: string } {
  switch (type) {
    case 'npm':
      return { ecosystem: 'npm', name: slug };
    case 'wordpress':
      return { ecosystem: 'WordPress', name: CORE };
    case 'plugin':
    case 'theme':
      return { ecosystem: 'WordPress', name: `${type}/${slug}` };
  }
}
