// How long and how much: the full figures by default, small ones with VULNDEX_SOAK_QUICK=1 for trying a change out.

export const isQuick = process.env.VULNDEX_SOAK_QUICK === '1';

export function scaled(full: number, quick: number): number {
  return isQuick ? quick : full;
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Polls until the condition holds; throws, saying what was waited for, when it does not in time. */
export async function until(
  what: string,
  limitMs: number,
  condition: () => boolean | Promise<boolean>,
): Promise<number> {
  const startMs = performance.now();
  while (!(await condition())) {
    if (performance.now() - startMs > limitMs) throw new Error(`waited ${limitMs} ms in vain: ${what}`);
    await sleep(50);
  }
  return performance.now() - startMs;
}
