// Reading members of parsed JSON whose shape is not known yet.

export interface JsonObject {
  readonly [name: string]: unknown;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** How many members all objects in the value have together. */
export function countMembers(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((count, item) => count + countMembers(item), 0);
  if (!isObject(value)) return 0;
  let count = 0;
  for (const name in value) count += 1 + countMembers(value[name]);
  return count;
}
