// RFC 3339 date-times to milliseconds, for the keys file and for feeds. `Date.parse` alone is not enough: it accepts
// dates without a time or an offset, and turns 30 February into 2 March.

const SHAPE = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;
// The Gregorian calendar repeats after 400 years. Date.UTC reads the years 0 to 99 as 1900 to 1999, so every year is
// moved by one cycle and the result moved back.
const CYCLE_YEARS = 400;
const CYCLE_MS = 146_097 * 86_400_000;

/** Milliseconds since 1970, or undefined if the text is not an RFC 3339 date-time. A leap second (`:60`) is the next second. */
export function parseInstant(text: string): number | undefined {
  const parts = SHAPE.exec(text);
  if (parts === null) return undefined;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const offsetHour = Number(parts[9] ?? 0);
  const offsetMinute = Number(parts[10] ?? 0);
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return undefined;
  const sign = parts[8] === '-' ? -1 : 1;
  const millisecond = Number((parts[7] ?? '').slice(0, 3).padEnd(3, '0'));
  const local = Date.UTC(year + CYCLE_YEARS, month - 1, day, hour, minute, second, millisecond) - CYCLE_MS;
  return local - sign * (offsetHour * 60 + offsetMinute) * 60_000;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
