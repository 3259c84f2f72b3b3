// Durations of exchanges and their percentiles.

export class Latencies {
  readonly #times: number[] = [];

  add(tookMs: number): void {
    this.#times.push(tookMs);
  }

  get count(): number {
    return this.#times.length;
  }

  /** Nearest rank; 0 if there are none. */
  at(percent: number): number {
    const sorted = Float64Array.from(this.#times).sort();
    return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? 0;
  }

  summary(): string {
    const figure = (percent: number): string => `${this.at(percent).toFixed(1)} ms`;
    return `${this.count} requests, p50 ${figure(50)}, p99 ${figure(99)}, worst ${figure(100)}`;
  }
}
