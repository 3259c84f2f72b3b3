// The types of WordPress products, which listings do not show: the server is asked for all advisories of each
// name as a plugin, what is left as a theme, and so on. Batches of names keep that to few requests.

import { PRODUCT_TYPE_TABLE, type ProductType } from '../../index/product-type.ts';
import { surrogateProblem } from '../record/feed-schema.ts';
import { type BatchResult, readBatch, readLookup } from './page.ts';
import type { ApiServer, ServerAnswer } from './server.ts';

const BATCH_NAMES = 50;
/** Any version: a lookup of it finds every advisory of the product. */
const ANY = '*';

/** The types of one platform's products, found by asking for as many advisories as the listing has. */
export class ProductTypes {
  readonly #types: readonly ProductType[];
  /** By name: how many advisories of it have no type yet. */
  readonly #open = new Map<string, number>();
  /** By name: its only type, or the type of each advisory if several types share the name. */
  readonly #found = new Map<string, ProductType | Map<number, ProductType>>();

  constructor(platform: string) {
    this.#types = PRODUCT_TYPE_TABLE.filter((type) => type.platform === platform).map(({ name }) => name);
  }

  /** Notes an advisory of the listing. One with a name that no path can have is not asked for. */
  note(slug: string): void {
    if (surrogateProblem(slug) !== undefined) return;
    this.#open.set(slug, (this.#open.get(slug) ?? 0) + 1);
  }

  /** Undefined for an advisory that no lookup showed. */
  typeOf(slug: string, id: number): ProductType | undefined {
    if (this.#types.length === 1) return this.#types[0];
    const found = this.#found.get(slug);
    return found instanceof Map ? found.get(id) : found;
  }

  /**
   * Asks for all names that were noted. Returns those for which the lookups do not show as many advisories as
   * the listing does.
   */
  async ask(server: ApiServer, tag: string | undefined): Promise<readonly string[]> {
    if (this.#types.length === 1) return [];
    for (const type of this.#types) {
      const names = [...this.#open.keys()];
      for (let at = 0; at < names.length; at += BATCH_NAMES) {
        const batch = names.slice(at, at + BATCH_NAMES);
        const number = at / BATCH_NAMES + 1;
        await this.#askBatch(server, type, batch, number, tag);
      }
    }
    return [...this.#open.keys()];
  }

  async #askBatch(
    server: ApiServer,
    type: ProductType,
    names: readonly string[],
    number: number,
    tag: string | undefined,
  ): Promise<void> {
    const body = JSON.stringify(names.map((name) => ({ type, name, version: ANY })));
    const read = ({ body: results, origin }: ServerAnswer): BatchResult[] =>
      readBatch(results, origin, names.length);
    const results = read(await server.post(`type-${type}-${number}`, '/batch', body, tag, read));
    for (const [i, name] of names.entries()) {
      const ids = results[i] ?? (await askAlone(server, type, name, `type-${type}-${number}-${i}`, tag));
      this.#learn(name, type, ids);
    }
  }

  #learn(name: string, type: ProductType, ids: readonly number[]): void {
    if (ids.length === 0) return;
    const open = this.#open.get(name) ?? 0;
    const known = this.#found.get(name);
    if (known === undefined && ids.length === open) this.#found.set(name, type);
    else {
      const byId = known instanceof Map ? known : new Map<number, ProductType>();
      for (const id of ids) byId.set(id, type);
      this.#found.set(name, byId);
    }
    if (ids.length === open) this.#open.delete(name);
    else this.#open.set(name, open - ids.length);
  }
}

/** For a product whose answer does not fit into a batch. */
async function askAlone(
  server: ApiServer,
  type: ProductType,
  name: string,
  keptName: string,
  tag: string | undefined,
): Promise<readonly number[]> {
  const path = `/product/${type}/${encodeURIComponent(name)}/${encodeURIComponent(ANY)}`;
  const answer = await server.get(keptName, path, tag, (taken) => {
    readLookup(taken.body, taken.origin);
  });
  return readLookup(answer.body, answer.origin);
}
