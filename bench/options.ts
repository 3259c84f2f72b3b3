// Parsers for commander's options, with the range in the message, and the file that `--json` names.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { InvalidArgumentError } from 'commander';

type Parser = (text: string) => number;

export function whole(min: number, max = Number.MAX_SAFE_INTEGER): Parser {
  return (text) => {
    const value = Number(text);
    if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Give a whole number from ${min} to ${max}.`);
  };
}

export function share(min: number): Parser {
  return (text) => {
    const value = Number(text);
    if (value >= min && value <= 1) return value;
    throw new InvalidArgumentError(`Give a number from ${min} to 1.`);
  };
}

/** Writes results as JSON; does nothing without a path. */
export function writeJson(path: string | undefined, results: unknown): void {
  if (path === undefined) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(results, null, 2)}\n`);
}
