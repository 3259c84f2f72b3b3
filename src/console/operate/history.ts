// What the page knows of the last hour: answers of GET /operations/history, each with what is new, put
// together.

import {
  type HistoryDocument,
  MEASURES,
  type Measure,
  type Series,
} from '../../dialects/operations/document.ts';
import type { Column } from '../parts/columns.ts';

export const SECONDS_SPAN = 300;
export const MINUTES_SPAN = 3_600;

/** Both with the points of an answer. `before` is undefined at first. */
export function withAnswer(before: HistoryDocument | undefined, answer: HistoryDocument): HistoryDocument {
  // A clock that was set back: the server began a new history, and so does the page.
  if (before === undefined || answer.now < before.now) return answer;
  return {
    now: answer.now,
    seconds: joined(before.seconds, answer.seconds, answer.now - SECONDS_SPAN),
    minutes: joined(before.minutes, answer.minutes, answer.now - MINUTES_SPAN),
  };
}

/**
 * The `since` of the next request; undefined asks for all. A minute's point has the time at which the minute
 * began and comes when it is over, so asking from the last second on would miss it.
 */
export function nextSince(history: HistoryDocument | undefined): number | undefined {
  const [second, minute] = [history?.seconds.at.at(-1), history?.minutes.at.at(-1)];
  return second === undefined || minute === undefined ? undefined : Math.min(second, minute);
}

/**
 * The points after `oldest`; where both have a time, the later answer counts. Requires: `after` has no gap.
 */
function joined(before: Series, after: Series, oldest: number): Series {
  const end = after.at.length === 0 ? before.at.length : placeOf(before.at, after.at[0]);
  const start = Math.min(end, placeOf(before.at, oldest + 1));
  const skip = placeOf(after.at, oldest + 1);
  const join = (first: Column | undefined, second: Column | undefined): Column => [
    ...(first?.slice(start, end) ?? unknown(end - start)),
    ...(second?.slice(skip) ?? unknown(after.at.length - skip)),
  ];
  const measures = Object.fromEntries(MEASURES.map((name) => [name, join(before[name], after[name])]));
  return {
    ...(measures as Record<Measure, Column>), // one entry for each measure
    at: [...before.at.slice(start, end), ...after.at.slice(skip)],
    cpu: Array.from({ length: Math.max(before.cpu.length, after.cpu.length) }, (_, worker) =>
      join(before.cpu[worker], after.cpu[worker]),
    ),
  };
}

function unknown(length: number): Column {
  return new Array<null>(length).fill(null);
}

/** The first place whose time is not before `at`. */
function placeOf(times: readonly number[], at: number): number {
  const place = times.findIndex((time) => time >= at);
  return place < 0 ? times.length : place;
}
