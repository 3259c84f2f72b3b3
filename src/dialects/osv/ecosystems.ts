// The ecosystems of OSV: which names exist, and what a name in a held one means here. Those that are held are
// the platforms of product-type.ts.
//
// WordPress is not defined by the OSV schema: its packages are called `plugin/SLUG`, `theme/SLUG` and
// `wordpress` here, and a bare slug means the plugin or the theme that has it. In all others a package is
// called as its product is.

import type { Generation } from '../../index/generation.ts';
import {
  type Ecosystem,
  PLATFORM_TABLE,
  type PlatformFacts,
  PRODUCT_TYPE_TABLE,
  type ProductType,
  type ProductTypeFacts,
  productTypeFacts,
} from '../../index/product-type.ts';

/** What a product is called in queries and records. */
export interface ProductName {
  readonly type: ProductType;
  readonly name: string;
}

export type HeldEcosystem = Ecosystem;

/** The ecosystems whose packages are held, in the order of ecosystems.txt. */
export const HELD_ECOSYSTEMS: readonly HeldEcosystem[] = PLATFORM_TABLE.map(({ ecosystem }) => ecosystem);

/**
 * The names of https://ossf.github.io/osv-schema/#defined-ecosystems (schema 1.7.5), and GIT, which queries
 * may name too. A name that is neither here nor held is refused in a single query.
 */
const DEFINED_ECOSYSTEMS: ReadonlySet<string> = new Set([
  ...['AlmaLinux', 'Alpaquita', 'Alpine', 'Android', 'Azure Linux', 'BellSoft Hardened Containers'],
  ...['Bioconductor', 'Bitnami', 'Chainguard', 'CleanStart', 'ConanCenter', 'CRAN', 'crates.io', 'Debian'],
  ...['Docker Hardened Images', 'Echo', 'FreeBSD', 'GHC', 'GIT', 'GitHub Actions', 'Go', 'Hackage', 'Hex'],
  ...['Julia', 'Kubernetes', 'Linux', 'Mageia', 'Maven', 'MinimOS', 'NuGet', 'opam', 'openEuler', 'openSUSE'],
  ...['OSS-Fuzz', 'Packagist', 'Photon OS', 'Pub', 'PyPI', 'Red Hat', 'Rocky Linux', 'Root', 'RubyGems'],
  ...['SUSE', 'SwiftURL', 'TuxCare', 'Ubuntu', 'VSCode', 'Wolfi'],
]);

type FoundEcosystem =
  | { readonly kind: 'held'; readonly name: HeldEcosystem; readonly suffix: string }
  /** Exists, but none of its packages is held. Without its suffix. */
  | { readonly kind: 'other'; readonly name: string }
  | { readonly kind: 'unknown'; readonly name: string };

/** How the packages of an ecosystem are called. */
interface Naming {
  /** Whether the ecosystem's name may have this suffix. */
  readonly takesSuffix: (suffix: string) => boolean;
  readonly named: (suffix: string, name: string) => Named;
  /** What a product is called. */
  readonly nameOf: (type: ProductType, name: string) => string;
}

interface Held {
  readonly facts: PlatformFacts;
  readonly naming: Naming;
}

/** What an ecosystem's name, with any suffix after a colon, stands for. */
export function ecosystemOf(text: string): FoundEcosystem {
  const colon = text.indexOf(':');
  const name = colon < 0 ? text : text.slice(0, colon);
  const suffix = colon < 0 ? '' : text.slice(colon + 1);
  const held = HELD.get(name);
  if (held !== undefined && (suffix === '' || held.naming.takesSuffix(suffix))) {
    return { kind: 'held', name: held.facts.ecosystem, suffix };
  }
  return { kind: held !== undefined || DEFINED_ECOSYSTEMS.has(name) ? 'other' : 'unknown', name };
}

/** `WordPress:Plugin` and `WordPress:Theme`, as some databases write them. */
const SUFFIX_TYPES: { readonly [suffix: string]: ProductType } = { Plugin: 'plugin', Theme: 'theme' };
const CORE = 'wordpress';

interface NamedProducts {
  /** Empty if no product can have the name. */
  readonly products: readonly ProductName[];
  /** Whether a plugin and a theme have the name: then both are meant. */
  readonly isAmbiguous: boolean;
}

/** What a package's name means, whatever the data has. */
type Named =
  | { readonly kind: 'none' }
  | { readonly kind: 'product'; readonly product: ProductName }
  /** Of a plugin, of a theme or of both. */
  | { readonly kind: 'bare'; readonly slug: string };

const NONE: Named = { kind: 'none' };

const wordpressNaming: Naming = {
  takesSuffix: (suffix) => Object.hasOwn(SUFFIX_TYPES, suffix),
  named: (suffix, name) => {
    const slash = name.indexOf('/');
    const [kind, slug] = slash < 0 ? ['', name] : [name.slice(0, slash), name.slice(slash + 1)];
    const wanted = suffix === '' ? undefined : SUFFIX_TYPES[suffix];
    if (slash >= 0) {
      const isKind = kind === 'plugin' || kind === 'theme';
      return isKind && (wanted === undefined || wanted === kind) ? only(kind, slug) : NONE;
    }
    if (wanted !== undefined) return only(wanted, slug);
    return slug.toLowerCase() === CORE ? only('wordpress', CORE) : { kind: 'bare', slug };
  },
  nameOf: (type, name) => (type === 'wordpress' ? CORE : `${type}/${name}`),
};

/** Of a platform with one type of products, each called by its name. */
function plainNaming({ name: type }: ProductTypeFacts, hasRepositories: boolean): Naming {
  return {
    takesSuffix: () => hasRepositories,
    named: (_, name) => only(type, name),
    nameOf: (_, name) => name,
  };
}

const HELD: ReadonlyMap<string, Held> = new Map(
  PLATFORM_TABLE.map((facts): readonly [string, Held] => {
    const types = PRODUCT_TYPE_TABLE.filter(({ platform }) => platform === facts.name);
    const naming = types.length === 1 ? plainNaming(types[0], facts.hasRepositories) : wordpressNaming;
    return [facts.ecosystem, { facts, naming }];
  }),
);

function heldOf(ecosystem: HeldEcosystem): Held {
  return HELD.get(ecosystem)!; // it is in the table
}

export function productNamed(ecosystem: HeldEcosystem, suffix: string, name: string): Named {
  return heldOf(ecosystem).naming.named(suffix, name);
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

/** The facts about an ecosystem. */
export function ecosystemFacts(ecosystem: HeldEcosystem): PlatformFacts {
  return heldOf(ecosystem).facts;
}

/** The ecosystem of a product and its name there. */
export function packageOf(type: ProductType, name: string): { ecosystem: HeldEcosystem; name: string } {
  const { facts, naming } = heldOf(PLATFORM_TABLE[productTypeFacts(type).run].ecosystem);
  return { ecosystem: facts.ecosystem, name: naming.nameOf(type, name) };
}

/** The purl of a package without a version; undefined where no type is registered, as for WordPress. */
export function purlOf(ecosystem: HeldEcosystem, name: string): string | undefined {
  const { purlType, purlName } = ecosystemFacts(ecosystem);
  return purlName === null ? undefined : `pkg:${purlType}/${escapedName(purlName(name))}`;
}

export function escapedName(name: string): string {
  return name.split('/').map(escaped).join('/');
}

/** Everything but unreserved characters and colons is escaped; half a character becomes U+FFFD. */
function escaped(part: string): string {
  const encoded = encodeURIComponent(Buffer.from(part).toString());
  return encoded
    .replaceAll('%3A', ':')
    .replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
