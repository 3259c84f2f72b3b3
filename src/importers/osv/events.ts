// OSV events to spans, as the evaluation algorithm of the OSV schema says. Owns the order of events and what
// each does; which ranges of a record are read, and its lists of versions, are affected.ts's.
//
// A version is affected if the last event at or below it, in sorted order, is `introduced`. Sorted means: by
// the position on the version line from which the event counts.
//
//     introduced x, fixed x   from x on          last_affected x   from just above x on
//
// Events of one position keep their order in the record: the schema leaves it open, and a stable sort is the
// plain reading of its pseudocode. `introduced: "0"` is below every version. A `limit` cuts off what is at or
// above it; of several, the highest counts.

import { compareKeys, type VersionScheme, versionKey } from '../../index/versions/version-key.ts';
import { type FeedSpan, type FieldProblem, quoted } from '../record/feed-schema.ts';
import { versionProblem } from '../record/version-problem.ts';

const EVENT_KINDS = ['introduced', 'fixed', 'last_affected', 'limit'] as const;
type EventKind = (typeof EVENT_KINDS)[number];

interface OsvEvent {
  readonly kind: EventKind;
  readonly version: string;
  /** Null for what is not a version: below all (`introduced: "0"`) or above all (`limit: "*"`). */
  readonly key: Uint8Array | null;
}

/** A span with the keys of its bounds. */
export interface KeyedSpan {
  readonly span: FeedSpan;
  readonly from: Uint8Array | null;
  readonly to: Uint8Array | null;
}

/**
 * The spans of one range, ascending and disjoint. Events that cannot be read cost their own pair of an
 * `introduced` and its end where the record lists pairs, else the whole range; each is in `problems`, under
 * `field`, and so are events that contradict each other.
 */
export function spansOfEvents(
  list: readonly unknown[],
  scheme: VersionScheme,
  field: string,
  problems: FieldProblem[],
): KeyedSpan[] {
  const bad: FieldProblem[] = [];
  const events = list.map((value, at) => readEvent(value, scheme, `${field}.events[${at}]`, bad));
  const kept = keepWholePairs(events);
  const lost = kept.length === 0 ? 'the range is left out' : 'the span is left out';
  // One by one: a file has room for more events than a call has for arguments.
  for (const problem of bad) problems.push({ ...problem, message: `${problem.message}; ${lost}` });
  if (kept.length === 0) {
    if (list.length === 0) problems.push({ field: `${field}.events`, message: 'is empty' });
    return [];
  }
  if (!kept.some(({ kind }) => kind === 'introduced')) {
    problems.push({
      field: `${field}.events`,
      message: 'has no introduced event, so no version is affected',
    });
    return [];
  }
  const spans = belowLimits(walk(kept, field, problems), kept);
  if (spans.length === 0) problems.push({ field: `${field}.events`, message: 'no version is affected' });
  return spans;
}

function readEvent(
  value: unknown,
  scheme: VersionScheme,
  field: string,
  problems: FieldProblem[],
): OsvEvent | undefined {
  const refuse = (message: string, member = ''): undefined => {
    problems.push({ field: `${field}${member}`, message });
  };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refuse(`must be an object (got ${quoted(value)})`);
  }
  const members = value as Readonly<Record<string, unknown>>;
  const kinds = EVENT_KINDS.filter((kind) => members[kind] !== undefined && members[kind] !== null);
  if (kinds.length !== 1) return refuse(`must have exactly one of ${EVENT_KINDS.join(', ')}`);
  const [kind] = kinds;
  const version = members[kind];
  if (typeof version !== 'string') return refuse(`must be a string (got ${quoted(version)})`, `.${kind}`);
  if ((kind === 'introduced' && version === '0') || (kind === 'limit' && version === '*')) {
    return { kind, version, key: null };
  }
  const problem = versionProblem(version, scheme);
  if (problem !== undefined) return refuse(problem, `.${kind}`);
  return { kind, version, key: versionKey(scheme, version) ?? null };
}

/**
 * All events if each could be read. Otherwise the pairs of an `introduced` and the end after it in which both
 * could be read; none at all if the events are not listed in pairs, since any of them may belong to the lost
 * one.
 */
function keepWholePairs(events: readonly (OsvEvent | undefined)[]): OsvEvent[] {
  const read = events.filter((event) => event !== undefined);
  if (read.length === events.length) return read;
  const kept: OsvEvent[] = [];
  for (let at = 0; at < events.length; at += 2) {
    const [start, end] = [events[at], events[at + 1]];
    if (start !== undefined && start.kind !== 'introduced') return [];
    if (end !== undefined && end.kind !== 'fixed' && end.kind !== 'last_affected') return [];
    if (start === undefined || end === undefined) continue;
    if (compareEvents(start, end) > 0) return [];
    kept.push(start, end);
  }
  return kept;
}

/** Positions on the version line; null is below all. Requires: no `limit`. */
function compareEvents(a: OsvEvent, b: OsvEvent): number {
  if (a.key === null || b.key === null) return Number(a.key !== null) - Number(b.key !== null);
  return compareKeys(a.key, b.key) || Number(a.kind === 'last_affected') - Number(b.kind === 'last_affected');
}

function walk(events: readonly OsvEvent[], field: string, problems: FieldProblem[]): KeyedSpan[] {
  const spans: KeyedSpan[] = [];
  let open: OsvEvent | undefined;
  const close = (to: OsvEvent | undefined): void => {
    if (open === undefined) return;
    const isLastAffected = to?.kind === 'last_affected';
    const span: FeedSpan = {
      from_version: open.key === null ? null : open.version,
      to_version: to?.version ?? null,
      to_bound: to === undefined ? null : isLastAffected ? 'last-affected' : 'exclusive',
      fixed_in: to === undefined || isLastAffected ? null : to.version,
    };
    spans.push({ span, from: open.key, to: to?.key ?? null });
    open = undefined;
  };
  const sorted = events.filter(({ kind }) => kind !== 'limit').sort(compareEvents); // stable
  for (const event of sorted) {
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
