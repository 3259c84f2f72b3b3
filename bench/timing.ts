// Repeated measurement of things too long for tinybench: medians and spreads of a few rounds, alternatives taking
// turns so that a slow minute of the machine falls on all of them.

export interface Timing {
  readonly name: string;
  readonly medianMs: number;
  readonly minMs: number;
  readonly maxMs: number;
}

/** Runs every alternative once a round; the first round is not counted. */
export function takeTurns(alternatives: Readonly<Record<string, () => unknown>>, rounds: number): Timing[] {
  const times = new Map<string, number[]>(Object.keys(alternatives).map((name) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const [name, work] of Object.entries(alternatives)) {
      const startMs = performance.now();
      kept = work();
      if (round > 0) times.get(name)?.push(performance.now() - startMs);
    }
  }
  return [...times].map(([name, all]) => {
    const sorted = all.toSorted((a, b) => a - b);
    return {
      name,
      medianMs: sorted[Math.floor(sorted.length / 2)],
      minMs: sorted[0],
      maxMs: sorted[sorted.length - 1],
    };
  });
}

/** The last result stays reachable, so that no alternative is optimised away or freed while it is timed. */
export let kept: unknown;

export function formatTimings(timings: readonly Timing[], baseline: string): string[] {
  const base = timings.find(({ name }) => name === baseline)?.medianMs ?? Number.NaN;
  return timings.map(({ name, medianMs, minMs, maxMs }) => {
    const spread = `${minMs.toFixed(0)}..${maxMs.toFixed(0)}`;
    return `  ${name.padEnd(44)} ${medianMs.toFixed(0).padStart(6)} ms  (${spread.padStart(10)})  ${(medianMs / base).toFixed(2)} x`;
  });
}
