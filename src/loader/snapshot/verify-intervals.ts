// The slow twin of the compiler's intervals: compares spans with bounds pair by pair; a group's intervals
// must hold exactly the resulting positions. Also checks the order of an advisory's spans.

import { versionText } from '../../index/column-texts.ts';
import { type ColumnName, type IndexColumns, NONE } from '../../index/columns.ts';
import { holdsUpperBound, isUnboundedBelow, upperBoundOf } from '../../index/lookup/interval.ts';
import { partitionPoint } from '../../index/lookup/search.ts';
import { affectsEveryVersion, endOfSpans, firstSpan } from '../../index/span-list.ts';
import { isLiteralKey } from '../../index/versions/literal-version.ts';
import { compareKeys, keyUnder, SCHEME_TABLE, type SchemeFacts } from '../../index/versions/version-key.ts';
import { SnapshotError, type SnapshotErrorCode } from '../errors.ts';

type Key = Uint8Array;

interface KeyedSpan {
  /** Null means unbounded. */
  readonly from: Key | null;
  readonly to: Key | null;
  readonly holdsTo: boolean;
}

/** Throws SnapshotError. Calls `onProduct` after each product. Requires: verifyIndex has passed. */
export function verifyIntervals(columns: IndexColumns, onProduct: () => void = () => {}): void {
  verifySpans(columns);
  const { productType, productGroupStart, groupScheme } = columns;
  for (let product = 0; product < productType.length; product++) {
    const firstGroup = productGroupStart[product];
    const schemes = firstGroup < productGroupStart[product + 1] ? verifyProductSchemes(columns, product) : [];
    const coverages = schemes.map(
      (ordinals, i) => new Coverage(columns, SCHEME_TABLE[groupScheme[firstGroup + i]], ordinals),
    );
    schemes.forEach((ordinals, i) => {
      verifyGroup(columns, firstGroup + i, ordinals);
      verifyClearVersions(columns, firstGroup + i, ordinals, coverages);
    });
    onProduct();
  }
}

/** No span is empty, and spans ascend. Each list once, by the first advisory that has it. */
function verifySpans(columns: IndexColumns): void {
  const { advisorySpans, advisoryScheme, spanListStart } = columns;
  let next = 0;
  for (let advisory = 0; advisory < advisorySpans.length; advisory++) {
    if (advisorySpans[advisory] !== next) continue;
    const scheme = SCHEME_TABLE[advisoryScheme[advisory]];
    let previous: KeyedSpan | undefined;
    for (let span = spanListStart[next]; span < spanListStart[next + 1]; span++) {
      const keyed = spanAt(columns, span, scheme);
      if (scheme.isStrict && [keyed.from, keyed.to].some(isLiteral) && !isExact(columns, span)) {
        fail('bad-index', 'spanFrom', span, 'one text that is no version at both ends', 'a range');
      }
      if (isEmpty(keyed)) fail('bad-index', 'spanTo', span, 'a span that holds a version', 'an empty one');
      if (previous !== undefined && compareSpans(previous, keyed) > 0) {
        fail('unsorted', 'spanFrom', span, 'spans that ascend by lower, then upper end', 'a fall');
      }
      previous = keyed;
    }
    verifyFixes(columns, advisory);
    next++;
  }
}

function isLiteral(key: Key | null): boolean {
  return key !== null && isLiteralKey(key, 0, key.length);
}

function isExact({ spanFrom, spanTo }: IndexColumns, span: number): boolean {
  return spanFrom[span] === spanTo[span];
}

/** No fix is a version that its own advisory affects. */
function verifyFixes(columns: IndexColumns, advisory: number): void {
  const { advisoryScheme, spanFixedIn } = columns;
  let coverage: Coverage | undefined;
  eachSpan(columns, [advisory], (span) => {
    if (spanFixedIn[span] === NONE) return;
    const fix = keyOf(columns, spanFixedIn[span]);
    if (fix.length === 0) return;
    coverage ??= new Coverage(columns, SCHEME_TABLE[advisoryScheme[advisory]], [advisory]);
    if (!coverage.holds(fix)) return;
    const expected = `a fix outside every span of advisory ${advisory}`;
    fail('bad-index', 'spanFixedIn', span, expected, 'one that is affected itself');
  });
}

/** The product's ordinals by scheme, ascending. Throws SnapshotError if its groups have other schemes. */
function verifyProductSchemes(columns: IndexColumns, product: number): number[][] {
  const { productAdvisory, productAdvisoryStart, productGroupStart, advisoryScheme, groupScheme } = columns;
  const members = new Map<number, number[]>();
  for (let i = productAdvisoryStart[product]; i < productAdvisoryStart[product + 1]; i++) {
    const ordinal = productAdvisory[i];
    const scheme = advisoryScheme[ordinal];
    const known = members.get(scheme);
    if (known === undefined) members.set(scheme, [ordinal]);
    else known.push(ordinal);
  }
  if ([...members.values()].flat().every((ordinal) => affectsEveryVersion(columns, ordinal))) {
    fail('bad-index', 'productGroupStart', product, 'no group, since every version is affected', 'a group');
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
  const { groupBoundStart, groupIntervalStart, boundVersion } = columns;
  const { intervalLo, intervalHi, intervalSpan, groupScheme } = columns;
  const scheme = SCHEME_TABLE[groupScheme[group]];
  const firstBound = groupBoundStart[group];
  const bounds = [...boundVersion.subarray(firstBound, groupBoundStart[group + 1])].map((version) =>
    keyOf(columns, version),
  );
  const boundKeys = new Set<string>();
  eachSpan(columns, ordinals, (span) => {
    for (const version of [columns.spanFrom[span], columns.spanTo[span]]) {
      if (version !== NONE) boundKeys.add(textOf(keyOf(columns, version)));
    }
  });
  bounds.forEach((key, i) => {
    if (boundKeys.delete(textOf(key))) return;
    fail('bad-index', 'boundVersion', firstBound + i, 'a bound of some span of the group', 'another version');
  });
  if (boundKeys.size > 0) {
    fail('bad-index', 'boundVersion', firstBound, `${bounds.length + boundKeys.size} bounds`, bounds.length);
  }
  for (let i = groupIntervalStart[group]; i < groupIntervalStart[group + 1]; i++) {
    const span = intervalSpan[i];
    const keyed = spanAt(columns, span, scheme);
    // A span is contiguous, so its first and last position describe it. It is never empty: bounds are
    // positions too.
    const [low, high] = heldPositions(keyed, bounds);
    const expected = `${low}..${high}, as span ${span} has it`;
    const got = `${intervalLo[i]}..${intervalHi[i]}`;
    if (intervalLo[i] !== low) fail('bad-index', 'intervalLo', i, expected, got);
    if (intervalHi[i] !== high) fail('bad-index', 'intervalHi', i, expected, got);
  }
  // verifyIndex has checked that each span of each advisory of the group has one interval.
}

/**
 * Clear versions: those named by the group's advisories to which none of the product's advisories applies.
 */
function verifyClearVersions(
  columns: IndexColumns,
  group: number,
  ordinals: readonly number[],
  coverages: readonly Coverage[],
): void {
  const { groupClearStart, clearVersion, groupScheme, spanFrom, spanTo, spanFixedIn } = columns;
  const own = SCHEME_TABLE[groupScheme[group]];
  const expected = new Set<string>();
  const seen = new Set<string>();
  eachSpan(columns, ordinals, (span) => {
    for (const version of [spanFrom[span], spanTo[span], spanFixedIn[span]]) {
      if (version === NONE) continue;
      const key = keyOf(columns, version);
      const name = textOf(key);
      if (key.length === 0 || seen.has(name)) continue;
      seen.add(name);
      const isAffected = coverages.some((coverage) => {
        const other = coverage.scheme === own ? key : coverage.keyOf(versionText(columns, version));
        return other !== undefined && coverage.holds(other);
      });
      if (!isAffected) expected.add(name);
    }
  });
  const first = groupClearStart[group];
  const last = groupClearStart[group + 1];
  for (let i = first; i < last; i++) {
    if (expected.delete(textOf(keyOf(columns, clearVersion[i])))) continue;
    fail('bad-index', 'clearVersion', i, 'a version that nothing affects', 'another');
  }
  if (expected.size > 0) {
    fail('bad-index', 'clearVersion', first, `${last - first + expected.size} versions`, last - first);
  }
}

function eachSpan(columns: IndexColumns, ordinals: readonly number[], visit: (span: number) => void): void {
  for (const ordinal of ordinals) {
    const end = endOfSpans(columns, ordinal);
    for (let span = firstSpan(columns, ordinal); span < end; span++) visit(span);
  }
}

/**
 * The versions covered by a set of spans: the spans by lower end, with the highest upper end so far at each.
 */
class Coverage {
  readonly scheme: SchemeFacts;
  readonly #spans: readonly KeyedSpan[];
  readonly #farthest: KeyedSpan[] = [];

  constructor(columns: IndexColumns, scheme: SchemeFacts, ordinals: readonly number[]) {
    this.scheme = scheme;
    const spans: KeyedSpan[] = [];
    eachSpan(columns, ordinals, (span) => spans.push(spanAt(columns, span, scheme)));
    this.#spans = spans.sort(compareSpans);
    for (const span of this.#spans) {
      const last = this.#farthest.at(-1);
      this.#farthest.push(last === undefined || compareUpper(span, last) > 0 ? span : last);
    }
  }

  /** The key of a text in this scheme; undefined if it is not a version of the scheme. */
  keyOf(text: string): Key | undefined {
    return keyUnder(this.scheme, text);
  }

  holds(key: Key): boolean {
    const begun = partitionPoint(0, this.#spans.length, (i) => {
      const { from } = this.#spans[i];
      return from !== null && compareKeys(from, key) > 0;
    });
    return begun > 0 && reachesUpTo(this.#farthest[begun - 1], key);
  }
}

/** Whether a version is not above the upper end. */
function reachesUpTo({ to, holdsTo }: KeyedSpan, key: Key): boolean {
  const order = to === null ? -1 : compareKeys(key, to);
  return order < 0 || (order === 0 && holdsTo);
}

/**
 * The first and last position inside a span, in the numbering of interval.ts. Ascending positions are first
 * below its lower end, then inside, then above its upper end, so each edge is a binary search.
 */
function heldPositions(span: KeyedSpan, bounds: readonly Key[]): readonly [low: number, high: number] {
  const count = 2 * bounds.length + 1;
  const low = partitionPoint(0, count, (position) => isAboveLower(span, position, bounds));
  const high = partitionPoint(0, count, (position) => !isBelowUpper(span, position, bounds)) - 1;
  return [low, high];
}

/** An even position lies strictly between two neighbouring bounds, or before the first or after the last. */
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

/**
 * By lower end, unbounded first; then by upper end, unbounded last; an open end before an equal closed one.
 */
function compareSpans(a: KeyedSpan, b: KeyedSpan): number {
  const low =
    a.from === null || b.from === null
      ? Number(b.from === null) - Number(a.from === null)
      : compareKeys(a.from, b.from);
  return low !== 0 ? low : compareUpper(a, b);
}

function compareUpper(a: KeyedSpan, b: KeyedSpan): number {
  if (a.to === null || b.to === null) return Number(a.to === null) - Number(b.to === null);
  return compareKeys(a.to, b.to) || Number(a.holdsTo) - Number(b.holdsTo);
}

function spanAt(columns: IndexColumns, span: number, scheme: SchemeFacts): KeyedSpan {
  const key = (version: number): Key | null => (version === NONE ? null : keyOf(columns, version));
  const row = columns.spanFrom[span];
  const isOpen = row !== NONE && isUnboundedBelow(scheme, versionText(columns, row));
  return {
    from: isOpen ? null : key(row),
    to: key(columns.spanTo[span]),
    holdsTo: holdsUpperBound(upperBoundOf(columns.spanToBound[span])),
  };
}

function keyOf({ versionKey, versionKeyStart }: IndexColumns, version: number): Key {
  return versionKey.subarray(versionKeyStart[version], versionKeyStart[version + 1]);
}

/** A string that is equal only for equal keys. */
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
