// Where things are on the version ruler. An axis orders versions and knows no distances: each version has a
// slot, with a gap before, between and after them. A bound that is included ends behind its slot, one that is
// not ends before it, and a version that nobody named lies in a gap; so the needle stands on a bar exactly if
// the bar's range contains the asked version.
//
//     | gap | v0 | gap | v1 | … | vn | gap |

import { SEVERITIES, type Severity } from '../parts/severity-scale.ts';
import type { Axis, Range } from './answers.ts';

/** Widths in pixels. */
export interface Scale {
  readonly count: number;
  readonly width: number;
  readonly slot: number;
  readonly gap: number;
}

/** A stretch along the ruler, in pixels from its left end. */
export interface Bar {
  readonly left: number;
  readonly width: number;
  readonly isOpenBelow: boolean;
  readonly isOpenAbove: boolean;
  /** Whether the version at its upper end is within. */
  readonly holdsEnd: boolean;
  readonly decides: boolean;
}

/** One version and the gap before it; below that, bars cannot be told apart. */
const MIN_PITCH = 9;
const MAX_SLOT = 10;

/** The scale of `count` versions in `room` pixels; wider than the room where they are too many. */
export function scaleFor(count: number, room: number): Scale {
  const width = Math.max(room, (count + 1) * MIN_PITCH);
  const slot = Math.min(MAX_SLOT, width / (2 * count + 1));
  return { count, width, slot, gap: (width - count * slot) / (count + 1) };
}

function slotStart({ gap, slot }: Scale, at: number): number {
  return gap + at * (gap + slot);
}

/** The middle of a version's slot. */
export function slotMiddle(scale: Scale, at: number): number {
  return slotStart(scale, at) + scale.slot / 2;
}

/** The middle of where the asked version is; undefined if the axis does not order it. */
export function needleAt(scale: Scale, { below, exact }: Axis): number | undefined {
  if (below === null) return undefined;
  return exact ? slotMiddle(scale, below) : slotStart(scale, below) - scale.gap / 2;
}

export function barOf(scale: Scale, { from_at, to_at, to_bound, decides }: Range): Bar {
  const holdsEnd = to_bound !== 'exclusive';
  const left = from_at === null ? 0 : slotStart(scale, from_at);
  const right = to_at === null ? scale.width : slotStart(scale, to_at) + (holdsEnd ? scale.slot : 0);
  return {
    left,
    width: Math.max(0, right - left), // a range may be empty
    isOpenBelow: from_at === null,
    isOpenAbove: to_at === null,
    holdsEnd,
    decides,
  };
}

export interface Label {
  readonly text: string;
  /** What it points at. */
  readonly x: number;
}

export interface PlacedLabel extends Label {
  /** Its left edge. */
  readonly left: number;
  /** Rows from the top. */
  readonly row: number;
}

/**
 * Labels centred at their points, within the width, each in the first row where it overlaps none before it.
 */
export function placeLabels(labels: readonly Label[], width: number, charWidth: number): PlacedLabel[] {
  const placed: (PlacedLabel & { readonly right: number })[] = [];
  for (const { text, x } of labels) {
    const size = (text.length + 1) * charWidth;
    const left = Math.max(0, Math.min(x - size / 2, width - size));
    let row = 0;
    while (placed.some((other) => other.row === row && left < other.right && other.left < left + size)) row++;
    placed.push({ text, x, left, row, right: left + size });
  }
  return placed;
}

/** Longer ones are cut, or one odd version would thin out all labels. */
const MOST_LABEL_CHARS = 12;

/** The versions that get a label: every one, every second, … as many as fit side by side. */
export function ticksOf(scale: Scale, versions: readonly string[], charWidth: number): number[] {
  const longest = Math.max(0, ...versions.map((version) => tickText(version).length));
  const step = Math.max(1, Math.ceil(((longest + 2) * charWidth) / (scale.gap + scale.slot)));
  return versions.map((_, at) => at).filter((at) => at % step === 0);
}

export function tickText(version: string): string {
  return version.length > MOST_LABEL_CHARS ? `${version.slice(0, MOST_LABEL_CHARS - 1)}…` : version;
}

export interface Layer {
  readonly severity: Severity;
  /** An SVG path. */
  readonly path: string;
}

export interface Skyline {
  readonly layers: readonly Layer[];
  /** The most advisories at one version. */
  readonly most: number;
}

/**
 * How many advisories there are along the axis, the worst at the bottom: one layer for each severity, as tall
 * as `height` where there are the most. Ranges of one advisory that overlap count once.
 */
export function skylineOf(
  scale: Scale,
  advisories: readonly { readonly severity: Severity; readonly ranges: readonly Range[] }[],
  height: number,
): Skyline {
  const columns = 2 * scale.count + 1; // gaps are even, slots odd
  const heights = SEVERITIES.map(() => new Int32Array(columns));
  for (const { severity, ranges } of advisories) {
    const counts = heights[SEVERITIES.indexOf(severity)];
    let free = 0;
    for (const [first, last] of ranges.map(columnsOf(columns)).sort((a, b) => a[0] - b[0])) {
      for (let at = Math.max(first, free); at <= last; at++) counts[at]++;
      free = Math.max(free, last + 1);
    }
  }
  const floor = new Int32Array(columns);
  const tops = heights.map((counts) => {
    for (let at = 0; at < columns; at++) floor[at] += counts[at];
    return Int32Array.from(floor);
  });
  const most = Math.max(...floor);
  const unit = most === 0 ? 0 : height / most;
  const layers = SEVERITIES.map((severity, index) => ({
    severity,
    path: pathOf(scale, tops[index - 1], tops[index], (value) => height - value * unit),
  }));
  return { layers: layers.filter(({ path }) => path !== ''), most };
}

function columnsOf(columns: number): (range: Range) => [first: number, last: number] {
  return ({ from_at, to_at, to_bound }) => [
    from_at === null ? 0 : 2 * from_at + 1,
    to_at === null ? columns - 1 : 2 * to_at + (to_bound === 'exclusive' ? 0 : 1),
  ];
}

/** The area between two lines of steps; '' if there is none. */
function pathOf(
  scale: Scale,
  low: Int32Array | undefined,
  high: Int32Array,
  yOf: (value: number) => number,
): string {
  const parts: string[] = [];
  let from = 0;
  for (let at = 1; at <= high.length; at++) {
    if (at < high.length && high[at] === high[from] && low?.[at] === low?.[from]) continue;
    const [top, bottom] = [high[from], low?.[from] ?? 0];
    if (top > bottom) {
      const [left, right] = [columnStart(scale, from), columnStart(scale, at)].map(short);
      parts.push(`M${left} ${short(yOf(bottom))}V${short(yOf(top))}H${right}V${short(yOf(bottom))}Z`);
    }
    from = at;
  }
  return parts.join('');
}

function columnStart({ gap, slot }: Scale, column: number): number {
  return Math.ceil(column / 2) * gap + Math.floor(column / 2) * slot;
}

function short(value: number): number {
  return Math.round(value * 10) / 10;
}
