// The spellings of a product's name. Which of them a type has is a row of product-type.ts.

/** Turns a product's name into a spelling under which it may be stored. */
export type SlugFold = (name: string) => string;

export const asPublished: SlugFold = (name) => name;
export const lowerCase: SlugFold = (name) => name.toLowerCase();

/** crates.io takes `-` and `_` for the same character: no two crates differ in it only. */
export const dashes: SlugFold = (name) => name.replaceAll('_', '-');
export const underscores: SlugFold = (name) => name.replaceAll('-', '_');

/** https://peps.python.org/pep-0503/#normalized-names */
export const pep503: SlugFold = (name) => name.toLowerCase().replace(/[-_.]+/g, '-');

/** `group:artifact`, also written `group/artifact`. */
export const mavenCoordinate: SlugFold = (name) => (name.includes(':') ? name : name.replace('/', ':'));
export const mavenPath: SlugFold = (name) => name.replace(':', '/');
