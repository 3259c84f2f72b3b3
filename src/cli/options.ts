// Options that a variable sets too, and parsers for their values, shared by all commands. A parser takes the
// text of an option or of its variable and returns a value, or throws an error that names what it got and
// what it expected.

import { InvalidArgumentError, Option } from 'commander';
import { parseSeconds } from '../importers/record/instant.ts';

export interface SettingParts {
  /** `before` is what an earlier use of the option gave. */
  parse?(text: string, before?: unknown): unknown;
  readonly choices?: readonly string[];
  /** The text of the option without a value. */
  readonly preset?: string;
  readonly default?: unknown;
  /** How help shows the default, if not as it is. */
  readonly shown?: string;
  /** What stands before the name in the variable. */
  readonly scope?: string;
}

/** An option with a variable of its name: `--max-shrink` and `VULNDEX_MAX_SHRINK`. */
export function setting(flags: string, help: string, parts: SettingParts): Option {
  const { parse, choices, preset, default: value, shown, scope = 'VULNDEX' } = parts;
  const option = new Option(flags, help);
  if (choices !== undefined) option.choices(choices);
  if (parse !== undefined) option.argParser(parse);
  if (preset !== undefined) option.preset(preset);
  if (value !== undefined) option.default(value, shown);
  return option.env(`${scope}_${option.name().replaceAll('-', '_').toUpperCase()}`);
}

interface WholeNumberRange {
  readonly min: number;
  readonly max: number;
}

/** Parses a whole number in the range, both ends included: decimal digits only, no sign but a minus. */
export function wholeNumber({ min, max }: WholeNumberRange): (text: string) => number {
  return (text) => {
    const value = /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw refusal(text, `a whole number from ${min} to ${max}`);
  };
}

/** A whole number of percent. */
export const percent = wholeNumber({ min: 0, max: 100 });

/** A part of a hundred that may have decimals: `0.5`. */
export function decimalPercent(text: string): number {
  const value = /^\d{1,3}(?:\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
  if (value <= 100) return value;
  throw refusal(text, 'a number from 0 to 100, such as 1 or 0.5');
}

/** Epoch seconds of an RFC 3339 date-time. */
export function instant(text: string): number {
  const value = parseSeconds(text);
  if (value === undefined) throw refusal(text, 'an RFC 3339 date-time such as 2026-04-21T08:38:34Z');
  return value;
}

/** Epoch seconds for the header of a snapshot, where the field is unsigned. */
export function buildTime(text: string): number {
  const value = instant(text);
  if (value < 0) throw refusal(text, 'a time in 1970 or later');
  return value;
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * A whole number of seconds, minutes, hours or days as milliseconds: `90s`, `15m`, `36h`, `2d`. More than
 * zero.
 */
export function duration(text: string): number {
  // Eight digits of days are 8.6e15 ms, below 2^53.
  const [, digits, unit] = /^(\d{1,8})([smhd])$/.exec(text) ?? [];
  const value = digits === undefined ? 0 : Number(digits) * UNIT_MS[unit];
  if (value === 0) throw refusal(text, 'a positive whole number with a unit, such as 90s, 15m, 36h or 2d');
  return value;
}

/** `true` or `false`, as a variable says it. */
export function trueOrFalse(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw refusal(text, 'true or false');
  return text === 'true';
}

function refusal(got: string, wanted: string): InvalidArgumentError {
  return new InvalidArgumentError(`Got ${JSON.stringify(got)}, expected ${wanted}.`);
}

/** Parses a text that is not empty: a variable that a template left empty is a mistake. */
export function text(expected: string): (text: string) => string {
  return (text) => {
    if (text.trim() !== '') return text;
    throw refusal(text, expected);
  };
}
