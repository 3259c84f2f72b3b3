// The affected versions of one software entry as spans: inclusivity flags become bounds, and each span gets
// the patched version that ends it. Whatever cannot be said exactly is said in a warning.

import { isEmptySpan } from '../../index/lookup/interval.ts';
import { partitionPoint } from '../../index/lookup/search.ts';
import { compareKeys, type VersionScheme, versionKey } from '../../index/versions/version-key.ts';
import { type FeedSpan, type FieldProblem, mustBe, quoted } from '../record/feed-schema.ts';
import { isObject, type JsonObject } from '../record/json.ts';
import { checkSpan } from '../record/record.ts';
import { keyedSpan, SpanCover } from '../record/span-cover.ts';

export interface ReadSpans {
  readonly spans: readonly FeedSpan[];
  /** Spans that were left out, in order. */
  readonly bad: readonly FieldProblem[];
  /** What the spans say differently from the source: whole sentences. */
  readonly warnings: readonly string[];
}

/** An open end. */
const ANY = '*';

/** One end of an interval: a version, and whether it is inside. */
interface Bound {
  readonly version: string;
  readonly isInside: boolean;
}

/**
 * The spans of an `affected_versions` object, in its order. `field` names it in messages; `patched` are the
 * versions that fix the vulnerability, in any order.
 */
export function readSpans(
  affected: JsonObject,
  patched: readonly string[],
  field: string,
  scheme: VersionScheme,
): ReadSpans {
  const bad: FieldProblem[] = [];
  const warnings: string[] = [];
  const open: FeedSpan[] = [];
  for (const [label, value] of Object.entries(affected)) {
    const at = `${field}[${quoted(label)}]`;
    const span = readSpan(value, at, scheme, bad, warnings);
    if (span !== undefined) open.push(span);
  }
  const fixes = new Fixes(patched, open, scheme);
  for (const version of fixes.invalid) {
    warnings.push(`patched version ${quoted(version)} is not a version; it was left out.`);
  }
  return { spans: open.map((span) => ({ ...span, fixed_in: fixes.after(span) })), bad, warnings };
}

/** A span without its fix; undefined if it is bad, and then `bad` says why. */
function readSpan(
  value: unknown,
  field: string,
  scheme: VersionScheme,
  bad: FieldProblem[],
  warnings: string[],
): FeedSpan | undefined {
  if (!isObject(value)) {
    bad.push({ field, message: `must be an object (got ${quoted(value)})` });
    return undefined;
  }
  const problems: FieldProblem[] = [];
  const report = (name: string, message: string): void => {
    problems.push({ field: name, message });
  };
  const from = readBound(value, 'from', field, report);
  const to = readBound(value, 'to', field, report);
  if (problems.length === 0) {
    const span: FeedSpan = {
      from_version: from?.version ?? null,
      to_version: to?.version ?? null,
      to_bound: to === null ? null : to.isInside ? 'inclusive' : 'exclusive',
      fixed_in: null,
    };
    checkSpan(span, field, scheme, report);
    const excludesFrom = from !== null && !from.isInside;
    if (problems.length === 0 && excludesFrom && isOneVersion(span, scheme)) {
      report(
        field,
        `the span is empty (from_version ${from.version} is its only version, and it is excluded)`,
      );
    }
    if (problems.length === 0) {
      if (excludesFrom) {
        warnings.push(
          `${field}: it begins after ${from.version}, but a span includes its first version; ` +
            `${from.version} is reported as affected too.`,
        );
      }
      return span;
    }
  }
  bad.push(...problems);
  return undefined;
}

function readBound(
  span: JsonObject,
  end: 'from' | 'to',
  field: string,
  report: (field: string, message: string) => void,
): Bound | null {
  const version = span[`${end}_version`];
  const isInside = span[`${end}_inclusive`] ?? true; // more is affected then, not less
  if (typeof isInside !== 'boolean') {
    report(`${field}.${end}_inclusive`, `must be true or false (got ${quoted(isInside)})`);
    return null;
  }
  if (typeof version !== 'string') {
    // Not even null is an open end: the feed writes *, and a misspelt name would otherwise mean "all
    // versions".
    report(`${field}.${end}_version`, mustBe('a string', version));
    return null;
  }
  return version.trim() === ANY ? null : { version, isInside };
}

/** Requires: a sound span. */
function isOneVersion(span: FeedSpan, scheme: VersionScheme): boolean {
  return isEmptySpan(
    { from: span.from_version, to: span.to_version, toBound: 'exclusive', fixedIn: null },
    scheme,
  );
}

/** The patched versions of one software entry, by version. */
class Fixes {
  /** Those that are not versions of the scheme. */
  readonly invalid: readonly string[];
  readonly #ascending: readonly { readonly version: string; readonly key: Uint8Array }[];
  readonly #scheme: VersionScheme;

  /** A version inside a span is affected itself, so it fixes nothing. */
  constructor(patched: readonly string[], spans: readonly FeedSpan[], scheme: VersionScheme) {
    const invalid: string[] = [];
    const usable: { readonly version: string; readonly key: Uint8Array }[] = [];
    const affected = new SpanCover(spans.map((span) => keyedSpan(span, scheme)));
    for (const version of patched) {
      const key = versionKey(scheme, version);
      if (key === undefined) invalid.push(version);
      else if (!affected.contains(key)) usable.push({ version, key });
    }
    this.invalid = invalid;
    this.#ascending = usable.sort((a, b) => compareKeys(a.key, b.key));
    this.#scheme = scheme;
  }

  /** The lowest above the span, or null. */
  after({ to_version: to }: FeedSpan): string | null {
    const end = to === null ? undefined : versionKey(this.#scheme, to);
    if (end === undefined) return null;
    // One equal to an inclusive end is inside the span, so it is not here.
    const fixes = this.#ascending;
    const first = partitionPoint(0, fixes.length, (i) => compareKeys(fixes[i].key, end) >= 0);
    return fixes[first]?.version ?? null;
  }
}
