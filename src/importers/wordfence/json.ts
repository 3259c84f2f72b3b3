// Reading members of parsed JSON whose shape is not known yet.

export interface JsonObject {
  readonly [name: string]: unknown;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** How many members all objects in the value have together. */
export function countMembers(value: unknown): number {
  let count = 0;
  const open = [value]; // no recursion: JSON.parse reads deeper nesting than the stack has room for
  while (open.length > 0) {
    const inner = open.pop();
    if (typeof inner !== 'object' || inner === null) continue;
    const values: unknown[] = Object.values(inner);
    if (!Array.isArray(inner)) count += values.length;
    for (const each of values) open.push(each);
  }
  return count;
}
