// The versions of an advisory in the words of node-semver: which are affected, and which are patched. The
// verdict is not made here: every client compares again by these texts, so they must hold each version that
// the lookup says is affected.
//
// Spans that overlap or touch are joined and written in ascending order, because clients take the patched
// version from the last upper bound. Versions are written in node-semver's strict form, since not all clients
// parse loosely.

import { versionText } from '../../index/column-texts.ts';
import { NONE } from '../../index/columns.ts';
import type { Generation } from '../../index/generation.ts';
import { holdsUpperBound, isUnboundedBelow, upperBoundOf } from '../../index/lookup/interval.ts';
import { compareBytes } from '../../index/memory/bytes.ts';
import { endOfSpans, firstSpan } from '../../index/span-list.ts';
import { completeSemver } from '../../index/versions/complete.ts';
import { schemeFacts } from '../../index/versions/version-key.ts';

/** Rows of versions; NONE is unbounded. */
interface Branch {
  readonly low: number;
  readonly high: number;
  readonly holdsHigh: boolean;
}

const EVERY_VERSION = '*';
/** As clients expect it: pnpm compares the text. */
export const NO_VERSION = '<0.0.0';

/** One range that node-semver's strict parser accepts. Requires: an advisory that applies to some version. */
export function affectedRange(generation: Generation, ordinal: number): string {
  const texts = branchesOf(generation, ordinal).map(({ low, high, holdsHigh }) => {
    const from = low === NONE ? '' : `>=${textOf(generation, low)}`;
    const to = high === NONE ? '' : `${holdsHigh ? '<=' : '<'}${textOf(generation, high)}`;
    if (from === '') return to === '' ? EVERY_VERSION : to;
    return to === '' ? from : `${from} ${to}`;
  });
  return texts.join(' || ');
}

/** The versions above all affected ones, as a range. */
export function patchedRange(generation: Generation, ordinal: number): string {
  const last = branchesOf(generation, ordinal).at(-1);
  if (last === undefined || last.high === NONE) return NO_VERSION;
  return `${last.holdsHigh ? '>' : '>='}${textOf(generation, last.high)}`;
}

/** A version as node-semver's strict parser accepts it. Its build would say nothing in a range. */
function textOf(generation: Generation, row: number): string {
  return completeSemver(generation.versionText(row)).replace(/\+.*$/, '');
}

/** The spans as branches of a range: ascending, none overlapping another. */
function branchesOf(generation: Generation, ordinal: number): readonly Branch[] {
  const { columns } = generation.parts;
  const { spanFrom, spanTo, spanToBound } = columns;
  const spans: Branch[] = [];
  for (let span = firstSpan(columns, ordinal); span < endOfSpans(columns, ordinal); span++) {
    spans.push({
      low: lowOf(generation, spanFrom[span]),
      high: spanTo[span],
      holdsHigh: holdsUpperBound(upperBoundOf(spanToBound[span])),
    });
  }
  if (spans.length < 2) return spans;
  return joined(
    generation,
    spans.sort((a, b) => compareLows(generation, a.low, b.low)),
  );
}

/** Requires: ascending lower bounds. */
function joined(generation: Generation, spans: readonly Branch[]): readonly Branch[] {
  const branches: Branch[] = [];
  for (const span of spans) {
    const before = branches.at(-1);
    if (before === undefined || isAbove(generation, span, before)) branches.push(span);
    else if (reachesBeyond(generation, span, before)) {
      branches[branches.length - 1] = { low: before.low, high: span.high, holdsHigh: span.holdsHigh };
    }
  }
  return branches;
}

/**
 * Whether versions lie between the two. Requires: the lower bound of `span` is not below that of `before`.
 */
function isAbove(generation: Generation, { low }: Branch, before: Branch): boolean {
  return low !== NONE && before.high !== NONE && compareRows(generation, low, before.high) > 0;
}

function reachesBeyond(generation: Generation, { high, holdsHigh }: Branch, before: Branch): boolean {
  if (before.high === NONE) return false;
  if (high === NONE) return true;
  const order = compareRows(generation, high, before.high);
  return order > 0 || (order === 0 && holdsHigh);
}

/** The row of a lower bound, or NONE if it means "unbounded". */
function lowOf({ parts }: Generation, row: number): number {
  if (row === NONE) return NONE;
  return isUnboundedBelow(schemeFacts('semver'), versionText(parts.columns, row)) ? NONE : row;
}

function compareLows(generation: Generation, a: number, b: number): number {
  if (a === NONE || b === NONE) return a === b ? 0 : a === NONE ? -1 : 1;
  return compareRows(generation, a, b);
}

function compareRows({ parts }: Generation, a: number, b: number): number {
  const { versionKey: keys, versionKeyStart: starts } = parts.columns;
  return compareBytes(keys, starts[a], starts[a + 1], keys, starts[b], starts[b + 1]);
}
