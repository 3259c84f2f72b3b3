// A parser for commander's options, with the range in the message.

import { InvalidArgumentError } from 'commander';

/** A parser of whole numbers. */
export function between(min: number, max: number): (text: string) => number {
  return numbers(min, max, 'whole number', Number.isInteger);
}

/** A parser of numbers. */
export function anyBetween(min: number, max: number): (text: string) => number {
  return numbers(min, max, 'number', Number.isFinite);
}

function numbers(min: number, max: number, name: string, fits: (value: number) => boolean) {
  return (text: string): number => {
    const value = Number(text);
    if (text.trim() !== '' && fits(value) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Give a ${name} from ${min} to ${max}.`);
  };
}
