// Work that is measured by what it reads, so that a comparison of two sizes gives the same result on every
// machine.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import type { TestContext } from 'node:test';

type Listed = Uint8Array | Uint32Array | readonly unknown[];

/**
 * The values, reporting how many elements are read or written. A method is taken to visit every element;
 * `subarray` visits none, and what it returns is counted too.
 */
export function counted<Values extends Listed>(values: Values, onElements: (count: number) => void): Values {
  return new Proxy(values, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') {
        if (name !== 'length') onElements(1);
        return value;
      }
      return (...args: readonly unknown[]): unknown => {
        const result: unknown = Reflect.apply(value, target, args);
        if (name === 'subarray') return counted(result as Values, onElements); // of the same type
        onElements(target.length);
        return result;
      };
    },
    set(target, name, value) {
      onElements(1);
      return Reflect.set(target, name, value, target);
    },
  });
}

const FEW = 1_000;
/** Twice the input, a little more where it is sorted or searched; a square makes four. */
const MOST_TIMES = 3;

/** Asserts that work on twice as much reads about twice as much. `readsOf` gets the size of the input. */
export function assertLinear(what: string, readsOf: (count: number) => number): void {
  const [few, many] = [readsOf(FEW), readsOf(2 * FEW)];
  assert.ok(few >= FEW, `${what}: only ${few} reads of ${FEW}`);
  assert.ok(many < MOST_TIMES * few, `${what}: ${few} reads of ${FEW}, ${many} of ${2 * FEW}`);
}

/** Counts the bytes that are read from files from now on, until the test ends. */
export function countReads(t: Pick<TestContext, 'mock' | 'after'>): { readonly bytes: () => number } {
  let bytes = 0;
  const { readSync, readFileSync } = fs;
  const mocked = [
    t.mock.method(fs, 'readSync', (...words: readonly unknown[]) => {
      const count = (readSync as (...words: readonly unknown[]) => number)(...words);
      bytes += count;
      return count;
    }),
    t.mock.method(fs, 'readFileSync', (...words: readonly unknown[]) => {
      const content = (readFileSync as (...words: readonly unknown[]) => Buffer | string)(...words);
      bytes += Buffer.byteLength(content);
      return content;
    }),
  ];
  syncBuiltinESMExports(); // imports by name see it too
  t.after(() => {
    for (const { mock } of mocked) mock.restore();
    syncBuiltinESMExports();
  });
  return { bytes: () => bytes };
}
