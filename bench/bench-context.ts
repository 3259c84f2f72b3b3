// What every in-process bench gets, and what it gives back to be measured.

import type { Generation } from '../src/index/generation.ts';
import type { Task } from './measure.ts';

export interface BenchContext {
  readonly generation: Generation;
}

export interface Prepared {
  /** What the bench runs on, in words. */
  readonly notes: readonly string[];
  readonly tasks: readonly Task[];
}
