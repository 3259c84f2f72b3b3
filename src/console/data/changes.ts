// The shape of GET /changes, and what the page makes of its pages.

import {
  isProductType,
  PLATFORMS,
  type Platform,
  PRODUCT_TYPE_TABLE,
  type ProductType,
  productTypeFacts,
} from '../../index/product-type.ts';
import type { Api } from '../app/api.ts';

/** By platform: what it is called, which is how the last of its types is. */
export const PLATFORM_TITLES = Object.fromEntries(
  PRODUCT_TYPE_TABLE.map(({ platform, label }) => [platform, label]),
) as Readonly<Record<Platform, string>>; // each platform has a type

export function isPlatform(text: string): text is Platform {
  return (PLATFORMS as readonly string[]).includes(text);
}

export const CHANGE_TITLES = {
  added: 'Added',
  changed: 'Changed',
  withdrawn: 'Withdrawn',
  removed: 'Removed',
} as const;
export type ChangeKind = keyof typeof CHANGE_TITLES;

/** As lists show one. */
export interface ListedAdvisory {
  readonly title: string;
  readonly product: { readonly name: string; readonly slug: string };
  readonly cvss: { readonly score: number | null };
  readonly is_exploited: boolean;
  readonly version_info: { readonly affected: string; readonly fixed: string };
}

export interface Change {
  readonly id: number;
  readonly change: ChangeKind;
  /** Absent if it is no longer listed. */
  readonly vulnerability?: ListedAdvisory;
}

export interface ChangesPage {
  readonly since: string;
  readonly snapshot: string;
  readonly changes: readonly Change[];
  readonly cursor: { readonly next_cursor: string | null; readonly has_more: boolean };
}

/** How many changes a platform has; `isMore` if there are more than were counted. */
export interface ChangeCount {
  readonly count: number;
  readonly isMore: boolean;
  /** Those of them whose advisory is known to be exploited. */
  readonly exploited: readonly Change[];
}
export type ChangeCounts = Readonly<Record<Platform, ChangeCount>>;

const MOST_COUNTED = 100;

/** Of each platform: one page is asked for and counted. Throws as `Api.get`. */
export async function countChanges(
  api: Pick<Api, 'get'>,
  since: string,
  signal: AbortSignal,
): Promise<ChangeCounts> {
  const counts: [Platform, ChangeCount][] = [];
  for (const platform of PLATFORMS) {
    const query = new URLSearchParams({ since, platform, per_page: String(MOST_COUNTED) });
    const { changes, cursor } = await api.get<ChangesPage>(`/changes?${query}`, signal);
    const exploited = changes.filter(({ vulnerability }) => vulnerability?.is_exploited);
    counts.push([platform, { count: changes.length, isMore: cursor.has_more, exploited }]);
  }
  return Object.fromEntries(counts) as ChangeCounts;
}

/** By platform: its name with its count. */
export function countedTitles(counts: ChangeCounts): Readonly<Record<Platform, string>> {
  return Object.fromEntries(
    PLATFORMS.map((platform) => {
      const { count, isMore } = counts[platform];
      return [platform, `${PLATFORM_TITLES[platform]} ${count}${isMore ? '+' : ''}`];
    }),
  ) as Readonly<Record<Platform, string>>;
}

/** The platform with the most changes, or the first of several. */
export function mostChanged(counts: ChangeCounts): Platform {
  return PLATFORMS.reduce((most, each) => (counts[each].count > counts[most].count ? each : most));
}

/** Pages in a row: what they list, and where the next begins. */
export interface Listed {
  readonly snapshot: string;
  readonly changes: readonly Change[];
  /** Undefined after the last page. */
  readonly cursor: string | undefined;
}

export function withPage(before: Listed | undefined, { snapshot, changes, cursor }: ChangesPage): Listed {
  return {
    snapshot,
    changes: [...(before?.changes ?? []), ...changes],
    cursor: cursor.next_cursor ?? undefined,
  };
}

/** How many of each kind, in the order of CHANGE_TITLES. */
export function tally(changes: readonly Change[]): readonly (readonly [ChangeKind, number])[] {
  return (Object.keys(CHANGE_TITLES) as ChangeKind[]).map((kind) => [
    kind,
    changes.filter(({ change }) => change === kind).length,
  ]);
}

export interface Product {
  readonly type: string;
  readonly name: string;
}

/**
 * Of platforms with several types, whose lists do not say which a product has: the type by its name and the
 * title, which usually tell. The advisory's own page always does.
 */
const GUESSES: Readonly<Partial<Record<Platform, (name: string, title: string) => ProductType>>> = {
  wordpress: (name, title) => {
    if (name === 'wordpress') return name;
    return /\btheme\b/i.test(title) ? 'theme' : 'plugin';
  },
};

/** Whether the type is one that lists do not tell. */
export function isGuess({ type }: Product): boolean {
  return isProductType(type) && GUESSES[productTypeFacts(type).platform] !== undefined;
}

/** The product of a listed advisory; undefined for one that is no longer listed. */
export function likelyProduct(
  platform: Platform,
  vulnerability: ListedAdvisory | undefined,
): Product | undefined {
  if (vulnerability === undefined) return undefined;
  const { title, product } = vulnerability;
  return { type: GUESSES[platform]?.(product.slug, title) ?? platform, name: product.slug };
}
