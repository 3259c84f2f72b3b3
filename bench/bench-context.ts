// What every in-process bench receives, and what it returns to be measured.

import type { Generation } from '../src/index/generation.ts';
import type { Task } from './measure.ts';

export interface BenchContext {
  readonly generation: Generation;
}

export interface Prepared {
  /** Describes what the bench runs on. */
  readonly notes: readonly string[];
  readonly tasks: readonly Task[];
}
