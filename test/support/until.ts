// The one wait of the tests: for something that can be observed, with one patience. Nothing that is waited
// for takes long, so the patience is not a limit that a test is about: it only ends a test that would
// otherwise hang.

export const PATIENCE_MS = 60_000; // for a busy machine
const POLL_MS = 5;
// The real ones, also while a test moves the clock and the timers itself.
const later = setTimeout;
const clockMs = performance.now.bind(performance);

/** Polls until the condition holds; rejects with what was awaited when the patience has run out. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const startMs = clockMs();
  while (!(await isSo())) {
    if (clockMs() - startMs > PATIENCE_MS) {
      throw new Error(`timed out after ${PATIENCE_MS / 1_000} s: ${what}`);
    }
    await new Promise((resolve) => later(resolve, POLL_MS));
  }
}
