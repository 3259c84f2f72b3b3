// A synthetic feed with the proportions of the real ones: the same seed and size always give the same
// records. It uses no clock; time ends at a fixed instant.

import { CVSS_VECTORS } from './cvss.ts';
import { Dice, mix, type Quantiles } from './dice.ts';
import type { FeedRecord, FeedSpan, VersionScheme } from './feed-record.ts';
import { Catalog, type InventedProduct } from './products.ts';
import { makeClause, makeDescription, makeDetails, makePerson } from './prose.ts';
import { drawSpanCount, makeSpans } from './versions.ts';
import { WEAKNESSES, type Weakness } from './weaknesses.ts';
import { NOUNS } from './words.ts';

export interface FeedPlan {
  readonly advisories: number;
  /** A whole number; feeds from different seeds share only their proportions. */
  readonly seed: number;
}

const DAY = 86_400;
const FIRST_CREATED = Date.UTC(2012, 0, 1) / 1000;
const LAST_CREATED = Date.UTC(2026, 2, 1, 12) / 1000;
const NEWEST_SHARE = 0.01; // of all advisories, within the 24 hours up to LAST_CREATED
// Advisories; below, one of 102 spans would be most of the feed's spans.
const LARGE_ENOUGH_FOR_RECORDS = 1000;
const MAX_TITLE_LENGTH = 255;
const SITE = 'https://advisories.example';

const DISCLOSURE_LEADS: Quantiles = [
  [0, 600],
  [0.5, 2 * DAY],
  [1, 90 * DAY],
];
const GHSA_LETTERS = [...'23456789cfghjmpqrvwx'];

/** The records of a feed, ids ascending. Requires: at least one advisory, a whole number. */
export function* generateFeed(plan: FeedPlan): Generator<FeedRecord> {
  const { advisories, seed } = plan;
  const catalog = new Catalog(seed, advisories);
  const dice = new Dice(mix(seed, 4));
  const clock = new Clock(advisories);
  const cveNumbers = new Map<number, number>();
  let id = 1000;
  let recordPlace = advisories >= LARGE_ENOUGH_FOR_RECORDS ? Math.floor(advisories / 2) : advisories;

  for (let place = 0; place < advisories; place++) {
    id += dice.whole(1, 3);
    const product = withOneScheme(dice, catalog.productAt(place));
    let spanCount = drawSpanCount(dice, product);
    if (place >= recordPlace && product.kind.recordSpans > 0 && product.scheme !== 'decimal') {
      spanCount = product.kind.recordSpans;
      recordPlace = advisories;
    }
    const age = (place + 1) / advisories;
    yield makeRecord(dice, {
      id,
      product,
      spans: makeSpans(dice, product, age, spanCount),
      createdAt: clock.createdAt(dice, place),
      cveNumbers,
    });
  }
}

function withOneScheme(dice: Dice, product: InventedProduct): InventedProduct {
  return product.isUndecided ? { ...product, scheme: dice.pick(['wordpress', 'decimal']) } : product;
}

/** When the advisory at an index of the feed was created: more each year, nearly always ascending. */
class Clock {
  readonly #older: number;
  readonly #newest: number;

  constructor(advisories: number) {
    this.#newest = Math.max(1, Math.round(advisories * NEWEST_SHARE));
    this.#older = advisories - this.#newest;
  }

  createdAt(dice: Dice, place: number): number {
    if (place >= this.#older) {
      // 0 for the last, which is created at the end exactly.
      const left = this.#older + this.#newest - 1 - place;
      return LAST_CREATED - Math.floor((left / this.#newest) * DAY);
    }
    const end = LAST_CREATED - 2 * DAY;
    const instant = FIRST_CREATED + Math.floor((end - FIRST_CREATED) * (place / this.#older) ** 0.6);
    return dice.chance(0.02) ? Math.max(FIRST_CREATED, instant - dice.whole(1, 30 * DAY)) : instant;
  }
}

interface Subject {
  readonly id: number;
  readonly product: InventedProduct;
  readonly spans: readonly FeedSpan[];
  readonly createdAt: number;
  /** The last CVE number used, per year. */
  readonly cveNumbers: Map<number, number>;
}

function makeRecord(dice: Dice, subject: Subject): FeedRecord {
  const { id, product, spans, createdAt } = subject;
  const { kind } = product;
  const weakness = dice.pickEarly(WEAKNESSES);
  const range = describeSpans(spans);
  const cvss = drawCvss(dice);
  const versions = dice.chance(kind.exact) ? exactVersions(dice, product) : undefined;
  const pageSlug = `${product.slug.replace(/[@/._:]+/g, '-').replace(/^-/, '')}-${slugOf(weakness)}-${id}`;
  const url = `${SITE}/${kind.section}/${pageSlug}`;
  const opening = `${weakness.type} in ${product.name}, affected ${range.slice(0, 200)}.`;
  const ghsa = dice.chance(kind.ghsa) ? drawGhsa(dice) : undefined;
  return {
    id,
    psid: dice.chance(0.05) ? hexDigits(dice, id) : undefined,
    title: makeTitle(dice, product, weakness, range),
    description: makeDescription(dice, opening),
    details: kind.hasDetails ? makeDetails(dice, product.name, range.slice(0, 200)) : undefined,
    disclosed_at: writeInstant(dice, createdAt - Math.floor(dice.draw(DISCLOSURE_LEADS))),
    created_at: writeInstant(dice, createdAt),
    withdrawn_at: dice.chance(0.002)
      ? writeInstant(dice, Math.min(LAST_CREATED, createdAt + dice.whole(1, 200 * DAY)))
      : undefined,
    url,
    url_slug: dice.chance(0.03) ? `${pageSlug}-${dice.pick(NOUNS)}` : undefined,
    vuln_type: weakness.type,
    cves: drawCves(dice, subject),
    ghsa,
    is_exploited: dice.chance(0.01),
    patch_priority: cvss.priority,
    product: {
      id: product.id,
      type: kind.type,
      slug: product.slug,
      name: product.name,
      premium_name: product.premiumName,
    },
    cvss: { score: cvss.score, vector: cvss.vector },
    cwe: dice.chance(0.96) ? weakness.cwe : null,
    capec: dice.chance(0.8) ? weakness.capec : null,
    owasp: dice.chance(0.85) ? weakness.owasp : undefined,
    references: makeReferences(dice, url, ghsa, pageSlug),
    affected: versions !== undefined && dice.chance(0.5) ? undefined : spans,
    affected_versions: versions,
    version_scheme: namedScheme(dice, product),
    credit: dice.chance(0.4) ? makePerson(dice) : null,
    submitter: dice.chance(0.08) ? makePerson(dice) : null,
  };
}

function makeTitle(dice: Dice, product: InventedProduct, weakness: Weakness, range: string): string {
  let title = `${product.kind.titleOf(product.name)} ${range} - ${weakness.type} vulnerability`;
  while (dice.chance(product.kind.clauses)) title += ` ${makeClause(dice)}`;
  // By characters, not UTF-16 units: a cut must not leave half of one.
  return title.length <= MAX_TITLE_LENGTH ? title : [...title].slice(0, MAX_TITLE_LENGTH).join('');
}

function describeSpans(spans: readonly FeedSpan[]): string {
  return spans
    .map(({ from_version, to_version, to_bound }) => {
      if (to_version === null) return from_version === null ? '*' : `>= ${from_version}`;
      if (from_version !== null) return `${from_version} - ${to_version}`;
      return to_bound === 'exclusive' ? `< ${to_version}` : `<= ${to_version}`;
    })
    .join(', ');
}

function namedScheme(dice: Dice, { kind, scheme }: InventedProduct): VersionScheme | undefined {
  return scheme === kind.scheme && dice.chance(0.96) ? undefined : scheme;
}

function exactVersions(dice: Dice, { lastMajor }: InventedProduct): string[] {
  const line = `${dice.whole(0, lastMajor)}.${dice.whole(0, 20)}`;
  const first = dice.whole(0, 40);
  return Array.from({ length: dice.whole(1, 6) }, (_, at) => `${line}.${first + at}`);
}

function drawCvss(dice: Dice): { score: number | null; vector: string | null; priority: 1 | 2 | 3 } {
  const share = dice.fraction();
  const band = share < 0.73 ? 'medium' : share < 0.93 ? 'high' : 'critical';
  const { score, vector } = dice.pickEarly(CVSS_VECTORS[band]);
  const priority = band === 'critical' ? 3 : band === 'high' ? 2 : 1;
  if (dice.chance(0.002)) return { score: null, vector: null, priority };
  return { score, vector: dice.chance(0.1) ? null : vector, priority };
}

function drawCves(dice: Dice, { createdAt, cveNumbers }: Subject): string[] {
  if (dice.chance(0.08)) return [];
  const year = new Date(createdAt * 1000).getUTCFullYear();
  const last = cveNumbers.get(year) ?? 1000;
  // Now and then repeat the last number: two advisories can share a CVE.
  const next = last > 1000 && dice.chance(0.004) ? last : last + dice.whole(1, 3);
  const numbers = dice.chance(0.015) ? [next, next + 1] : [next];
  cveNumbers.set(year, numbers[numbers.length - 1]);
  const prefix = dice.chance(0.9) ? 'CVE-' : '';
  return numbers.map((number) => `${prefix}${year}-${number}`);
}

function drawGhsa(dice: Dice): string {
  const part = (): string => Array.from({ length: 4 }, () => dice.pick(GHSA_LETTERS)).join('');
  return `GHSA-${part()}-${part()}-${part()}`;
}

/** Ends in the id, so it is unique. */
function hexDigits(dice: Dice, id: number): string {
  const tail = id.toString(16).padStart(8, '0').slice(-8);
  return `${dice.whole(0, 0xffff).toString(16).padStart(4, '0')}${tail}`;
}

function makeReferences(
  dice: Dice,
  url: string,
  ghsa: string | undefined,
  pageSlug: string,
): FeedRecord['references'] {
  const titled = (address: string, title: string) => ({
    url: address,
    title: dice.chance(0.6) ? title : undefined,
  });
  const references = [titled(url, 'Advisory')];
  if (ghsa !== undefined)
    references.push(titled(`https://reviewed.example/advisories/${ghsa}`, 'Reviewed advisory'));
  if (dice.chance(0.35)) {
    references.push(
      titled(`https://code.example/${pageSlug}/changes/${dice.whole(1000, 3_999_999)}`, 'Change set'),
    );
  }
  if (dice.chance(0.15))
    references.push(titled(`https://notes.example/${dice.pick(NOUNS)}/${pageSlug}`, 'Notes'));
  return references;
}

function slugOf(weakness: Weakness): string {
  return weakness.type
    .toLowerCase()
    .replace(/[^a-z]+/g, '-')
    .replace(/-$/, '');
}

/** Mostly as the service writes it, and in the other forms RFC 3339 allows. */
function writeInstant(dice: Dice, instant: number): string {
  const form = dice.fraction();
  if (form < 0.01) return `${isoSeconds(instant + 2 * 3600)}+02:00`;
  if (form < 0.015) return `${isoSeconds(instant)}.5Z`;
  return `${isoSeconds(instant)}${form < 0.4 ? 'Z' : '+00:00'}`;
}

function isoSeconds(instant: number): string {
  return new Date(instant * 1000).toISOString().slice(0, 19);
}
