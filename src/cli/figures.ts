// How the commands format numbers.

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

export function counted(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? noun : nouns}`;
}

/** Of performance.now(). */
export function secondsSince(startMs: number): string {
  return `${((performance.now() - startMs) / 1000).toFixed(1)} s`;
}

/** `45 s`, `3 min`, `1 h 20 min` or `2 d 4 h`, rounded up. */
export function durationOf(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Follows a count of advisories: withdrawn ones are in a snapshot, but in no listing and no metric. */
export function withdrawnNote(withdrawn: number): string {
  return withdrawn === 0 ? '' : ` (${withdrawn.toLocaleString('en-US')} withdrawn)`;
}
