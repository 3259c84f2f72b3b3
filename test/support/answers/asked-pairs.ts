// Versions of products to ask every dialect about, and what applies to them by a scan of the spans. The scan
// shares with the server what an advisory's spans are, but neither the index nor the order of semantic
// versions.

import type { Dice } from '../../../src/generator/dice.ts';
import type { Generation } from '../../../src/index/generation.ts';
import { ItemView } from '../../../src/index/items/item-view.ts';
import type { Span } from '../../../src/index/lookup/interval.ts';
import { PLATFORMS, PRODUCT_TYPES, type ProductType } from '../../../src/index/product-type.ts';
import { VERSION_SCHEMES, type VersionScheme } from '../../../src/index/versions/version-key.ts';
import { near } from '../feeds/drawn-feeds.ts';
import { holds, isOrdered, isVersion } from '../oracles/linear-scan.ts';

export interface AskedPair {
  readonly type: ProductType;
  readonly name: string;
  readonly version: string;
  /** What applies, ids descending; undefined when the text is not a version. */
  readonly expected: readonly number[] | undefined;
}

interface OracleAdvisory {
  readonly id: number;
  readonly scheme: VersionScheme;
  readonly spans: readonly Span[];
}

/** Reads the advisories of a product once. */
export class ScanOracle {
  readonly #generation: Generation;
  readonly #view: ItemView;
  readonly #advisories = new Map<number, readonly OracleAdvisory[]>();

  constructor(generation: Generation) {
    this.#generation = generation;
    this.#view = new ItemView(generation);
  }

  verdict(type: ProductType, product: number | undefined, version: string): readonly number[] | undefined {
    if (!isVersion({ type }, version)) return undefined;
    if (product === undefined) return [];
    return this.advisoriesOf(product)
      .filter(
        ({ scheme, spans }) =>
          isOrdered(scheme, version) && spans.some((span) => holds(scheme, span, version)),
      )
      .map(({ id }) => id);
  }

  /** The ids of all published advisories of a product, descending. */
  allOf({ type, name }: Pick<AskedPair, 'type' | 'name'>): readonly number[] {
    const product = this.#generation.findProduct(type, name);
    return product === undefined ? [] : this.advisoriesOf(product).map(({ id }) => id);
  }

  /** Ids descending. */
  advisoriesOf(product: number): readonly OracleAdvisory[] {
    let known = this.#advisories.get(product);
    if (known === undefined) {
      const { advisoryScheme } = this.#generation.parts.columns;
      known = Array.from(this.#generation.advisoriesOf(product), (ordinal) => ({
        id: this.#generation.idAt(ordinal),
        scheme: VERSION_SCHEMES[advisoryScheme[ordinal]],
        spans: this.#view.enter(ordinal).spans(),
      }));
      this.#advisories.set(product, known);
    }
    return known;
  }
}

/** Names that hardly any product has, and members that every JavaScript object has. */
const ODD_NAMES = ['nobody-has-this', '__proto__', 'constructor'];
const ODD_VERSIONS = ['0', '1', '1.0.0-alpha', '999999', '1.2.3.4', 'v2.0.0', '0.0.0-0'];
const NOT_VERSIONS = ['latest', '^1.0.0', '1.x', '-', 'git+https://git.example/a'];

/** A version of a product drawn by its advisories: mostly one of their bounds, or beside one. */
export function drawPair(dice: Dice, generation: Generation, oracle: ScanOracle): AskedPair {
  const runs = PLATFORMS.map((platform) => generation.published(platform));
  const { start, end } = dice.pick(runs.filter((run) => run.end > run.start));
  const { columns } = generation.parts;
  const product = columns.advisoryProduct[dice.whole(start, end - 1)];
  const type = PRODUCT_TYPES[columns.productType[product]];
  const version = drawVersion(dice, oracle.advisoriesOf(product), type);
  if (dice.chance(0.02)) {
    const other = type === 'wordpress' ? 'plugin' : type; // WordPress itself has one name
    const name = dice.pick(ODD_NAMES);
    return {
      type: other,
      name,
      version,
      expected: oracle.verdict(other, generation.findProduct(other, name), version),
    };
  }
  return {
    type,
    name: slugAt(generation, product),
    version,
    expected: oracle.verdict(type, product, version),
  };
}

function drawVersion(dice: Dice, advisories: readonly OracleAdvisory[], type: ProductType): string {
  const kind = dice.fraction();
  if (kind < 0.03) return dice.pick(NOT_VERSIONS);
  if (kind < 0.1) return dice.pick(ODD_VERSIONS);
  const { scheme, spans } = dice.pick(advisories);
  const { from, to, fixedIn } = dice.pick(spans);
  const bounds = [from, to, fixedIn]
    .filter((each) => each !== null)
    .filter((each) => isOrdered(scheme, each));
  const bound = bounds.length === 0 ? '1.0.0' : dice.pick(bounds);
  const version = dice.chance(0.4) ? bound : near(dice, scheme, bound);
  return version.length > 200 || version.trim() === '' ? (type === 'npm' ? '1.0.0' : '1.0') : version;
}

function slugAt({ parts }: Generation, product: number): string {
  const { productSlug, productSlugStart } = parts.columns;
  return Buffer.from(productSlug.slice(productSlugStart[product], productSlugStart[product + 1])).toString();
}
