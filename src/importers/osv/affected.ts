// What the `affected` entries of one package say together: spans and individual versions, merged over all
// entries.

import type { ProductTypeFacts } from '../../index/product-type.ts';
import { compareKeys, type VersionScheme, versionKey } from '../../index/versions/version-key.ts';
import { type FeedSpan, type FieldProblem, quoted } from '../record/feed-schema.ts';
import { compareSpans, type KeyedSpan, SpanCover } from '../record/span-cover.ts';
import { isLiteral, versionProblem } from '../record/version-problem.ts';
import { spansOfEvents } from './events.ts';
import type { OsvAffected } from './osv-record.ts';

interface AffectedVersions {
  /** Ascending by their lower bounds. Those of different ranges may overlap. */
  readonly spans: readonly FeedSpan[];
  /** Versions outside of the spans, ascending; then texts that the scheme cannot order. */
  readonly exact: readonly string[];
  /** All that is listed one by one, in the same order. */
  readonly listed: readonly string[];
  /** What was left out or contradicts itself. */
  readonly problems: readonly FieldProblem[];
  /** Whether there are ranges of commits, which are not read. */
  readonly hasCommits: boolean;
}

/** Requires: entries of one package. */
export function affectedVersions(entries: readonly OsvAffected[], type: ProductTypeFacts): AffectedVersions {
  const { scheme } = type;
  const problems: FieldProblem[] = [];
  const keyed: KeyedSpan[] = [];
  const versions: KeyedVersion[] = [];
  const literals = new Set<string>();
  let hasCommits = false;
  for (const entry of entries) {
    const { field } = entry;
    let saysNothing = entry.versions.length === 0;
    for (const [at, { type, events }] of entry.ranges.entries()) {
      const range = `${field}.ranges[${at}]`;
      if (type === 'GIT') hasCommits = true;
      else if (type === 'SEMVER' || type === 'ECOSYSTEM') {
        const spans = spansOfEvents(events, scheme, range, problems);
        // One by one: there can be more than a call has room for.
        for (const span of withLastKnown(spans, entry, scheme, problems)) keyed.push(span);
      } else {
        const message = `must be SEMVER, ECOSYSTEM or GIT (got ${quoted(type)}); the range is left out`;
        problems.push({ field: `${range}.type`, message });
      }
      saysNothing = false;
    }
    if (saysNothing) problems.push({ field, message: 'has neither ranges nor versions' });
    readVersions(entry, type, versions, literals, problems);
  }
  const spans = distinct(keyed.sort(compareSpans), (a, b) => compareSpans(a, b) === 0);
  const sorted = distinct(versions.sort(compareVersions), (a, b) => compareVersions(a, b) === 0);
  const cover = new SpanCover(spans);
  return {
    spans: spans.map(({ span }) => span),
    exact: [...sorted.filter(({ key }) => !cover.contains(key)).map(({ version }) => version), ...literals],
    listed: [...sorted.map(({ version }) => version), ...literals],
    problems,
    hasCommits,
  };
}

const LAST_KNOWN = 'last_known_affected_version_range';

/**
 * GitHub says in a member of its own where an advisory without a fix ends: `<= 1.2.3` or `< 1.2.3`. Open
 * spans end there; without it, whatever is published later would count as affected for ever. Nothing says
 * that the end has a fix.
 */
function withLastKnown(
  spans: readonly KeyedSpan[],
  { field, databaseSpecific }: OsvAffected,
  scheme: VersionScheme,
  problems: FieldProblem[],
): readonly KeyedSpan[] {
  const known = databaseSpecific[LAST_KNOWN];
  const isOpen = ({ to }: KeyedSpan): boolean => to === null;
  if (known === undefined || known === null || !spans.some(isOpen)) return spans;
  const [, operator, version = ''] =
    (typeof known === 'string' ? /^\s*(<=?)\s*(\S+)\s*$/.exec(known) : null) ?? [];
  const key = versionProblem(version, scheme) === undefined ? versionKey(scheme, version) : undefined;
  const isClosedEnd = operator === '<=';
  const ends = (span: KeyedSpan): boolean => {
    if (key === undefined || !isOpen(span)) return false;
    const order = span.from === null ? -1 : compareKeys(span.from, key);
    return order < 0 || (order === 0 && isClosedEnd);
  };
  if (key === undefined || !spans.some(ends)) {
    const message = `${quoted(known)} does not end a span, as "<= 1.2.3" or "< 1.2.3" would; the span stays open`;
    problems.push({ field: `${field}.database_specific.${LAST_KNOWN}`, message });
    return spans;
  }
  return spans.map((keyed) => {
    if (!ends(keyed)) return keyed;
    const to_bound = isClosedEnd ? 'last-affected' : 'exclusive';
    const { from_version } = keyed.span;
    return {
      span: { from_version, to_version: version, to_bound, fixed_in: null },
      from: keyed.from,
      to: key,
    };
  });
}

interface KeyedVersion {
  readonly version: string;
  readonly key: Uint8Array;
}

/** One problem for all versions of an entry that are none: lists have hundreds. */
function readVersions(
  { field, versions }: OsvAffected,
  type: ProductTypeFacts,
  into: KeyedVersion[],
  literals: Set<string>,
  problems: FieldProblem[],
): void {
  const { scheme } = type;
  let bad = 0;
  let firstProblem = '';
  for (const version of versions) {
    const problem =
      typeof version === 'string'
        ? versionProblem(version, scheme)
        : `must be a string (got ${quoted(version)})`;
    const key =
      typeof version === 'string' && problem === undefined ? versionKey(scheme, version) : undefined;
    if (typeof version === 'string' && key !== undefined) into.push({ version, key });
    else if (typeof version === 'string' && isLiteral(version, type)) literals.add(version.trim());
    else {
      bad++;
      if (bad === 1) firstProblem = problem ?? 'is not a version';
    }
  }
  if (bad === 0) return;
  const message =
    bad === 1
      ? `${firstProblem}; it is left out`
      : `${bad} of ${versions.length} are left out; the first: ${firstProblem}`;
  problems.push({ field: `${field}.versions`, message });
}

function compareVersions(a: KeyedVersion, b: KeyedVersion): number {
  return compareKeys(a.key, b.key);
}

/** The first of each run of equals. */
function distinct<T>(sorted: readonly T[], equal: (a: T, b: T) => boolean): T[] {
  return sorted.filter((item, at) => at === 0 || !equal(sorted[at - 1], item));
}
