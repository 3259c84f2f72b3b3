// The words of which the schemas of all dialects consist. Files that describe bodies import them as `s`.

import type { Ref, Schema } from '../http/openapi/model.ts';
import { UPPER_BOUNDS } from '../index/lookup/interval.ts';
import { SNAPSHOT_ID } from '../index/snapshot-id.ts';

export const text = { type: 'string' } as const;
export const someText = { type: 'string', minLength: 1 } as const;
export const nullableText = { type: ['string', 'null'] } as const;
export const uri = { type: 'string', format: 'uri' } as const;
export const flag = { type: 'boolean' } as const;
export const integer = { type: 'integer' } as const;
export const count = { type: 'integer', minimum: 0 } as const;
export const positive = { type: 'integer', minimum: 1 } as const;
export const nullableNumber = { type: ['number', 'null'] } as const;
export const advisoryId = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER } as const;
export const snapshotId = matching(SNAPSHOT_ID.source);
export const psid = matching('^[0-9a-f]{12}$');
/** A date and time with a space between them, as PHP writes it. */
export const phpInstant = matching('^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d$');

export type Members = { readonly [name: string]: Schema | Ref };

export function ref(name: string): Ref {
  return { $ref: `#/components/schemas/${name}` };
}

export function described(description: string, schema: Schema): Schema {
  return { ...schema, description };
}

/** A text that matches the regular expression. */
export function matching(pattern: string): Schema {
  return { type: 'string', pattern };
}

export function oneOfWords(words: readonly string[]): Schema {
  return { type: 'string', enum: [...words] };
}

/** One of these words, or null. */
export function wordOrNull(words: readonly string[]): Schema {
  return { type: ['string', 'null'], enum: [...words, null] };
}

export function exactly(value: string): Schema {
  return { type: 'string', const: value };
}

export function list(items: Schema | Ref, bounds: { minItems?: number; maxItems?: number } = {}): Schema {
  return { type: 'array', items, ...bounds };
}

export function listOfAtLeast(minItems: number, items: Schema | Ref): Schema {
  return { type: 'array', minItems, items };
}

/** An object that has these members, apart from the optional ones, and no others. */
export function object(properties: Members, optional: readonly string[] = []): Schema {
  return {
    type: 'object',
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
    properties,
    additionalProperties: false,
  };
}

export function objectOrNull(properties: Members, optional: readonly string[] = []): Schema {
  return { ...object(properties, optional), type: ['object', 'null'] };
}

/** These members, all with the same schema. */
export function membersOf(names: readonly string[], schema: Schema): Members {
  return Object.fromEntries(names.map((name) => [name, schema]));
}

export const texts = list(text);
export const cvss = object({ score: nullableNumber, vector: nullableText });
/** Somebody with a page of their own, or nobody. */
export const person = objectOrNull({ name: text, url: text });
/** A source of an advisory, as `sourceMembers` shows it. */
export const sourceMembers = { name: text, notice: text, license: text, license_url: text };
export const copyrights = list(object(sourceMembers));
/** Ranges with a fix; an unrecorded bound is empty. */
export const patchedRanges = list(object({ from_version: text, to_version: text, fixed_in: text }));
export const rangeMembers = {
  from_version: nullableText,
  to_version: nullableText,
  to_bound: wordOrNull(UPPER_BOUNDS),
  fixed_in: nullableText,
};
