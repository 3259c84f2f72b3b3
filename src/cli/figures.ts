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

/** Follows a count of advisories: withdrawn ones are in a snapshot, but in no listing and no metric. */
export function withdrawnNote(withdrawn: number): string {
  return withdrawn === 0 ? '' : ` (${withdrawn.toLocaleString('en-US')} withdrawn)`;
}
