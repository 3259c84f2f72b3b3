// What a record says of a package in `ecosystem_specific`: of one entry as it is, of several entries about
// one package joined, so that no reader finds less affected than in any of them.

import type { FieldProblem } from '../record/feed-schema.ts';
import { isObject, type JsonObject } from '../record/json.ts';
import { specificProblem } from '../record/record.ts';
import type { OsvAffected } from './osv-record.ts';

/** Limits what is affected to packages and symbols. Without it, all of the module is. */
const LIMITING = 'imports';

/**
 * Undefined if no entry has any, or if it cannot be kept, which is a problem. Requires: at least one entry.
 */
export function specificOf(
  entries: readonly OsvAffected[],
  problems: FieldProblem[],
): JsonObject | undefined {
  const found = entries.flatMap(({ field, ecosystemSpecific: value }) => {
    if (isObject(value)) return [value];
    const place = `${field}.ecosystem_specific`;
    if (value !== undefined && value !== null) problems.push({ field: place, message: 'is not an object' });
    return [];
  });
  if (found.length === 0) return undefined;
  const joined = entries.length === 1 ? found[0] : joinedOf(found, found.length === entries.length);
  const message = specificProblem(joined);
  if (message === undefined) return joined;
  problems.push({
    field: `${entries[0].field}.ecosystem_specific`,
    message: `${message}, so it is left out`,
  });
  return undefined;
}

/** Lists are added up, of any other value the first is taken. */
function joinedOf(values: readonly JsonObject[], isOfAll: boolean): JsonObject {
  const names = new Set(values.flatMap((value) => Object.keys(value)));
  if (!isOfAll || values.some((value) => !isFilled(value[LIMITING]))) names.delete(LIMITING);
  return Object.fromEntries(
    [...names].map((name) => {
      const all = values.map((value) => value[name]).filter((value) => value !== undefined);
      return [name, all.every((value) => Array.isArray(value)) ? distinct(all.flat()) : all[0]];
    }),
  );
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

function distinct(values: readonly unknown[]): unknown[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}
