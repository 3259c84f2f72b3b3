// What the index is compared with: loops over the same spans, every advisory of the product, every span,
// compared with the version one by one. They parse versions for each comparison, or have parsed the bounds in
// advance.

import semver, { type SemVer } from 'semver';
import type { Generation } from '../../src/index/generation.ts';
import { holdsUpperBound, upperBoundOf } from '../../src/index/lookup/interval.ts';
import { completeSemver } from '../../src/index/versions/complete.ts';
import { VERSION_SCHEMES, versionKey } from '../../src/index/versions/version-key.ts';
import { type Product, spansOf } from '../questions.ts';

export interface Rival {
  readonly name: string;
  /** Whether any advisory applies to the version. */
  readonly any: (version: string) => boolean;
  /** The ids of those that apply, in descending order. */
  readonly find: (version: string) => readonly number[];
}

/** A bound is what `prepare` returns for a version: the string itself, or a parsed form. */
export interface LinearAdvisory<Bound> {
  readonly id: number;
  readonly spans: readonly {
    readonly from: Bound | null;
    readonly to: Bound | null;
    readonly holdsTo: boolean;
  }[];
}

/** npm's by node-semver, others by the bytes of their keys, in the order of the product's first advisory. */
export function rivalsOf(generation: Generation, product: Product): readonly Rival[] {
  const loop = <Bound>(
    name: string,
    prepare: (version: string) => Bound,
    compare: (version: Bound, bound: Bound) => number,
  ): Rival => {
    const advisories = linearAdvisories(generation, product, prepare);
    return {
      name: `linear loop, ${name}`,
      any: (text) => {
        const version = prepare(text);
        return advisories.some((advisory) => applies(advisory, version, compare));
      },
      find: (text) => {
        const version = prepare(text);
        return advisories.filter((advisory) => applies(advisory, version, compare)).map(({ id }) => id);
      },
    };
  };
  if (product.type === 'npm') {
    const parse = (version: string): SemVer => new semver.SemVer(completeSemver(version));
    return [
      loop('node-semver', completeSemver, semver.compare),
      loop('node-semver, parsed in advance', parse, (a, b) => a.compare(b)),
    ];
  }
  const [first] = generation.advisoriesOf(product.ordinal);
  const scheme = VERSION_SCHEMES[generation.parts.columns.advisoryScheme[first]];
  const keyOf = (version: string): Uint8Array => versionKey(scheme, version) ?? new Uint8Array();
  return [
    loop(
      'keys',
      (version) => version,
      (a, b) => Buffer.compare(keyOf(a), keyOf(b)),
    ),
    loop('keys, made in advance', keyOf, Buffer.compare),
  ];
}

/** The published advisories of a product, by descending id. */
function linearAdvisories<Bound>(
  generation: Generation,
  { ordinal: product }: Product,
  prepare: (version: string) => Bound,
): LinearAdvisory<Bound>[] {
  const bound = (version: string | null): Bound | null => (version === null ? null : prepare(version));
  return Array.from(generation.advisoriesOf(product), (ordinal) => ({
    id: generation.idAt(ordinal),
    spans: spansOf(generation, ordinal).map(({ from, to, toBound }) => ({
      from: bound(from),
      to: bound(to),
      holdsTo: holdsUpperBound(upperBoundOf(toBound)),
    })),
  }));
}

/** Whether an advisory applies to the version. */
export function applies<Bound>(
  { spans }: LinearAdvisory<Bound>,
  version: Bound,
  compare: (version: Bound, bound: Bound) => number,
): boolean {
  return spans.some(({ from, to, holdsTo }) => {
    if (from !== null && compare(version, from) < 0) return false;
    if (to === null) return true;
    const order = compare(version, to);
    return order < 0 || (order === 0 && holdsTo);
  });
}
