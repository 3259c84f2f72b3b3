// Months in a row, for the chart of advisories: months without advisories are in it, and which of them are
// labelled.

import { SEVERITIES, SEVERITY_TITLES } from '../parts/severity-scale.ts';
import { count, counted } from '../parts/words.ts';
import type { MonthCounts } from './statistics.ts';

/** Years apart, labels of months are of January. */
const TICK_STEPS = [1, 2, 3, 6, 12, 24, 60, 120, 240] as const;
const NONE = Object.fromEntries(SEVERITIES.map((severity) => [severity, 0]));
const NAMES = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/**
 * Every month up to the last with advisories or `until`, whichever is later; only the last `most` of them, if
 * given. Requires: `counts` ascends.
 */
export function monthsUntil(
  counts: readonly MonthCounts[],
  until: string,
  most?: number,
): readonly MonthCounts[] {
  if (counts.length === 0) return [];
  const end = Math.max(numberOf(until), numberOf(counts[counts.length - 1].month));
  const first = numberOf(counts[0].month);
  const start = most === undefined ? first : Math.max(first, end - most + 1);
  const known = new Map(counts.map((each) => [each.month, each]));
  return Array.from({ length: end - start + 1 }, (_, i) => {
    const month = monthOf(start + i);
    return known.get(month) ?? ({ ...NONE, month } as MonthCounts); // NONE has every severity
  });
}

/** Which places are labelled, at most so many, at even distances. */
export function tickPlaces(months: readonly MonthCounts[], most: number): readonly number[] {
  const step = TICK_STEPS.find((each) => months.length / each <= most) ?? TICK_STEPS[TICK_STEPS.length - 1];
  return months.flatMap(({ month }, place) => (numberOf(month) % step === 0 ? [place] : []));
}

/** `Jan 2026`. */
export function monthTitle(month: string): string {
  const [year, number] = month.split('-');
  return `${NAMES[Number(number) - 1] ?? ''} ${year}`.trim();
}

export function totalOf(counts: MonthCounts): number {
  return SEVERITIES.reduce((sum, severity) => sum + counts[severity], 0);
}

/** The chart in a sentence. */
export function gistOf(months: readonly MonthCounts[]): string {
  if (months.length === 0) return 'There are no advisories.';
  const sum = months.reduce((total, each) => total + totalOf(each), 0);
  const peak = months.reduce((most, each) => (totalOf(each) > totalOf(most) ? each : most));
  const parts = SEVERITIES.flatMap((severity) => {
    const part = months.reduce((total, each) => total + each[severity], 0);
    return part === 0 ? [] : [`${count(part)} ${SEVERITY_TITLES[severity].toLowerCase()}`];
  });
  const span = `from ${monthTitle(months[0].month)} to ${monthTitle(months[months.length - 1].month)}`;
  const detail = parts.length === 0 ? '' : `: ${parts.join(', ')}`;
  return `${counted(sum, 'advisory', 'advisories')} ${span}${detail}. Most in one month: ${count(totalOf(peak))}, ${monthTitle(peak.month)}.`;
}

/** Months since the year 0. */
function numberOf(month: string): number {
  const [year, number] = month.split('-').map(Number);
  return year * 12 + number - 1;
}

function monthOf(number: number): string {
  const month = String((number % 12) + 1).padStart(2, '0');
  return `${String(Math.floor(number / 12)).padStart(4, '0')}-${month}`;
}
