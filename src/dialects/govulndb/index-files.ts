// The files of the index, made once per generation from the records as they are served:
//
//     index/db.json         {"modified"}
//     index/modules.json    [{"path","vulns":[{"id","modified","fixed"?}]}]
//     index/vulns.json      [{"id","modified","aliases"?}]
//     index.json            {"<path>":"<modified>"}, for clients of 2023
//
// The first three also as `.gz`: bytes of their own, not a content coding. Without an advisory of a module
// there are none: an empty index would say that every module is clean.

import type { PreparedFile } from '../../http/replies/prepared-files.ts';
import type { Generation } from '../../index/generation.ts';
import { ThreadMemory } from '../../index/memory/thread-memory.ts';
import { compareKeys, getVersionKey } from '../../index/versions/version-key.ts';
import { etags } from '../etags.ts';
import type { OsvEvent } from '../osv/ranges.ts';
import { recordOf } from '../osv/record.ts';
import { prepareJson } from '../prepared-json.ts';
import { FORM, listedRecords } from './records.ts';

export const GZIP_TYPE = 'application/gzip';
/** Of one vulnerability of a module, somewhat above the mean of real data. */
const ENTRY_BYTES = 120;

export function preparedName(file: string): string {
  return `govulndb/${file}`;
}

interface ModuleEntry {
  readonly id: string;
  readonly modified: string;
  readonly fixed: string | undefined;
}

interface RecordEntry {
  readonly id: string;
  readonly modified: string;
  readonly aliases: readonly string[] | undefined;
}

export function* prepareIndex(generation: Generation): Generator<readonly [string, PreparedFile]> {
  if (generation.isWithoutData('golang')) return;
  const memory = new ThreadMemory(generation);
  const modules = new Map<string, ModuleEntry[]>();
  const records: RecordEntry[] = [];
  for (const [head, names] of listedRecords(generation)) {
    const { id, modified, aliases, affected } = recordOf(generation, memory, head, FORM);
    records.push({ id, modified, aliases });
    for (const name of names) {
      const ranges = affected
        .filter((entry) => entry.package.name === name)
        .flatMap((entry) => entry.ranges.map(({ events }) => events));
      // Only texts are affected that are no versions: the client never asks about one.
      if (ranges.length === 0) continue;
      const entry = { id, modified, fixed: highestFix(ranges) };
      const known = modules.get(name);
      if (known === undefined) modules.set(name, [entry]);
      else known.push(entry);
    }
  }
  records.sort((a, b) => compare(a.id, b.id));
  const sorted = [...modules].sort(([a], [b]) => compare(a, b));
  for (const [, vulns] of sorted) vulns.sort((a, b) => compare(a.id, b.id));
  yield* bothForms(generation, 'index/db.json', { modified: latestOf(records) });
  yield* bothForms(
    generation,
    'index/modules.json',
    sorted.map(([path, vulns]) => ({ path, vulns })),
  );
  yield* bothForms(generation, 'index/vulns.json', records);
  const paths = Object.fromEntries(sorted.map(([path, vulns]) => [path, latestOf(vulns)]));
  yield [preparedName('index.json'), jsonFile(generation, paths)];
}

function* bothForms(
  generation: Generation,
  file: string,
  value: object,
): Generator<readonly [string, PreparedFile]> {
  const plain = jsonFile(generation, value);
  yield [preparedName(file), plain];
  const { gzip } = plain;
  if (gzip === undefined) return;
  yield [
    preparedName(`${file}.gz`),
    { contentType: GZIP_TYPE, plain: gzip, gzip: undefined, etag: plain.etag, headers: [] },
  ];
}

function jsonFile(generation: Generation, value: object): PreparedFile {
  const expected = Object.keys(value).length * ENTRY_BYTES;
  return prepareJson(etags.govulndb(generation), expected, (out) => out.text(JSON.stringify(value)));
}

/** Instants of one form and of UTC are in order as texts. */
function latestOf(entries: readonly { readonly modified: string }[]): string {
  return entries.reduce((latest, { modified }) => (modified > latest ? modified : latest), '');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * The highest end of the ranges; undefined if one of them is open. A client leaves out what it has fixed,
 * without reading the record: so there is none where a higher version is affected again. Requires: ascending
 * events.
 */
export function highestFix(ranges: readonly (readonly OsvEvent[])[]): string | undefined {
  let highest: { readonly text: string; readonly key: Uint8Array } | undefined;
  for (const events of ranges) {
    const last = events.at(-1);
    if (last === undefined || !('fixed' in last)) return undefined;
    const key = getVersionKey('golang', last.fixed);
    if (highest === undefined || compareKeys(highest.key, key) < 0) highest = { text: last.fixed, key };
  }
  return highest?.text;
}
