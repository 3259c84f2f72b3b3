// A parser for commander's options, with the range in the message.

import { InvalidArgumentError } from 'commander';

/** A parser of whole numbers. */
export function between(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Give a whole number from ${min} to ${max}.`);
  };
}
