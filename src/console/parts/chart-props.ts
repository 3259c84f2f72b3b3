// What a chart is given, and how a place on its axis is named.

import type { Column } from './columns.ts';
import { clock } from './figures.ts';

export interface ChartSeries {
  readonly title: string;
  /** The name of a custom property, such as `--critical`. */
  readonly colour: string;
  readonly values: Column;
}

export type ChartAxis =
  /** Epoch seconds, ascending. */
  | { readonly kind: 'time'; readonly at: readonly number[]; readonly from: number; readonly to: number }
  /** A name for each place; `ticks` has the places that are labelled if there is room for so many. */
  | {
      readonly kind: 'names';
      readonly names: readonly string[];
      readonly ticks: (most: number) => readonly number[];
    };

export interface ChartProps {
  readonly title: string;
  /** What the picture shows, in a sentence. */
  readonly gist: string;
  readonly axis: ChartAxis;
  readonly series: readonly ChartSeries[];
  /** Bars and areas are on top of each other: the first series is the lowest. */
  readonly form: 'lines' | 'areas' | 'bars';
  readonly format: (value: number) => string;
  /** For bytes: the marks of the axis are powers of two. */
  readonly isBinary?: boolean;
  readonly heightPx?: number;
}

/** '' for a place that is not on the axis. */
export function nameAt(axis: ChartAxis, place: number): string {
  if (axis.kind === 'names') return axis.names[place] ?? '';
  const at = axis.at[place];
  return at === undefined ? '' : clock(at, true);
}
