// Checks taken by two threads: each is done, and the first that fails is what is found, whoever takes which.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allocateChecks, helpWithChecks, shareChecks } from '../../../src/loader/snapshot/shared-checks.ts';

const COUNT = 6;

/**
 * The numbers of the checks that each thread did, and the one whose fault was thrown. The helper takes its
 * part while the loading thread does check `at`, or before it begins.
 */
function sharedRun(at: number, failing: readonly number[]) {
  const states = allocateChecks(COUNT);
  const done: number[] = [];
  const helped: number[] = [];
  const check = (number: number): void => {
    if (failing.includes(number)) throw new Error(String(number));
  };
  const help = (): void =>
    helpWithChecks(states, (number) => {
      helped.push(number);
      check(number);
    });
  if (at < 0) help();
  let found: number | undefined;
  try {
    shareChecks(states, (number) => {
      done.push(number);
      if (number === at) help();
      check(number);
    });
  } catch (error) {
    found = Number((error as Error).message);
  }
  return { done, helped, found };
}

test('each check is done once, by either thread', () => {
  for (let at = -1; at <= COUNT; at++) {
    const { done, helped, found } = sharedRun(at, []);
    assert.equal(found, undefined);
    assert.deepEqual([...done, ...helped.toReversed()], [0, 1, 2, 3, 4, 5], `at ${at}`);
  }
});

test('of any checks that fail the first is found, whenever the helper comes', () => {
  for (let set = 1; set < 1 << COUNT; set++) {
    const failing = Array.from({ length: COUNT }, (_, i) => i).filter((i) => set & (1 << i));
    for (let at = -1; at <= COUNT; at++) {
      assert.equal(sharedRun(at, failing).found, failing[0], `${failing} at ${at}`);
    }
  }
});
