// System calls that fail as they do with a broken disk or without free descriptors.

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import type { TestContext } from 'node:test';

type Call = 'accessSync' | 'fsyncSync' | 'openSync' | 'readSync';

export interface Failure {
  /** How often the call was attempted. */
  readonly tries: () => number;
  readonly end: () => void;
}

/** From now on the call fails for all callers, until ended or until the test ends. */
export function failWith(t: Pick<TestContext, 'mock' | 'after'>, call: Call, code: string): Failure {
  const mocked = t.mock.method(fs, call, () => {
    throw Object.assign(new Error(`${code}: simulated`), { code, syscall: call.replace('Sync', '') });
  });
  syncBuiltinESMExports(); // imports by name see it too
  const end = (): void => {
    mocked.mock.restore();
    syncBuiltinESMExports();
  };
  t.after(end);
  return { tries: () => mocked.mock.callCount(), end };
}

/** Calls `before` once, just before the nth file is opened, counted from 1. */
export function beforeOpening(t: Pick<TestContext, 'mock' | 'after'>, n: number, before: () => void): void {
  beforeCall(t, 'openSync', n, before);
}

/** Calls `before` once, just before the nth read of any file, counted from 1. */
export function beforeReading(t: Pick<TestContext, 'mock' | 'after'>, n: number, before: () => void): void {
  beforeCall(t, 'readSync', n, before);
}

function beforeCall(
  t: Pick<TestContext, 'mock' | 'after'>,
  call: 'openSync' | 'readSync',
  n: number,
  before: () => void,
): void {
  const real = fs[call] as (...words: readonly unknown[]) => number; // both return a number
  let count = 0;
  const mocked = t.mock.method(fs, call, (...words: readonly unknown[]) => {
    if (++count === n) before();
    return real(...words);
  });
  syncBuiltinESMExports();
  t.after(() => {
    mocked.mock.restore();
    syncBuiltinESMExports();
  });
}
