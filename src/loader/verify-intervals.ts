// The slow twin of the compiler's intervals: spans are compared with bounds one pair at a time, and a group's
// intervals must hold exactly the positions that comparison says. Also the order of an advisory's spans.

import { type ColumnName, type IndexColumns, NONE, schemeCode } from '../index/columns.ts';
import { holdsUpperBound, upperBoundOf } from '../index/interval.ts';
import { partitionPoint } from '../index/search.ts';
import { compareKeys } from '../index/version-key.ts';
import { SnapshotError, type SnapshotErrorCode } from './errors.ts';

type Key = Uint8Array;

interface KeyedSpan {
  /** Null is unbounded. */
  readonly from: Key | null;
  readonly to: Key | null;
  readonly holdsTo: boolean;
}

/** Throws SnapshotError. Requires: what verifyIndex grants. */
export function verifyIntervals(columns: IndexColumns): void {
  verifySpans(columns);
  const { productType, productGroupStart } = columns;
  for (let product = 0; product < productType.length; product++) {
    const schemes = verifyProductSchemes(columns, product);
    schemes.forEach((ordinals, i) => {
      verifyGroup(columns, productGroupStart[product] + i, ordinals);
    });
  }
}

/** Bounds are versions of the advisory's scheme, hold something between them, and ascend from span to span. */
function verifySpans(columns: IndexColumns): void {
  const { advisoryFlags, advisorySpanStart, versionSchemeStart } = columns;
  for (let advisory = 0; advisory < advisoryFlags.length; advisory++) {
    const scheme = schemeCode(advisoryFlags[advisory]);
    let previous: KeyedSpan | undefined;
    for (let span = advisorySpanStart[advisory]; span < advisorySpanStart[advisory + 1]; span++) {
      for (const name of ['spanFrom', 'spanTo', 'spanFixedIn'] as const) {
        const version = columns[name][span];
        if (version === NONE) continue;
        if (version < versionSchemeStart[scheme] || version >= versionSchemeStart[scheme + 1]) {
          fail('bad-index', name, span, `a version of the scheme of advisory ${advisory}`, String(version));
        }
        if (name !== 'spanFixedIn' && keyOf(columns, version).length === 0) {
          fail('bad-index', name, span, 'a version with a key', String(version));
        }
      }
      const keyed = spanAt(columns, span);
      if (isEmpty(keyed)) fail('bad-index', 'spanTo', span, 'a span that holds a version', 'an empty one');
      if (previous !== undefined && compareSpans(previous, keyed) > 0) {
        fail('unsorted', 'spanFrom', span, 'spans that ascend by lower, then upper end', 'a fall');
      }
      previous = keyed;
    }
  }
}

/** The product's ordinals scheme by scheme, ascending, once they are seen to be those of its groups. */
function verifyProductSchemes(columns: IndexColumns, product: number): number[][] {
  const { productAdvisory, productAdvisoryStart, productGroupStart, advisoryFlags, groupScheme } = columns;
  const members = new Map<number, number[]>();
  for (let i = productAdvisoryStart[product]; i < productAdvisoryStart[product + 1]; i++) {
    const ordinal = productAdvisory[i];
    const scheme = schemeCode(advisoryFlags[ordinal]);
    const known = members.get(scheme);
    if (known === undefined) members.set(scheme, [ordinal]);
    else known.push(ordinal);
  }
  const expected = [...members.keys()].sort((a, b) => a - b);
  const got = groupScheme.subarray(productGroupStart[product], productGroupStart[product + 1]);
  if (expected.join() !== got.join()) {
    const schemes = `schemes ${expected.join(', ') || 'none'} of product ${product}`;
    fail('bad-index', 'groupScheme', productGroupStart[product], schemes, got.join(', ') || 'none');
  }
  return expected.map((scheme) => members.get(scheme) ?? []);
}

function verifyGroup(columns: IndexColumns, group: number, ordinals: readonly number[]): void {
  const { groupBoundStart, groupIntervalStart, boundVersion, advisorySpanStart } = columns;
  const { intervalLo, intervalHi, intervalSpan } = columns;
  const firstBound = groupBoundStart[group];
  const bounds = [...boundVersion.subarray(firstBound, groupBoundStart[group + 1])].map((version) =>
    keyOf(columns, version),
  );
  const missing = new Set<number>();
  const boundKeys = new Set<string>();
  for (const ordinal of ordinals) {
    for (let span = advisorySpanStart[ordinal]; span < advisorySpanStart[ordinal + 1]; span++) {
      missing.add(span);
      const { from, to } = spanAt(columns, span);
      for (const key of [from, to]) if (key !== null) boundKeys.add(textOf(key));
    }
  }
  bounds.forEach((key, i) => {
    if (boundKeys.delete(textOf(key))) return;
    fail('bad-index', 'boundVersion', firstBound + i, 'a bound of some span of the group', 'another version');
  });
  if (boundKeys.size > 0) {
    fail('bad-index', 'boundVersion', firstBound, `${bounds.length + boundKeys.size} bounds`, bounds.length);
  }
  for (let i = groupIntervalStart[group]; i < groupIntervalStart[group + 1]; i++) {
    const span = intervalSpan[i];
    const keyed = spanAt(columns, span);
    // A span is one stretch, so what it holds is told by its first and last position; it holds one, for bounds
    // stand among the positions.
    const [low, high] = heldPositions(keyed, bounds);
    const expected = `${low}..${high}, as span ${span} has it`;
    const got = `${intervalLo[i]}..${intervalHi[i]}`;
    if (intervalLo[i] !== low) fail('bad-index', 'intervalLo', i, expected, got);
    if (intervalHi[i] !== high) fail('bad-index', 'intervalHi', i, expected, got);
    missing.delete(span);
  }
  // verifyIndex has seen that no interval comes twice and that each is of an advisory of this group.
  const [lost] = missing;
  if (lost !== undefined) {
    fail('bad-index', 'intervalSpan', groupIntervalStart[group], `an interval for span ${lost}`, 'none');
  }
}

/**
 * The first and last position that a span holds, in the numbering of interval.ts. From below, positions begin to be in
 * reach of its lower end at one place, and cease to be in reach of its upper end at another.
 */
function heldPositions(span: KeyedSpan, bounds: readonly Key[]): readonly [low: number, high: number] {
  const count = 2 * bounds.length + 1;
  const low = partitionPoint(0, count, (position) => isAboveLower(span, position, bounds));
  const high = partitionPoint(0, count, (position) => !isBelowUpper(span, position, bounds)) - 1;
  return [low, high];
}

/** An even position is strictly between two neighbouring bounds, or beyond the first or last. */
function isAboveLower({ from }: KeyedSpan, position: number, bounds: readonly Key[]): boolean {
  const index = position >> 1;
  if (from === null) return true;
  if (position % 2 === 1) return compareKeys(from, bounds[index]) <= 0;
  return index > 0 && compareKeys(from, bounds[index - 1]) <= 0;
}

function isBelowUpper({ to, holdsTo }: KeyedSpan, position: number, bounds: readonly Key[]): boolean {
  const index = position >> 1;
  if (to === null) return true;
  if (position % 2 === 0) return index < bounds.length && compareKeys(bounds[index], to) <= 0;
  const order = compareKeys(bounds[index], to);
  return order < 0 || (order === 0 && holdsTo);
}

function isEmpty({ from, to, holdsTo }: KeyedSpan): boolean {
  if (from === null || to === null) return false;
  const order = compareKeys(from, to);
  return order > 0 || (order === 0 && !holdsTo);
}

/** By lower end, unbounded first; then by upper end, unbounded last, and of equal ones the open one first. */
function compareSpans(a: KeyedSpan, b: KeyedSpan): number {
  const low =
    a.from === null || b.from === null
      ? Number(b.from === null) - Number(a.from === null)
      : compareKeys(a.from, b.from);
  if (low !== 0) return low;
  if (a.to === null || b.to === null) return Number(a.to === null) - Number(b.to === null);
  return compareKeys(a.to, b.to) || Number(a.holdsTo) - Number(b.holdsTo);
}

function spanAt(columns: IndexColumns, span: number): KeyedSpan {
  const key = (version: number): Key | null => (version === NONE ? null : keyOf(columns, version));
  return {
    from: key(columns.spanFrom[span]),
    to: key(columns.spanTo[span]),
    holdsTo: holdsUpperBound(upperBoundOf(columns.spanToBound[span])),
  };
}

function keyOf({ versionKey, versionKeyStart }: IndexColumns, version: number): Key {
  return versionKey.subarray(versionKeyStart[version], versionKeyStart[version + 1]);
}

/** A string that is equal for equal keys only. */
function textOf(key: Key): string {
  return Buffer.from(key).toString('latin1');
}

function fail(
  code: SnapshotErrorCode,
  column: ColumnName,
  element: number,
  expected: string,
  got: string | number,
): never {
  throw new SnapshotError({ code, section: `index.${column}`, offset: element, expected, got: String(got) });
}
