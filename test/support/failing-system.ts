// Calls of the system that fail as a broken disk or a process without descriptors makes them fail.

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import type { TestContext } from 'node:test';

type Call = 'openSync' | 'readSync';

export interface Failure {
  /** How often the call was tried. */
  readonly tries: () => number;
  readonly end: () => void;
}

/** From now on the call fails, for everybody, until that is ended or the test ends. */
export function failWith(t: Pick<TestContext, 'mock' | 'after'>, call: Call, code: string): Failure {
  const mocked = t.mock.method(fs, call, () => {
    throw Object.assign(new Error(`${code}: made up`), { code, syscall: call.replace('Sync', '') });
  });
  syncBuiltinESMExports(); // what was imported by name sees it too
  const end = (): void => {
    mocked.mock.restore();
    syncBuiltinESMExports();
  };
  t.after(end);
  return { tries: () => mocked.mock.callCount(), end };
}

/** Calls `before` once, ahead of the opening with that number, counted from 1. */
export function beforeOpening(
  t: Pick<TestContext, 'mock' | 'after'>,
  number: number,
  before: () => void,
): void {
  const { openSync } = fs;
  let count = 0;
  const mocked = t.mock.method(fs, 'openSync', (...words: Parameters<typeof openSync>) => {
    if (++count === number) before();
    return openSync(...words);
  });
  syncBuiltinESMExports();
  t.after(() => {
    mocked.mock.restore();
    syncBuiltinESMExports();
  });
}
