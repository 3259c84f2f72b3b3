// How long and how much: full figures by default, small ones with VULNDEX_SOAK_QUICK=1 to try out a change.

export const isQuick = process.env.VULNDEX_SOAK_QUICK === '1';

export function scaled(full: number, quick: number): number {
  return isQuick ? quick : full;
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * Polls until the condition holds; returns how long it took. On a timeout throws an error that says what was
 * awaited.
 */
export async function within(
  what: string,
  limitMs: number,
  condition: () => boolean | Promise<boolean>,
): Promise<number> {
  const startMs = performance.now();
  while (!(await condition())) {
    if (performance.now() - startMs > limitMs) throw new Error(`timed out after ${limitMs} ms: ${what}`);
    await sleep(50);
  }
  return performance.now() - startMs;
}
