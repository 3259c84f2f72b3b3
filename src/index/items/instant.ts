// Epoch seconds to the two text forms that answers use. Pure arithmetic on the proleptic Gregorian calendar,
// so the core needs no Date. Requires whole seconds from MIN_INSTANT to MAX_INSTANT.

import type { ByteWriter } from '../memory/byte-writer.ts';

/** The years 0000 to 9999, all that RFC 3339 can write, as epoch seconds. */
export const MIN_INSTANT = -62_167_219_200;
export const MAX_INSTANT = 253_402_300_799;
const SECONDS_PER_DAY = 86_400;

const DASH = 0x2d;
const COLON = 0x3a;
const T = Uint8Array.of(0x54);

/** Appends `2026-04-21T08:38:34`, to which every answer adds `+00:00`. */
export function writeInstant(out: ByteWriter, epochSeconds: number): void {
  const day = Math.floor(epochSeconds / SECONDS_PER_DAY);
  const date = dateOf(day);
  const second = epochSeconds - day * SECONDS_PER_DAY;
  const year = Math.floor(date / 10_000);
  out.digits(Math.floor(year / 100), 2);
  out.pairs(year % 100, Math.floor(date / 100) % 100, date % 100, DASH);
  out.piece(T);
  out.pairs(Math.floor(second / 3600), Math.floor(second / 60) % 60, second % 60, COLON);
}

/** `2026-04-21T08:38:34+00:00`. */
export function formatInstant(epochSeconds: number): string {
  return `${formatDay(epochSeconds)}T${formatTime(epochSeconds)}+00:00`;
}

/** `2026-04-21 08:38:34`, the legacy form, in UTC. */
export function formatLegacyInstant(epochSeconds: number): string {
  return `${formatDay(epochSeconds)} ${formatTime(epochSeconds)}`;
}

function formatDay(epochSeconds: number): string {
  const date = civilDate(Math.floor(epochSeconds / SECONDS_PER_DAY));
  return `${padded(Math.floor(date / 10_000), 4)}-${padded(Math.floor(date / 100) % 100)}-${padded(date % 100)}`;
}

function formatTime(epochSeconds: number): string {
  const second = epochSeconds - Math.floor(epochSeconds / SECONDS_PER_DAY) * SECONDS_PER_DAY;
  return `${padded(Math.floor(second / 3600))}:${padded(Math.floor(second / 60) % 60)}:${padded(second % 60)}`;
}

function padded(value: number, width = 2): string {
  return String(value).padStart(width, '0');
}

/** Dates by day, filled on first use: 1970 to 2059 covers nearly every advisory. 0 is not filled yet. */
const knownDates = new Int32Array(2 ** 15);

function dateOf(day: number): number {
  if (day < 0 || day >= knownDates.length) return civilDate(day);
  if (knownDates[day] === 0) knownDates[day] = civilDate(day);
  return knownDates[day];
}

/**
 * Days since 1970-01-01 to a date as year * 10000 + month * 100 + day. Years start in March, so that a leap
 * day is the last day of its year.
 */
function civilDate(day: number): number {
  const shifted = day + 719_468; // days from 0000-03-01 to 1970-01-01
  const era = Math.floor(shifted / 146_097); // 400 years
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1_460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const dayOfMonth = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return year * 10_000 + month * 100 + dayOfMonth;
}
