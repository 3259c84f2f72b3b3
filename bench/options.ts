// Parsers for commander's options, with the range in the message, and the file that `--json` names.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { InvalidArgumentError } from 'commander';

/** A parser of whole numbers; of any numbers, if `isAny`. */
export function between(min: number, max: number, isAny = false): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (value >= min && value <= max && (isAny || Number.isInteger(value))) return value;
    throw new InvalidArgumentError(`Give a ${isAny ? '' : 'whole '}number from ${min} to ${max}.`);
  };
}

/** Writes results as JSON; does nothing without a path. */
export function writeJson(path: string | undefined, results: unknown): void {
  if (path === undefined) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(results, null, 2)}\n`);
}
