// A walk through all listings of a server, ending with a copy of one snapshot. Cursors go by descending id,
// so a server that changes its snapshot in mid-walk would show neither what is new above the cursor nor what
// changed there. The walk notices and begins again.
//
// This server has one entity tag for all pages of a snapshot: as long as it stays the same, so does the
// snapshot, and kept pages with that tag need not be asked for. Other servers may tag each page, or none:
// then the first pages are asked for again at the end.

import { HttpError, shownUrl } from '../../download/http-error.ts';
import { PLATFORMS, type Platform } from '../../index/product-type.ts';
import { type Page, readPage } from './page.ts';
import { ProductTypes } from './product-types.ts';
import type { ApiServer, ServerAnswer } from './server.ts';

const PER_PAGE = 500;
const MAX_WALKS = 5;

/** A page that the walk took, under the name by which it is kept. */
interface TakenPage {
  readonly platform: Platform;
  readonly name: string;
  readonly path: string;
  readonly tag: string | undefined;
}

export interface Walked {
  readonly pages: readonly TakenPage[];
  readonly types: ReadonlyMap<Platform, ProductTypes>;
  /** What an older server has no name for. */
  readonly unknown: readonly Platform[];
}

/**
 * Walks until all pages are of one snapshot. `onItems` gets the number of advisories of each page, `onNotice`
 * one line for each new beginning. Throws HttpError.
 */
export async function walkAll(
  server: ApiServer,
  label: string,
  onItems: (count: number) => void,
  onNotice: (line: string) => void,
): Promise<Walked> {
  for (let walk = 1; walk <= MAX_WALKS; walk++) {
    const walked = await new Walk(server, onItems).run();
    if (walked !== undefined) {
      const { unknown } = walked;
      if (unknown.length > 0) {
        onNotice(
          `${label}: the server does not know these platforms, which are left out: ${unknown.join(', ')}`,
        );
      }
      server.sweep();
      return walked;
    }
    onNotice(`${label}: the server changed its data during the walk; starting over`);
    server.forget();
  }
  throw new HttpError(
    'unusable',
    `${label}: the server changed its data during each of ${MAX_WALKS} walks; try again when it is not being updated`,
  );
}

/** The first page of a platform, which shows at the end whether anything changed. */
interface Top {
  readonly path: string;
  readonly answer: ServerAnswer;
}

class Walk {
  readonly #server: ApiServer;
  readonly #onItems: (count: number) => void;
  readonly #pages: TakenPage[] = [];
  readonly #types = new Map<Platform, ProductTypes>();
  readonly #tops: Top[] = [];
  readonly #unknown: Platform[] = [];
  /** Of the first page. Undefined if the server tags pages one by one, or not at all. */
  #tag: string | undefined;
  /** Whether #tag stands for the whole snapshot, as far as is known. */
  #isUniform = true;

  constructor(server: ApiServer, onItems: (count: number) => void) {
    this.#server = server;
    this.#onItems = onItems;
  }

  /** Undefined if the server changed in between. */
  async run(): Promise<Walked | undefined> {
    const contradictory: string[] = [];
    for (const platform of PLATFORMS) {
      const types = new ProductTypes(platform);
      this.#types.set(platform, types);
      try {
        if (!(await this.#walkPlatform(platform, types))) return undefined;
      } catch (error) {
        if (!this.#isUnknown(platform, error)) throw error;
        this.#unknown.push(platform);
        continue;
      }
      const trusted = this.#isUniform ? this.#tag : undefined;
      contradictory.push(...(await types.ask(this.#server, trusted)));
    }
    for (const { path, answer } of this.#isUniform ? this.#tops.slice(0, 1) : this.#tops) {
      if (!(await this.#server.isStill(path, answer))) return undefined;
    }
    if (contradictory.length > 0) throw this.#contradiction(contradictory);
    return { pages: this.#pages, types: this.#types, unknown: this.#unknown };
  }

  /**
   * Whether the server refused a platform's first page as a bad parameter. Nothing but the platform differs
   * from the first page of another, which it gave.
   */
  #isUnknown(platform: Platform, error: unknown): boolean {
    const isFirst = !this.#pages.some((page) => page.platform === platform);
    return error instanceof HttpError && error.status === 422 && isFirst && this.#pages.length > 0;
  }

  #contradiction(names: readonly string[]): HttpError {
    const { url } = this.#tops[0].answer.origin;
    const shown = names.slice(0, 3).map((name) => JSON.stringify(name));
    return new HttpError(
      'unusable',
      `${url.origin}: lookups of ${names.length} products, such as ${shown.join(', ')}, do not show the advisories that the ` +
        'listing shows, so their types are unknown; report this to the owner of the server',
    );
  }

  async #walkPlatform(platform: Platform, types: ProductTypes): Promise<boolean> {
    const seen = new Set<string>();
    let cursor: string | undefined = '';
    for (let number = 1; cursor !== undefined; number++) {
      const path: string =
        `/all?platform=${platform}&cursor=${encodeURIComponent(cursor)}` +
        `&per_page=${PER_PAGE}&include=details`;
      const name = `all-${platform}-${number}`;
      let page: Page | undefined;
      const trusted = this.#isUniform ? this.#tag : undefined;
      const answer = await this.#server.get(name, path, trusted, (taken) => {
        page = readPage(taken.body, taken.origin);
      });
      page ??= readPage(answer.body, answer.origin);
      if (number === 1) this.#tops.push({ path, answer });
      if (!(await this.#isConsistent(answer))) return false;
      this.#pages.push({ platform, name, path, tag: answer.tag });
      for (const { product } of page.items) {
        const slug = (product as { slug?: unknown } | null | undefined)?.slug;
        if (typeof slug === 'string') types.note(slug);
      }
      this.#onItems(page.items.length);
      if (page.next !== undefined && seen.has(page.next)) {
        throw new HttpError(
          'unusable',
          `${shownUrl(answer.origin.url)}: the cursor ${page.next} leads back to an earlier page`,
        );
      }
      cursor = page.next;
      if (cursor !== undefined) seen.add(cursor);
    }
    return true;
  }

  /** Whether the answer may be of the snapshot that the walk began with. */
  async #isConsistent({ tag }: ServerAnswer): Promise<boolean> {
    const [first] = this.#tops;
    if (first.answer.tag === undefined) {
      this.#isUniform = false;
      return true;
    }
    this.#tag = first.answer.tag;
    if (!this.#isUniform || tag === this.#tag) return true;
    // Either the snapshot changed, or each page has a tag of its own.
    if (!(await this.#server.isStill(first.path, first.answer))) return false;
    this.#isUniform = false;
    return true;
  }
}
