// The text of affected versions as spans: what this server writes, and what others that speak the same API
// write. The text is not a grammar, as a version may contain nearly everything, so what stays unclear is
// reported and never guessed.

import {
  compareKeys,
  isStrictScheme,
  schemeFacts,
  type VersionScheme,
  versionKey,
} from '../../index/versions/version-key.ts';
import { type FeedSpan, quoted } from '../record/feed-schema.ts';
import { checkSpan } from '../record/record.ts';

/** Members of `patched_ranges`; '' means no bound. */
export interface PatchedRange {
  readonly from_version: string;
  readonly to_version: string;
  readonly fixed_in: string;
}

interface ReadAffected {
  readonly spans: readonly FeedSpan[];
  /** Each part that is not a span, and why: whole sentences. */
  readonly bad: readonly string[];
  /** What was understood in a way that the text does not say: whole sentences. */
  readonly warnings: readonly string[];
}

/** A part of the text, or why it is none. */
type ReadPart =
  | { readonly kind: 'spans'; readonly spans: readonly FeedSpan[]; readonly warnings: readonly string[] }
  | { readonly kind: 'unclear'; readonly problem: string };

const LOWER = /^(>=|>)\s*/;
const UPPER = /^(<=|<)\s*/;
const UPPER_INSIDE = /\s(<=|<)\s*/g;
const SPACED_HYPHEN = /\s-\s/;
const LINE_END = /[\n\r\u2028\u2029]/;
/** Two dotted numbers. One number behind a hyphen is a revision, as in 1.6.5-2, and three are a date. */
const CLOSE_RANGE = /^(\d+(?:\.\d+)+)-(\d+(?:\.\d+)+)$/;

/** `*`, or alternatives joined by `||`; spans in the order of the text, without fixes. */
export function readAffected(text: string, scheme: VersionScheme): ReadAffected {
  const spans: FeedSpan[] = [];
  const bad: string[] = [];
  const warnings: string[] = [];
  for (const part of text.split('||').map((one) => one.trim())) {
    const read = readPart(part, scheme);
    if (read.kind === 'unclear') {
      bad.push(`${quoted(part)} ${read.problem}.`);
      continue;
    }
    const problems: string[] = [];
    for (const span of read.spans) {
      const before = problems.length;
      checkSpan(span, 'affected', scheme, (_, message) => problems.push(message));
      if (problems.length === before) spans.push(span);
    }
    // Both ends of a single version have the same problem.
    for (const problem of new Set(problems)) bad.push(`${quoted(part)}: ${problem}.`);
    for (const warning of read.warnings) warnings.push(warning);
  }
  return { spans, bad, warnings };
}

function readPart(part: string, scheme: VersionScheme): ReadPart {
  if (part === '') return { kind: 'unclear', problem: 'names no version' };
  if (!part.includes(',')) return readRange(part, scheme);
  const pieces = part.split(',').map((piece) => piece.trim());
  // A lower and an upper end with a comma between them are one range; read as alternatives they would be
  // everything.
  if (pieces.length === 2 && LOWER.test(pieces[0]) && UPPER.test(pieces[1])) {
    return readRange(pieces.join(' '), scheme);
  }
  const spans: FeedSpan[] = [];
  const warnings: string[] = [];
  for (const piece of pieces) {
    const read = piece === '' ? undefined : readRange(piece, scheme);
    if (read?.kind !== 'spans') return read ?? { kind: 'unclear', problem: 'has an empty entry in its list' };
    spans.push(...read.spans);
    warnings.push(...read.warnings);
  }
  return { kind: 'spans', spans, warnings };
}

function readRange(text: string, scheme: VersionScheme): ReadPart {
  if (text === '*') return one(span(null, null, null));
  const upper = UPPER.exec(text);
  if (upper !== null) return one(span(null, text.slice(upper[0].length), boundOf(upper[1])));
  const lower = LOWER.exec(text);
  if (lower !== null) return readFrom(text, lower[1], text.slice(lower[0].length));
  const spaced = spacedEnds(text);
  if (spaced !== undefined) return one(span(...spaced, 'inclusive'));
  const close = CLOSE_RANGE.exec(text);
  if (close !== null && isRange(text, close[1], close[2], scheme)) {
    const warning = `${quoted(text)} was read as the versions from ${close[1]} to ${close[2]}.`;
    return one(span(close[1], close[2], 'inclusive'), [warning]);
  }
  const version = isStrictScheme(scheme) ? text : text.replace(/^=+\s*/, '');
  return one(span(version, version, 'inclusive'));
}

/** Of `1.0 - 2.0`. One pattern for the whole would try a long run of spaces from each of them. */
function spacedEnds(text: string): readonly [from: string, to: string] | undefined {
  const hyphen = text.search(SPACED_HYPHEN);
  if (hyphen === -1) return undefined;
  const [from, to] = [text.slice(0, hyphen).trimEnd(), text.slice(hyphen + 2).trimStart()];
  return LINE_END.test(from) || LINE_END.test(to) ? undefined : [from, to];
}

function readFrom(text: string, operator: string, rest: string): ReadPart {
  const ends = [...rest.matchAll(UPPER_INSIDE)];
  if (ends.length > 1) return { kind: 'unclear', problem: 'has more than one upper end' };
  const [end] = ends;
  const from = end === undefined ? rest : rest.slice(0, end.index).trim();
  const to = end === undefined ? null : rest.slice(end.index + end[0].length);
  const warnings =
    operator === '>='
      ? []
      : [
          `${quoted(text)} begins after ${from}, but a span includes its first version; ${from} is reported as affected too.`,
        ];
  return one(span(from, to, end === undefined ? null : boundOf(end[1])), warnings);
}

/**
 * Whether two numbers with a hyphen are two versions: not if the scheme has a meaning for the whole, or they
 * descend.
 */
function isRange(text: string, from: string, to: string, scheme: VersionScheme): boolean {
  if (isStrictScheme(scheme) && versionKey(scheme, text) !== undefined) return false;
  const low = versionKey(scheme, from);
  const high = versionKey(scheme, to);
  return low !== undefined && high !== undefined && compareKeys(low, high) < 0;
}

function boundOf(operator: string): FeedSpan['to_bound'] {
  return operator === '<' ? 'exclusive' : 'inclusive';
}

function span(from: string | null, to: string | null, bound: FeedSpan['to_bound']): FeedSpan {
  return { from_version: from, to_version: to, to_bound: bound, fixed_in: null };
}

function one(only: FeedSpan, warnings: readonly string[] = []): ReadPart {
  return { kind: 'spans', spans: [only], warnings };
}

interface Fixed {
  readonly spans: readonly FeedSpan[];
  readonly warnings: readonly string[];
}

/**
 * Adds the fixes. A patched range names its span, and has its bounds as published, where the text has them
 * completed for semver. Without patched ranges there is one fix at most.
 */
export function addFixes(
  spans: readonly FeedSpan[],
  patched: readonly PatchedRange[],
  fixed: string,
  scheme: VersionScheme,
): Fixed {
  if (patched.length === 0) return fixed === '' ? { spans, warnings: [] } : addOneFix(spans, fixed, scheme);
  const warnings: string[] = [];
  const result = [...spans];
  const shown = (version: string | null): string | null =>
    version === null || version === '' ? null : schemeFacts(scheme).complete(version);
  const endsOf = ({ from_version, to_version }: FeedSpan | PatchedRange): string =>
    JSON.stringify([shown(from_version), shown(to_version)]);
  /** Those without a fix yet, by their ends; the last one is the next. */
  const open = new Map<string, number[]>();
  for (let i = spans.length - 1; i >= 0; i--) {
    const ends = endsOf(spans[i]);
    const sharing = open.get(ends);
    if (sharing === undefined) open.set(ends, [i]);
    else sharing.push(i);
  }
  for (const range of patched) {
    const at = open.get(endsOf(range))?.pop();
    if (at === undefined) {
      warnings.push(`the patched range ${quoted(range)} is not one of the affected ranges; it was left out.`);
      continue;
    }
    result[at] = {
      from_version: range.from_version === '' ? null : range.from_version,
      to_version: range.to_version === '' ? null : range.to_version,
      to_bound: result[at].to_bound,
      fixed_in: range.fixed_in === '' ? null : range.fixed_in,
    };
  }
  return { spans: result, warnings };
}

/** With several spans the API does not say which one the fix belongs to: it ends the nearest one below it. */
function addOneFix(spans: readonly FeedSpan[], fixed: string, scheme: VersionScheme): Fixed {
  const key = versionKey(scheme, fixed);
  const last = spans.length - 1;
  let at = last;
  for (let i = last; i >= 0 && key !== undefined; i--) {
    const { to_version: to } = spans[i];
    const end = to === null ? undefined : versionKey(scheme, to);
    if (end !== undefined && compareKeys(end, key) <= 0) {
      at = i;
      break;
    }
  }
  const result = spans.map((one, i) => (i === at ? { ...one, fixed_in: fixed } : one));
  const warnings =
    spans.length < 2
      ? []
      : [
          `the server does not say which of ${spans.length} ranges ${fixed} fixes; it was given to the one that ends at ${spans[at].to_version ?? 'no version'}.`,
        ];
  return { spans: result, warnings };
}
