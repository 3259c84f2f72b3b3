// Figures that depend on the machine: times, memory, and what one build costs against another. Whoever
// started the process may ask for them (`VULNDEX_FIGURES`) and judges them by their history; otherwise the
// stated ceiling is the judge.

import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';

export interface Figure {
  /** What has to run again for another value: a test file, or a scenario of a bench. */
  readonly source: string;
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** At most this is good. Without it, the figure is only noted. */
  readonly ceiling?: number;
}

/** Hands a figure over; false if nobody asked for it. */
export function handOver(figure: Figure): boolean {
  const path = process.env.VULNDEX_FIGURES;
  if (path === undefined) return false;
  appendFileSync(path, `${JSON.stringify(figure)}\n`);
  return true;
}

/** Says the figure, and hands it over or fails the test if it is beyond its ceiling. */
export function figure(t: { diagnostic(message: string): void }, measured: Figure): void {
  const { name, value, unit, ceiling } = measured;
  const text = `${name}: ${value.toFixed(1)} ${unit}; at most ${ceiling} ${unit}`;
  t.diagnostic(text);
  if (!handOver(measured)) assert.ok(value <= (ceiling ?? Infinity), text);
}
