// The two pages of known vulnerabilities, made once per generation, and what the index says of them:
//
//     base      what was first published before the cut    {"package.id":[{"severity","url","versions"}]}
//     update    what was first published in the week before the cut, or after it
//
// The cut is a Monday, one to two weeks before the snapshot was built. So replicas agree, and the base keeps
// its bytes for a week, unless what it says of an old advisory is no longer so. Clients add both pages up,
// and keep each under its name for as long as the index gives no later time: so a name has the digest of the
// page. By its time alone, a client that had asked before a replica had the snapshot would keep the old page.
// The week in both pages covers a client that got one page before a swap and the other after it.

import { createHash } from 'node:crypto';
import type { PreparedFile } from '../../http/replies/prepared-files.ts';
import type { Generation } from '../../index/generation.ts';
import { formatInstant } from '../../index/items/instant.ts';
import { ItemView } from '../../index/items/item-view.ts';
import { VERSION_SCHEMES } from '../../index/versions/version-key.ts';
import { etags } from '../etags.ts';
import { pageUri } from '../osv/uri.ts';
import { prepareJson } from '../prepared-json.ts';
import { type Severity, severityFacts, severityFrom } from '../severity.ts';
import { versionRangesOf } from './version-range.ts';

export const PAGES = ['base', 'update'] as const;
type PageName = (typeof PAGES)[number];

/** What the index says of the pages, and of which snapshot they are. */
export interface PageIndex {
  /** Milliseconds since the epoch. */
  readonly builtAtMs: number;
  readonly pages: readonly {
    readonly page: PageName;
    /** At most 32 of `A-Za-z0-9-_`: the key of the client's cache. */
    readonly name: string;
    readonly updated: string;
    readonly comment: string;
  }[];
}

interface Vulnerability {
  readonly severity: number;
  readonly url: string;
  readonly versions: string;
}

type Page = Map<string, Vulnerability[]>;

const WEEK_MS = 7 * 24 * 3600 * 1000;
const A_MONDAY_MS = Date.UTC(1970, 0, 5);
/** Somewhat above the mean of one vulnerability in real data. */
const ENTRY_BYTES = 150;
const DIGEST_CHARS = 16;

/** The client's levels. It has none below, and shows every package that it names. */
const LEVELS: Readonly<Record<Severity, number>> = { none: 0, low: 0, medium: 1, high: 2, critical: 3 };
/**
 * Where no source says how severe it is, the most that is possible: nothing then falls below a project's
 * NuGetAuditLevel. The client knows a level for "unknown" too, but shows it as NU1900, the failed download
 * that many projects silence.
 */
const UNKNOWN_LEVEL = LEVELS.critical;

const COMMENTS: Readonly<Record<PageName, string>> = {
  base: 'What was published before the last weeks.',
  update: 'What was published since, with a week of the base.',
};

export function preparedName(file: PageName | 'index'): string {
  return `nuget/${file}`;
}

export function* preparePages(generation: Generation): Generator<readonly [string, PreparedFile]> {
  if (generation.isWithoutData('nuget')) return;
  const { builtAtMs } = generation.parts;
  const cutMs = cutBefore(builtAtMs);
  const times: Readonly<Record<PageName, number>> = { base: cutMs, update: builtAtMs };
  const pages: Record<PageName, Page> = { base: new Map(), update: new Map() };
  fill(generation, cutMs, pages);
  const etag = etags.nuget(generation);
  const index: PageIndex['pages'][number][] = [];
  for (const page of PAGES) {
    const sorted = [...pages[page]].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    const count = sorted.reduce((all, [, vulnerabilities]) => all + vulnerabilities.length, 0);
    const file = prepareJson(etag, count * ENTRY_BYTES, (out) => {
      out.text('{');
      sorted.forEach(([id, vulnerabilities], i) => {
        out.text(i === 0 ? '' : ',');
        out.jsonText(id);
        out.text(`:${JSON.stringify(vulnerabilities)}`);
      });
      out.text('}');
    });
    yield [preparedName(page), file];
    const digest = createHash('sha256').update(file.plain).digest('hex').slice(0, DIGEST_CHARS);
    const updated = formatInstant(Math.floor(times[page] / 1000));
    index.push({ page, name: `${page}-${digest}`, updated, comment: COMMENTS[page] });
  }
  const read: PageIndex = { builtAtMs, pages: index };
  yield [preparedName('index'), prepareJson(etag, 0, (out) => out.text(JSON.stringify(read)))];
}

function cutBefore(builtAtMs: number): number {
  const weeks = Math.floor((builtAtMs - A_MONDAY_MS) / WEEK_MS);
  return A_MONDAY_MS + (weeks - 1) * WEEK_MS;
}

function fill(generation: Generation, cutMs: number, { base, update }: Record<PageName, Page>): void {
  const { advisoryScheme } = generation.parts.columns;
  const view = new ItemView(generation);
  const { start, end } = generation.published('nuget');
  for (let ordinal = start; ordinal < end; ordinal++) {
    view.enter(ordinal);
    const id = (view.text('productSlug') ?? '').toLowerCase();
    const url = pageUri(view.text('url'));
    const severity = severityFrom(severityFacts(generation, ordinal, view.number('cvssScore')));
    const level = severity === null ? UNKNOWN_LEVEL : LEVELS[severity];
    const createdMs = generation.createdAt(ordinal) * 1000;
    for (const versions of versionRangesOf(view.spans(), VERSION_SCHEMES[advisoryScheme[ordinal]])) {
      const vulnerability = { severity: level, url, versions };
      if (createdMs < cutMs) add(base, id, vulnerability);
      if (createdMs >= cutMs - WEEK_MS) add(update, id, vulnerability);
    }
  }
}

function add(page: Page, id: string, vulnerability: Vulnerability): void {
  const known = page.get(id);
  if (known === undefined) page.set(id, [vulnerability]);
  else known.push(vulnerability);
}
