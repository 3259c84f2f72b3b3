// Writes src/importers/record/cwe-names.json from MITRE's list of weaknesses and categories.
//
//     npx tsx scripts/cwe-names/make.ts cwec_v4.15.xml
//
// The list is at https://cwe.mitre.org/data/downloads.html. Only ids, names and the list's version are taken
// from it.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error('name the XML file of the CWE list');
const xml = readFileSync(path, 'utf8');
const version = /<Weakness_Catalog [^>]*Version="([\d.]+)"[^>]*Date="(\d{4})/.exec(xml);
if (version === null) throw new Error(`${path} is not a CWE list`);

const names = new Map<number, string>();
for (const [, id, name] of xml.matchAll(/<(?:Weakness|Category) ID="(\d+)" Name="([^"]*)"/g)) {
  const text = unescapeXml(name).trim();
  if (!text.startsWith('DEPRECATED')) names.set(Number(id), text);
}

const notice =
  `CWE is a trademark of The MITRE Corporation. Copyright 2006-${version[2]} The MITRE Corporation. ` +
  'The names are used under the terms of use at https://cwe.mitre.org/about/termsofuse.html.';
// The names are by ascending number.
const list = { version: version[1], notice, names: Object.fromEntries(names) };
const target = join(import.meta.dirname, '../../src/importers/record/cwe-names.json');
writeFileSync(target, `${JSON.stringify(list, null, 2)}\n`);
console.log(`${names.size} names`);

function unescapeXml(text: string): string {
  const entities: { readonly [name: string]: string } = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
  return text.replace(/&(\w+);/g, (whole, name: string) => entities[name] ?? whole);
}
