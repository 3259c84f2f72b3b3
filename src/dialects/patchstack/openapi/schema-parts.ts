// What several schemas of this dialect consist of.

import type { Ref, Schema } from '../../../http/openapi/model.ts';
import { closedObject } from '../../openapi-parts.ts';

/** The pattern of a snapshot's id. */
export const SNAPSHOT_ID = '^[0-9a-f]{16}$';

export const text = { type: 'string' };
export const nullableText = { type: ['string', 'null'] };
export const flag = { type: 'boolean' };
export const count = { type: 'integer', minimum: 0 };
export const uri = { type: 'string', format: 'uri' };
export const advisoryId = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
export const cvss = closedObject({
  score: { type: ['number', 'null'] },
  vector: nullableText,
});

export function listOf(items: Schema | Ref): Schema {
  return { type: 'array', items };
}

export function described(description: string, schema: Schema): Schema {
  return { ...schema, description };
}
