// RFC 3339 date-times to milliseconds, for the keys file and for feeds. `Date.parse` alone is not enough: it
// accepts dates without a time or an offset, and turns 30 February into 2 March.

const SHAPE = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;
const ZERO = 0x30;
const NINE_END = 0x3a; // one after the code of 9; Z and z come later
const SECONDS_END = 19; // 2026-04-21T08:38:34
const OFFSET_LENGTH = 6; // +02:00
// The Gregorian calendar repeats after 400 years. Date.UTC reads the years 0 to 99 as 1900 to 1999, so every
// year is moved by one cycle and the result moved back.
const CYCLE_YEARS = 400;
const CYCLE_MS = 146_097 * 86_400_000;

/**
 * Milliseconds since 1970, or undefined if the text is not an RFC 3339 date-time. A leap second (`:60`) is
 * the next second.
 */
export function parseInstant(text: string): number | undefined {
  if (!SHAPE.test(text)) return undefined;
  const year = 100 * pairAt(text, 0) + pairAt(text, 2);
  const month = pairAt(text, 5);
  const day = pairAt(text, 8);
  const hour = pairAt(text, 11);
  const minute = pairAt(text, 14);
  const second = pairAt(text, 17);
  const zone = text.charCodeAt(text.length - 1) < NINE_END ? text.length - OFFSET_LENGTH : text.length - 1;
  const isUtc = zone === text.length - 1;
  const offsetHour = isUtc ? 0 : pairAt(text, zone + 1);
  const offsetMinute = isUtc ? 0 : pairAt(text, zone + 4);
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return undefined;
  const fraction = text.slice(SECONDS_END + 1, zone);
  const millisecond = fraction === '' ? 0 : Number(fraction.slice(0, 3).padEnd(3, '0'));
  const local = Date.UTC(year + CYCLE_YEARS, month - 1, day, hour, minute, second, millisecond) - CYCLE_MS;
  const sign = text[zone] === '-' ? -1 : 1;
  return local - sign * (offsetHour * 60 + offsetMinute) * 60_000;
}

/** The two digits there as a number. Requires: digits. */
function pairAt(text: string, at: number): number {
  return 10 * (text.charCodeAt(at) - ZERO) + text.charCodeAt(at + 1) - ZERO;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
