// Epoch seconds to the two textual forms that answers use. Pure arithmetic on the proleptic Gregorian calendar,
// so that the core needs no Date. Requires years 0000 to 9999, which is all RFC 3339 can write.

const SECONDS_PER_DAY = 86_400;
const PAIRS = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, '0'));
const dayTexts = new Map<number, string>();
const MAX_CACHED_DAYS = 20_000; // 55 years of days; more than that is not worth keeping

/** `2026-04-21T08:38:34+00:00`. */
export function formatInstant(epochSeconds: number): string {
  const day = Math.floor(epochSeconds / SECONDS_PER_DAY);
  return `${formatDay(day)}T${formatTime(epochSeconds - day * SECONDS_PER_DAY)}+00:00`;
}

/** `2026-04-21 08:38:34`, the legacy form, in UTC. */
export function formatLegacyInstant(epochSeconds: number): string {
  const day = Math.floor(epochSeconds / SECONDS_PER_DAY);
  return `${formatDay(day)} ${formatTime(epochSeconds - day * SECONDS_PER_DAY)}`;
}

function formatTime(second: number): string {
  const minutes = Math.floor(second / 60);
  return `${PAIRS[Math.floor(minutes / 60)]}:${PAIRS[minutes % 60]}:${PAIRS[second % 60]}`;
}

function formatDay(day: number): string {
  const known = dayTexts.get(day);
  if (known !== undefined) return known;
  const text = civilDate(day);
  if (dayTexts.size < MAX_CACHED_DAYS) dayTexts.set(day, text);
  return text;
}

/** Days since 1970-01-01 to a date. A year is counted from March, so that a leap day comes last in it. */
function civilDate(day: number): string {
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
  return `${String(year).padStart(4, '0')}-${PAIRS[month]}-${PAIRS[dayOfMonth]}`;
}
