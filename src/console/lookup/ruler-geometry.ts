// Where things are on the version ruler. An axis orders versions and knows no distances: each version has a
// slot, with a gap before, between and after them. A bound that is included ends behind its slot, one that is
// not ends before it, and a version that nobody named lies in a gap; so the needle stands on a bar exactly if
// the bar's range contains the asked version.
//
//     | gap | v0 | gap | v1 | … | vn | gap |

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
