// The spans of an advisory as ranges of OSV events. A reader that follows the schema's evaluation gets the
// verdicts of this server:
//
//     span                    events
//     no lower bound          introduced "0"
//     from a                  introduced a
//     up to b, without it     fixed b
//     up to b, with it        last_affected b; a known fix is in `fixedIn`, because versions between the two are not affected
//     a text that is none     none: it is one of the `versions`
//
// A range may not have both `fixed` and `last_affected`. Its spans ascend and do not touch: with two events
// of one version, readers disagree about which comes first.

import { holdsUpperBound, isUnboundedBelow, type Span } from '../../index/lookup/interval.ts';
import {
  compareKeys,
  getVersionKey,
  schemeFacts,
  type VersionScheme,
  versionKey,
} from '../../index/versions/version-key.ts';

export type OsvEvent =
  | { readonly introduced: string }
  | { readonly fixed: string }
  | { readonly last_affected: string };

/** The event that ends a range after its last affected version. */
export type AfterLast = (version: string) => Exclude<OsvEvent, { readonly introduced: string }>;

const lastAffected: AfterLast = (version) => ({ last_affected: version });

interface Ranges {
  /** Each with at least one event. */
  readonly ranges: readonly (readonly OsvEvent[])[];
  /** Affected texts that the scheme cannot order. */
  readonly versions: readonly string[];
  /** Fixes that no event tells, each once. */
  readonly fixedIn: readonly string[];
}

interface KeyedSpan {
  readonly from: Uint8Array | null;
  readonly to: Uint8Array | null;
  readonly introduced: string;
  readonly end: Exclude<OsvEvent, { introduced: string }> | undefined;
}

/** Ranges to which spans are still added. */
interface OpenRange {
  readonly events: OsvEvent[];
  readonly endsBy: 'fixed' | 'last_affected';
  /** Where its last span ends. */
  to: Uint8Array;
}

/**
 * Looked at for each span, on a serving thread. Beyond that, spans that overlap get a range each, which says
 * the same.
 */
const MOST_OPEN = 64;

export function rangesOf(
  spans: readonly Span[],
  scheme: VersionScheme,
  afterLast: AfterLast = lastAffected,
): Ranges {
  const fixes = new Set<string>();
  const versions: string[] = [];
  const keyed: KeyedSpan[] = [];
  for (const span of spans) {
    if (span.from === null || isVersion(span.from, scheme))
      keyed.push(keyedSpan(span, scheme, fixes, afterLast));
    else versions.push(span.from);
  }
  if (keyed.length > 1) keyed.sort(compareSpans);
  const ranges: OsvEvent[][] = [];
  const open: OpenRange[] = [];
  for (const { from, to, introduced, end } of keyed) {
    const { key, endsBy } = endOf(to, end);
    const range =
      from === null
        ? undefined
        : open.find(
            (each) => (endsBy === undefined || each.endsBy === endsBy) && compareKeys(each.to, from) < 0,
          );
    const events: OsvEvent[] = range?.events ?? [];
    if (range === undefined) ranges.push(events);
    events.push({ introduced });
    if (end !== undefined) events.push(end);
    if (key === undefined || endsBy === undefined) {
      // Nothing comes after a span without an upper bound.
      if (range !== undefined) open.splice(open.indexOf(range), 1);
    } else if (range !== undefined) range.to = key;
    else if (open.length < MOST_OPEN) open.push({ events, endsBy, to: key });
  }
  return { ranges, versions, fixedIn: [...fixes] };
}

function isVersion(text: string, scheme: VersionScheme): boolean {
  return versionKey(scheme, text) !== undefined;
}

function endOf(
  key: Uint8Array | null,
  end: KeyedSpan['end'],
): { readonly key?: Uint8Array; readonly endsBy?: 'fixed' | 'last_affected' } {
  if (key === null || end === undefined) return {};
  return { key, endsBy: 'fixed' in end ? 'fixed' : 'last_affected' };
}

function keyedSpan(
  { from, to, toBound, fixedIn }: Span,
  scheme: VersionScheme,
  fixes: Set<string>,
  afterLast: AfterLast,
): KeyedSpan {
  const { complete: text } = schemeFacts(scheme);
  const isOpen = from === null || isUnboundedBelow(schemeFacts(scheme), from);
  const isLast = holdsUpperBound(toBound);
  if (fixedIn !== null && (isLast || to !== fixedIn)) fixes.add(text(fixedIn));
  return {
    from: isOpen ? null : getVersionKey(scheme, from),
    to: to === null ? null : getVersionKey(scheme, to),
    introduced: isOpen ? '0' : notZero(text(from), scheme),
    end: to === null ? undefined : isLast ? afterLast(text(to)) : { fixed: text(to) },
  };
}

/** In OSV a lower bound "0" is below every version. The version of that name is written in another way. */
function notZero(version: string, scheme: VersionScheme): string {
  if (version !== '0') return version;
  const zero = getVersionKey(scheme, '0');
  return ['0.0', '0.0.0', '00'].find((text) => compareKeys(getVersionKey(scheme, text), zero) === 0) ?? '0';
}

function compareSpans(a: KeyedSpan, b: KeyedSpan): number {
  return compareBounds(a.from, b.from, -1) || compareBounds(a.to, b.to, 1);
}

/** `unbounded` is the sign of a missing bound: -1 below all versions, 1 above. */
function compareBounds(a: Uint8Array | null, b: Uint8Array | null, unbounded: -1 | 1): number {
  if (a !== null && b !== null) return compareKeys(a, b);
  return (Number(a === null) - Number(b === null)) * unbounded;
}
