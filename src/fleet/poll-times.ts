// When a source is asked again. Chance is an argument.

/** After failures at most so many intervals, and not above five minutes, or a longer interval. */
const MOST_INTERVALS = 5;
const LONGEST_MS = 5 * 60_000;
/** A failure may be over soon: the first wait after it is this part of the interval. */
const FIRST_PART = 8;
const SHORTEST_MS = 1000;
/** Up to a fifth less, or after a failure half: replicas that started together spread out. */
const JITTER = 0.2;
const FAILURE_JITTER = 0.5;

/** The wait after so many failures in a row: the interval after none, else doubled for each. */
export function nextPollMs(intervalMs: number, failures: number, random: number): number {
  if (failures === 0) return Math.round(intervalMs * (1 - JITTER * random));
  const first = Math.max(SHORTEST_MS, intervalMs / FIRST_PART);
  const longest = Math.max(intervalMs, Math.min(MOST_INTERVALS * intervalMs, LONGEST_MS));
  const full = Math.min(first * 2 ** (failures - 1), longest);
  return Math.round(full * (1 - FAILURE_JITTER * random));
}
