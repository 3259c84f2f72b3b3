// Reads JSON, and says where it is not JSON: engines give different places, or none. The values are asked for
// their members through functions that take names such as `__proto__` and `constructor` for plain names.

import { clip, placeAt, Refusal } from './refusal.ts';

export type Members = { readonly [name: string]: unknown };

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const at = findJsonError(text);
    const where = placeAt(text, at);
    const problem =
      at >= text.length
        ? `This JSON ends too early, at ${where}: it was probably not copied completely.`
        : `This is not JSON: unexpected ${JSON.stringify(clip(text.slice(at, at + 12).trimEnd()))} at ${where}.`;
    throw new Refusal(problem);
  }
}

export function membersOf(value: unknown): Members | undefined {
  // The cast holds: an object that is not an array has members by name.
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Members)
    : undefined;
}

/** The member of its own, not one that objects inherit. */
export function member(members: Members | undefined, name: string): unknown {
  return members !== undefined && Object.hasOwn(members, name) ? members[name] : undefined;
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  const members = membersOf(value);
  return members === undefined ? [] : Object.entries(members);
}

const SPACE = /[ \t\n\r]*/y;
const SCALAR = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/y;

/**
 * Where the text stops being JSON; its length if it ends too early. Requires: it is not JSON. Needs no stack
 * per level.
 */
export function findJsonError(text: string): number {
  const open: ('{' | '[')[] = [];
  let at = 0;
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const matches = pattern.test(text);
    if (matches) at = pattern.lastIndex;
    return matches;
  };
  const skipString = (): boolean => {
    const end = endOfString(text, at);
    at = Math.abs(end);
    return end > 0;
  };
  for (let expects: 'value' | 'first' | 'key' | 'after' = 'value'; ; ) {
    skip(SPACE);
    const char = text[at];
    if (expects === 'after') {
      const top = open.at(-1);
      if (char === ',' && top !== undefined) {
        at++;
        expects = top === '{' ? 'key' : 'value';
      } else if (top !== undefined && char === (top === '{' ? '}' : ']')) {
        at++;
        open.pop();
      } else {
        return at;
      }
      continue;
    }
    if (expects === 'first' && char === (open.at(-1) === '{' ? '}' : ']')) {
      at++;
      open.pop();
      expects = 'after';
      continue;
    }
    if (expects === 'key' || (expects === 'first' && open.at(-1) === '{')) {
      if (char !== '"' || !skipString()) return at;
      skip(SPACE);
      if (text[at] !== ':') return at;
      at++;
      expects = 'value';
      continue;
    }
    if (char === '{' || char === '[') {
      open.push(char);
      at++;
      expects = 'first';
      continue;
    }
    if (char === '"' ? !skipString() : !skip(SCALAR)) return at;
    expects = 'after';
  }
}

/** After the string that begins at `start`; if it is not one, minus the place where it fails. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at + 1;
    if (code < 0x20) return -at;
    if (code !== 0x5c) continue;
    const escaped = /["\\/bfnrt]|u[0-9a-fA-F]{4}/y;
    escaped.lastIndex = at + 1;
    if (!escaped.test(text)) return -at;
    at = escaped.lastIndex - 1;
  }
  return -text.length;
}
