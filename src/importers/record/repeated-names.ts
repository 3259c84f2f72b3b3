// Names that occur twice in one object of a JSON text. JSON.parse keeps the last and silently drops what the
// others say, so there are then fewer members than colons.

const COLON = 0x3a;
const BACKSLASH = 0x5c;

/** Requires: `value` is what JSON.parse made of the text. */
export function hasRepeatedName(json: string, value: unknown): boolean {
  return countColons(json) !== countMembers(value);
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

/** Outside of strings. */
function countColons(json: string): number {
  let count = 0;
  for (let at = 0; ; ) {
    const quote = json.indexOf('"', at);
    const end = quote === -1 ? json.length : quote;
    for (; at < end; at++) if (json.charCodeAt(at) === COLON) count++;
    if (quote === -1) return count;
    at = endOfString(json, quote + 1);
  }
}

/** Behind the quote that ends a string. Searching for it beats looking at each character: texts are long. */
function endOfString(json: string, start: number): number {
  for (let quote = json.indexOf('"', start); ; quote = json.indexOf('"', quote + 1)) {
    let first = quote;
    while (json.charCodeAt(first - 1) === BACKSLASH) first--;
    if ((quote - first) % 2 === 0) return quote + 1;
  }
}
