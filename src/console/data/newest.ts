// What was added last, of all platforms: the shape of GET /latest, and what the page makes of it.

import type { Platform } from '../../index/product-type.ts';
import type { Api } from '../app/api.ts';
import type { ListedAdvisory } from './changes.ts';

export interface NewAdvisory extends ListedAdvisory {
  readonly id: number;
  readonly created_at: string;
}

export interface LatestPage {
  readonly vulnerabilities: readonly NewAdvisory[];
  readonly pagination: { readonly total: number };
}

export interface Newest {
  /** How many each platform got within 24 hours, without those that got none. */
  readonly counts: readonly (readonly [Platform, number])[];
  /** Some of them, the newest first. */
  readonly advisories: readonly (readonly [Platform, NewAdvisory])[];
}

/** Of each platform: its lists are ordered by id, so the newest of a day with more may be missing. */
const MOST_READ = 20;

/** Asks for one platform after another. Throws as `Api.get`. */
export async function loadNewest(
  api: Pick<Api, 'get'>,
  platforms: readonly Platform[],
  signal: AbortSignal,
): Promise<Newest> {
  const counts: [Platform, number][] = [];
  const advisories: [Platform, NewAdvisory][] = [];
  for (const platform of platforms) {
    const query = new URLSearchParams({ platform, per_page: String(MOST_READ) });
    const { vulnerabilities, pagination } = await api.get<LatestPage>(`/latest?${query}`, signal);
    if (pagination.total > 0) counts.push([platform, pagination.total]);
    for (const each of vulnerabilities) advisories.push([platform, each]);
  }
  advisories.sort(([, a], [, b]) => Date.parse(b.created_at) - Date.parse(a.created_at));
  return { counts, advisories };
}
