// Invented npm advisories for the client tests, each with what a client must say about it: every kind of
// range, versions between and on the bounds, scoped and odd names, missing ratings, malware, withdrawn
// records.

import semver from 'semver';
import { Dice } from '../../../src/generator/dice.ts';
import type { Span } from '../../../src/index/lookup/interval.ts';
import { type FeedJson, feedRecord, npmProduct, span } from '../../support/feeds/advisories.ts';
import { holds } from '../../support/oracles/linear-scan.ts';
import { type PackageId, type Packages, VULNERABLE_NAMES } from './packages.ts';

export const SEVERITIES = ['info', 'low', 'moderate', 'high', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

export interface InventedAdvisory {
  readonly id: number;
  readonly name: string;
  readonly spans: readonly Span[];
  readonly isWithdrawn: boolean;
  /** What clients must show. */
  readonly severity: Severity;
  readonly url: string;
  readonly title: string;
  /** The line of the feed. */
  readonly record: FeedJson;
}

const GHSA_LETTERS = '23456789cfghjmpqrvwx';

/** Advisories about the packages that should have some. */
export function inventAdvisories(packages: Packages, seed: number): InventedAdvisory[] {
  const dice = new Dice(seed);
  const advisories: InventedAdvisory[] = [];
  for (const [at, name] of VULNERABLE_NAMES.entries()) {
    const versions = (packages.get(name) ?? []).map(({ version }) => version);
    const count = dice.whole(1, 4);
    for (let i = 0; i < count; i++) {
      advisories.push(inventAdvisory(dice, advisories.length + 1, npmProduct(name, at + 1), versions));
    }
  }
  return advisories;
}

/** What applies to a version, ids ascending: a scan over all spans, independent of the server's index. */
export function applying(
  advisories: readonly InventedAdvisory[],
  { name, version }: PackageId,
): InventedAdvisory[] {
  return advisories.filter(
    (advisory) =>
      advisory.name === name &&
      !advisory.isWithdrawn &&
      advisory.spans.some((candidate) => holds('semver', candidate, version)),
  );
}

interface Rating {
  readonly kind: 'vulnerability' | 'malware';
  readonly word: string;
  readonly score: number | null;
}

function inventAdvisory(
  dice: Dice,
  id: number,
  product: FeedJson,
  versions: readonly string[],
): InventedAdvisory {
  const rating = inventRating(dice);
  const isMalware = rating.kind === 'malware';
  const spans = isMalware && dice.chance(0.5) ? [EVERY_VERSION] : inventSpans(dice, versions);
  const single = isMalware || dice.chance(0.1) ? [dice.pick(versions)] : [];
  const ghsa = dice.chance(0.75) ? `GHSA-${letters(dice)}-${letters(dice)}-${letters(dice)}` : '';
  const url = `https://advisories.example/db/${id}`;
  const isWithdrawn = dice.chance(0.05);
  const title = `Flaw ${id} in "${String(product.name)}" <script> é`;
  const record = feedRecord(id, {
    title,
    url,
    product,
    kind: rating.kind,
    severity: rating.word,
    ghsa,
    cves: dice.chance(0.5) ? [`CVE-2026-${1000 + id}`] : [],
    cvss: rating.score === null ? null : { score: rating.score, vector: dice.chance(0.8) ? VECTOR : null },
    cwe: dice.chance(0.7) ? { id: 400, name: 'Uncontrolled Resource Consumption' } : null,
    affected: spans.map(({ from, to, toBound, fixedIn }) => span(from, to, toBound, fixedIn)),
    affected_versions: single,
    ...(isWithdrawn ? { withdrawn_at: '2026-02-01T00:00:00Z' } : {}),
  });
  const exact = single.map(
    (version): Span => ({ from: version, to: version, toBound: 'inclusive', fixedIn: null }),
  );
  return {
    id,
    name: String(product.name),
    spans: [...spans, ...exact],
    isWithdrawn,
    severity: severityOf(rating),
    url: ghsa === '' ? url : `https://github.com/advisories/${ghsa}`,
    title,
    record,
  };
}

const EVERY_VERSION: Span = { from: null, to: null, toBound: null, fixedIn: null };
const VECTOR = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N';

function letters(dice: Dice): string {
  return Array.from({ length: 4 }, () => dice.pick([...GHSA_LETTERS])).join('');
}

function inventRating(dice: Dice): Rating {
  return {
    kind: dice.chance(0.12) ? 'malware' : 'vulnerability',
    word: dice.pick(['', '', '', 'info', 'low', 'moderate', 'high', 'critical', 'none', 'severe']),
    score: dice.chance(0.25) ? null : dice.pick([0, 0.1, 3.9, 4, 5.5, 6.9, 7, 8.8, 8.9, 9, 10]),
  };
}

/**
 * The record's own word if it is npm's, else by score; nothing known is moderate, and malware is always
 * critical.
 */
function severityOf({ kind, word, score }: Rating): Severity {
  if (kind === 'malware') return 'critical';
  const own = SEVERITIES.find((severity) => severity === word);
  if (own !== undefined) return own;
  if (score === null) return 'moderate';
  if (score >= 9) return 'critical';
  if (score >= 7) return 'high';
  return score >= 4 ? 'moderate' : 'low';
}

/** One to three that do not touch, ascending; bounds on published versions, between them, and none at all. */
function inventSpans(dice: Dice, versions: readonly string[]): Span[] {
  const cuts = new Set<number>();
  const count = dice.whole(1, 3);
  while (cuts.size < count * 2) cuts.add(dice.whole(0, versions.length - 1));
  const edges = [...cuts].sort((a, b) => a - b);
  return Array.from({ length: count }, (_, i) => {
    const from = versions[edges[2 * i]];
    const to = versions[edges[2 * i + 1]];
    const isFirst = i === 0;
    const isLast = i === count - 1;
    const lower = isFirst && dice.chance(0.5) ? dice.pick([null, '0', '0.0.0']) : from;
    if (isLast && dice.chance(0.15)) return { from: lower, to: null, toBound: null, fixedIn: null };
    return upperBounded(dice, lower, to);
  });
}

function upperBounded(dice: Dice, from: string | null, to: string): Span {
  switch (dice.whole(0, 4)) {
    case 0:
      return { from, to, toBound: 'inclusive', fixedIn: null };
    case 1:
      return { from, to, toBound: 'last-affected', fixedIn: null };
    case 2: {
      // A fix that was never published: one patch release above.
      const above = `${semver.major(to)}.${semver.minor(to)}.${semver.patch(to) + 1}`;
      return { from, to, toBound: 'inclusive', fixedIn: above };
    }
    default:
      return { from, to, toBound: 'exclusive', fixedIn: to };
  }
}
