// Times in feeds: RFC 3339 to the whole seconds, and dates to the days, that the index stores.

import { parseInstant } from '../../access/instant.ts';
import { MAX_INSTANT, MIN_INSTANT } from '../../index/items/instant.ts';

/** The schema parses a time to check it, and the record parses it again to convert it. */
const remembered = new Map<string, number>();
const MAX_REMEMBERED = 16; // more than one record has

/**
 * Epoch seconds of an RFC 3339 date-time, rounded down; undefined for anything else, and for times outside
 * the years 0 to 9999 in UTC, the zone in which they are served.
 */
export function parseSeconds(text: string): number | undefined {
  const known = remembered.get(text);
  if (known !== undefined) return known;
  const seconds = secondsOf(text);
  if (seconds !== undefined) {
    if (remembered.size === MAX_REMEMBERED) remembered.clear();
    remembered.set(text, seconds);
  }
  return seconds;
}

function secondsOf(text: string): number | undefined {
  const milliseconds = parseInstant(text);
  if (milliseconds === undefined) return undefined;
  const seconds = Math.floor(milliseconds / 1000);
  return seconds >= MIN_INSTANT && seconds <= MAX_INSTANT ? seconds : undefined;
}

let formatted = { seconds: 0, text: '1970-01-01T00:00:00Z' };

/** The RFC 3339 date-time in UTC. Requires: a time within the years 0 to 9999. */
export function formatSeconds(seconds: number): string {
  // Everything that an import sees for the first time has the same time.
  if (formatted.seconds !== seconds) {
    formatted = { seconds, text: new Date(seconds * 1000).toISOString().replace('.000Z', 'Z') };
  }
  return formatted.text;
}

const DAY_SECONDS = 86_400;

/** Days from 1970-01-01 to a date such as 2026-04-21; undefined for anything else, and for earlier dates. */
export function parseDay(text: string): number | undefined {
  const seconds = parseSeconds(`${text}T00:00:00Z`);
  return seconds === undefined || seconds < 0 ? undefined : seconds / DAY_SECONDS;
}
