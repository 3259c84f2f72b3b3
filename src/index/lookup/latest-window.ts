// The advisories inserted within the last 24 hours, by descending id. The window is found by two binary
// searches in created_at order; its ids are sorted once per state of the window, not once per request.

import { type IndexColumns, numberOf } from '../columns.ts';
import { PLATFORMS, type Platform } from '../product-type.ts';
import { publishedRun, type Stretch } from './id-list.ts';
import { partitionPoint } from './search.ts';

const WINDOW_SECONDS = 24 * 60 * 60;

export interface LatestWindow {
  /** Range of createdOrder: the window's state, equal on every replica with the same snapshot and time. */
  readonly state: Stretch;
  /** Ordinals ascending, which is descending id. */
  readonly ordinals: Uint32Array;
}

export class LatestWindows {
  readonly #cached = new Map<Platform, LatestWindow>();

  /**
   * Includes both ends of the 24 hours, but nothing created after the anchor. Requires: the same columns
   * since `clear`.
   */
  at(columns: IndexColumns, platform: Platform, anchorMs: number): LatestWindow {
    const state = stateAt(columns, platform, anchorMs);
    const cached = this.#cached.get(platform);
    if (cached !== undefined && cached.state.start === state.start && cached.state.end === state.end) {
      return cached;
    }
    const window = { state, ordinals: columns.createdOrder.slice(state.start, state.end).sort() };
    this.#cached.set(platform, window);
    return window;
  }

  clear(): void {
    this.#cached.clear();
  }
}

/** The newest created_at of published advisories, in ms since the epoch; -Infinity when there are none. */
export function newestCreatedMs(columns: IndexColumns): number {
  const { createdOrder, advisoryCreatedAt } = columns;
  const newest = PLATFORMS.map((platform) => {
    const { start, end } = publishedRun(columns, platform);
    return end > start
      ? numberOf(columns, advisoryCreatedAt[createdOrder[end - 1]]) * 1000
      : Number.NEGATIVE_INFINITY;
  });
  return Math.max(...newest);
}

function stateAt(columns: IndexColumns, platform: Platform, anchorMs: number): Stretch {
  const { createdOrder, advisoryCreatedAt } = columns;
  const run = publishedRun(columns, platform);
  const oldest = anchorMs / 1000 - WINDOW_SECONDS;
  const createdAt = (i: number): number => numberOf(columns, advisoryCreatedAt[createdOrder[i]]);
  const start = partitionPoint(run.start, run.end, (i) => createdAt(i) >= oldest);
  const end = partitionPoint(start, run.end, (i) => createdAt(i) * 1000 > anchorMs);
  return { start, end };
}
