// The spellings of a product's name. Which of them a type has is a row of product-type.ts.
//
// A *slug fold* gives one spelling to try. A *loose fold* is for what slug folds cannot reach: slugs that are
// stored in a mixture of spellings, such as capitals here and there, which does not follow from the name.

/** Turns a product's name into a spelling under which it may be stored. */
export type SlugFold = (name: string) => string;

export const asPublished: SlugFold = (name) => name;
export const lowerCase: SlugFold = (name) => name.toLowerCase();

/** crates.io takes `-` and `_` for the same character: no two crates differ in it only. */
export const dashes: SlugFold = (name) => name.replaceAll('_', '-');
export const underscores: SlugFold = (name) => name.replaceAll('-', '_');

/** A Go purl of the standard library is also written with the name that `go list std` takes. */
export const goStandardLibrary: SlugFold = (name) => (name === 'std' ? 'stdlib' : name);

/** https://peps.python.org/pep-0503/#normalized-names */
export const pep503: SlugFold = (name) => name.toLowerCase().replace(/[-_.]+/g, '-');

/** `group:artifact`, also written `group/artifact`. */
export const mavenCoordinate: SlugFold = (name) => (name.includes(':') ? name : name.replace('/', ':'));
export const mavenPath: SlugFold = (name) => name.replace(':', '/');

/**
 * Which bytes of slugs count as the same: by a byte, the one that stands for it. One for one, so that a slug
 * keeps its length and is folded without a string.
 */
export type LooseFold = Uint8Array;

/** In any case. The letters of module paths are those of ASCII: https://go.dev/ref/mod#go-mod-file-ident */
export const anyCase: LooseFold = looseFold((char) => (/[A-Z]/.test(char) ? char.toLowerCase() : char));
export const anyDash: LooseFold = looseFold(dashes);

function looseFold(fold: SlugFold): LooseFold {
  return Uint8Array.from({ length: 256 }, (_, byte) => fold(String.fromCharCode(byte)).charCodeAt(0));
}
