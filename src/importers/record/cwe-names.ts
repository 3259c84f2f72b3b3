// Names of weaknesses and categories by their number in CWE. They are data, which scripts/cwe-names/make.ts
// writes to cwe-names.json beside this file.

import { readFileSync } from 'node:fs';

let names: ReadonlyMap<number, string> | undefined;

/** Without deprecated entries. Read with the first call: most commands import this and need no name. */
export function cweNames(): ReadonlyMap<number, string> {
  names ??= readNames();
  return names;
}

function readNames(): ReadonlyMap<number, string> {
  const text = readFileSync(new URL('./cwe-names.json', import.meta.url), 'utf8');
  // As the script wrote it.
  const list = JSON.parse(text) as { readonly names: Readonly<Record<string, string>> };
  return new Map(Object.entries(list.names).map(([id, name]) => [Number(id), name]));
}
