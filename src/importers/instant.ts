// Times in feeds: RFC 3339 to epoch seconds.

const INSTANT = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|([+-])(\d\d):(\d\d))$/;
// The Gregorian calendar repeats every 400 years. Date.UTC reads the years 0 to 99 as 1900 to 1999, so every year is
// shifted by one cycle and the result shifted back.
const CYCLE_SECONDS = 146_097 * 86_400;
const FIRST_SECOND = -62_167_219_200; // 0000-01-01T00:00:00Z
const LAST_SECOND = 253_402_300_799; // 9999-12-31T23:59:59Z

/**
 * Epoch seconds of an RFC 3339 date-time, rounded down; undefined for anything else. Refuses leap seconds, which have no
 * epoch second, and times outside the years 0 to 9999 in UTC, the zone in which they are served.
 */
export function parseInstant(text: string): number | undefined {
  const parts = INSTANT.exec(text);
  if (parts === null) return undefined;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number);
  const offsetHour = Number(parts[8] ?? 0);
  const offsetMinute = Number(parts[9] ?? 0);
  if (hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59) return undefined;
  const date = new Date(Date.UTC(year + 400, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined; // 30 February rolls over
  const local = date.getTime() / 1000 - CYCLE_SECONDS + hour * 3600 + minute * 60 + second;
  const offset = (offsetHour * 60 + offsetMinute) * 60;
  const instant = parts[7] === '-' ? local + offset : local - offset;
  return instant >= FIRST_SECOND && instant <= LAST_SECOND ? instant : undefined;
}
