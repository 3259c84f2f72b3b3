// OSV events to spans, as the evaluation algorithm of the OSV schema says. Owns the order of events and what
// each does; which ranges of a record are read, and its lists of versions, are affected.ts's.
//
// A version is affected if the last event at or below it, in sorted order, is `introduced`. Sorted means: by
// the position on the version line from which the event counts.
//
//     introduced x, fixed x   from x on          last_affected x   from just above x on
//
// `introduced: "0"` is below every version. A `limit` cuts off what is at or above it; of several, the
// highest counts. The schema does not say in which order events of one position come, nor what an event means
// that is no version. Either may make an affected version look clean, so:
//
//     events listed in pairs, each start with its end: the union of what the pairs say one by one
//     an end that is no version: its pair has no end
//     an `introduced` that is no version: its pair begins below every version
//     not in pairs: an unreadable end is left out; an unreadable start affects all up to the highest end

import { compareKeys, type VersionScheme, versionKey } from '../../index/versions/version-key.ts';
import { type FeedSpan, type FieldProblem, quoted } from '../record/feed-schema.ts';
import type { KeyedSpan } from '../record/span-cover.ts';
import { versionProblem } from '../record/version-problem.ts';

const EVENT_KINDS = ['introduced', 'fixed', 'last_affected', 'limit'] as const;
type EventKind = (typeof EVENT_KINDS)[number];

interface OsvEvent {
  readonly kind: EventKind;
  readonly version: string;
  /**
   * Null for what is not a version: below all as an `introduced` ("0", or what cannot be read), above all as
   * an end or a limit ("*", or what cannot be read).
   */
  readonly key: Uint8Array | null;
  readonly isReadable: boolean;
  /** Whether it says what it is. */
  readonly isKnown: boolean;
}

/**
 * The spans of one range. They may overlap, and those of pairs come as listed. Each event that cannot be read
 * is in `problems`, under `field`, and so are events that contradict each other.
 */
export function spansOfEvents(
  list: readonly unknown[],
  scheme: VersionScheme,
  field: string,
  problems: FieldProblem[],
): KeyedSpan[] {
  if (list.length === 0) problems.push({ field: `${field}.events`, message: 'is empty' });
  const events = list.map((value, at) => readEvent(value, scheme, `${field}.events[${at}]`, problems));
  if (!events.some(({ kind, isKnown }) => kind === 'introduced' && isKnown)) {
    const message = 'has no introduced event, so no version is affected';
    if (list.length > 0) problems.push({ field: `${field}.events`, message });
    return [];
  }
  const ends = events.filter(({ kind }) => kind !== 'limit');
  const pairs = inPairs(ends);
  const found =
    pairs === undefined
      ? walk(withoutUnreadable(ends), field, problems)
      : pairs.flatMap((pair) => walk(pair, field, problems));
  const spans = belowLimits(found, events);
  if (spans.length === 0) problems.push({ field: `${field}.events`, message: 'no version is affected' });
  return spans;
}

/** What an unreadable event does, for people. */
const UNREADABLE: Readonly<Record<EventKind, string>> = {
  introduced: 'the span begins below every version',
  fixed: 'the span has no end',
  last_affected: 'the span has no end',
  limit: 'there is no limit',
};

/** One that does not say what it is may be a start: taken for an end, it could hide an affected version. */
function readEvent(value: unknown, scheme: VersionScheme, field: string, problems: FieldProblem[]): OsvEvent {
  const refuse = (message: string): OsvEvent => {
    problems.push({ field, message: `${message}; it is taken for a start that cannot be read` });
    return { kind: 'introduced', version: '', key: null, isReadable: false, isKnown: false };
  };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refuse(`must be an object (got ${quoted(value)})`);
  }
  const members = value as Readonly<Record<string, unknown>>;
  const kinds = EVENT_KINDS.filter((kind) => members[kind] !== undefined && members[kind] !== null);
  if (kinds.length !== 1) return refuse(`must have exactly one of ${EVENT_KINDS.join(', ')}`);
  const [kind] = kinds;
  const version = members[kind];
  if ((kind === 'introduced' && version === '0') || (kind === 'limit' && version === '*')) {
    return { kind, version, key: null, isReadable: true, isKnown: true };
  }
  const problem =
    typeof version === 'string'
      ? versionProblem(version, scheme)
      : `must be a string (got ${quoted(version)})`;
  if (typeof version === 'string' && problem === undefined) {
    return { kind, version, key: versionKey(scheme, version) ?? null, isReadable: true, isKnown: true };
  }
  problems.push({ field: `${field}.${kind}`, message: `${problem}; ${UNREADABLE[kind]}` });
  return { kind, version: '', key: null, isReadable: false, isKnown: true };
}

/**
 * The pairs of an `introduced` and the end after it, the last one perhaps without; undefined if the events
 * are not listed so. Requires: no `limit`.
 */
function inPairs(events: readonly OsvEvent[]): (readonly OsvEvent[])[] | undefined {
  const pairs: (readonly OsvEvent[])[] = [];
  for (let at = 0; at < events.length; at += 2) {
    const pair = events.slice(at, at + 2);
    const [start, end = undefined] = pair;
    if (start.kind !== 'introduced' || end?.kind === 'introduced') return undefined;
    if (end !== undefined && compareEvents(start, end) > 0) return undefined;
    pairs.push(pair);
  }
  return pairs;
}

/** For events that are not listed in pairs: whatever an unreadable one may have meant is affected. */
function withoutUnreadable(events: readonly OsvEvent[]): readonly OsvEvent[] {
  const read = events.filter(({ isReadable }) => isReadable);
  const lost = events.filter(({ isReadable }) => !isReadable);
  const start = lost.find(({ kind }) => kind === 'introduced');
  if (start === undefined) return read;
  const last = read.toSorted(compareEvents).at(-1);
  const isEnded =
    last !== undefined && last.kind !== 'introduced' && lost.every(({ kind }) => kind === 'introduced');
  return isEnded ? [start, last] : [start];
}

/** Positions on the version line. Requires: no `limit`. */
function compareEvents(a: OsvEvent, b: OsvEvent): number {
  if (a.key === null || b.key === null) return placeOfNull(a) - placeOfNull(b);
  return compareKeys(a.key, b.key) || Number(a.kind === 'last_affected') - Number(b.kind === 'last_affected');
}

function placeOfNull({ kind, key }: OsvEvent): number {
  if (key !== null) return 0;
  return kind === 'introduced' ? -1 : 1;
}

/** Requires: no `limit`. */
function walk(events: readonly OsvEvent[], field: string, problems: FieldProblem[]): KeyedSpan[] {
  const spans: KeyedSpan[] = [];
  let open: OsvEvent | undefined;
  const close = (to: OsvEvent | undefined): void => {
    if (open === undefined) return;
    const end = to?.key === null ? undefined : to;
    const isLastAffected = end?.kind === 'last_affected';
    const span: FeedSpan = {
      from_version: open.key === null ? null : open.version,
      to_version: end?.version ?? null,
      to_bound: end === undefined ? null : isLastAffected ? 'last-affected' : 'exclusive',
      fixed_in: end === undefined || isLastAffected ? null : end.version,
    };
    spans.push({ span, from: open.key, to: end?.key ?? null });
    open = undefined;
  };
  for (const event of events.toSorted(compareEvents)) {
    if (event.kind === 'introduced') open ??= event;
    else if (open === undefined) {
      const message = `${event.kind} ${quoted(event.version)} ends nothing: no version directly below it is affected`;
      problems.push({ field: `${field}.events`, message });
    } else if (compareEvents(open, event) === 0) {
      const message = `introduced ${quoted(open.version)} has no effect: the same version is in a fixed event`;
      problems.push({ field: `${field}.events`, message });
      open = undefined;
    } else close(event);
  }
  close(undefined);
  return spans;
}

/** The parts of the spans below the highest limit. */
function belowLimits(spans: readonly KeyedSpan[], events: readonly OsvEvent[]): KeyedSpan[] {
  const limits = events.filter(({ kind }) => kind === 'limit');
  if (limits.length === 0) return [...spans];
  let highest: { readonly version: string; readonly key: Uint8Array } | undefined;
  for (const { version, key } of limits) {
    if (key === null) return [...spans];
    if (highest === undefined || compareKeys(key, highest.key) > 0) highest = { version, key };
  }
  const limit = highest;
  if (limit === undefined) return [...spans];
  return spans
    .filter(({ from }) => from === null || compareKeys(from, limit.key) < 0)
    .map((keyed) => {
      const order = keyed.to === null ? 1 : compareKeys(keyed.to, limit.key);
      if (order < 0 || (order === 0 && keyed.span.to_bound === 'exclusive')) return keyed;
      const { from_version } = keyed.span;
      // Nothing says that the limit has the fix.
      const span: FeedSpan = {
        from_version,
        to_version: limit.version,
        to_bound: 'exclusive',
        fixed_in: null,
      };
      return { span, from: keyed.from, to: limit.key };
    });
}
