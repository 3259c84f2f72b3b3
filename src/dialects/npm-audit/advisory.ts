// One advisory in the bulk answer. Its fields are copied from the prepared item; what npm says in words of
// its own (url, severity, range) is made here, once for each advisory while its thread remembers it.

import type { Generation } from '../../index/generation.ts';
import { ItemView } from '../../index/items/item-view.ts';
import type { ThreadMemory } from '../../index/memory/thread-memory.ts';
import { severityOf } from './severity.ts';
import { affectedRange } from './versions.ts';

/** An advisory here is short, but its texts and its range take time to make. */
const LEAST_KEPT_BYTES = 128;
const GHSA = /^GHSA(?:-[0-9a-z]{4}){3}$/i;

/**
 * Appends the advisory as an item of the bulk answer. `named` are versions that its range names beside its
 * branches.
 */
export function writeAdvisory(
  memory: ThreadMemory,
  generation: Generation,
  ordinal: number,
  named?: readonly string[],
): void {
  const { out } = memory;
  const make = (): void => write(memory, generation, ordinal, named ?? []);
  if (named !== undefined) make();
  else memory.cacheOf('npm-audit', LEAST_KEPT_BYTES).write(out, ordinal, make);
}

function write(
  memory: ThreadMemory,
  generation: Generation,
  ordinal: number,
  named: readonly string[],
): void {
  const { out } = memory;
  const view = new ItemView(generation).enter(ordinal);
  out.text('{"id":');
  view.write(out, 'id');
  out.text(',"url":');
  out.jsonText(pageOf(memory, generation, ordinal, view));
  out.text(',"title":');
  view.writeBareTitle(out);
  const score = view.number('cvssScore');
  out.text(`,"severity":"${severityOf(generation, ordinal, score)}","vulnerable_versions":`);
  // The branches come last: clients take the patched version from the end.
  out.jsonText([...named, affectedRange(generation, ordinal)].join(' || '));
  writeRatings(memory, view, score);
  out.text('}');
}

/** The members `cwe` and `cvss`. npm's registry writes a score of 0 for "not rated". */
export function writeRatings({ out }: ThreadMemory, view: ItemView, score: number | null): void {
  const cwe = view.number('cweId');
  out.text(cwe === null ? ',"cwe":[]' : `,"cwe":["CWE-${cwe}"]`);
  out.text(`,"cvss":{"score":${score ?? 0},"vectorString":`);
  view.write(out, 'cvssVector');
  out.text('}');
}

/** GitHub's page, from which tools read the GHSA id; else the advisory's own. */
export function pageOf(
  memory: ThreadMemory,
  generation: Generation,
  ordinal: number,
  view: ItemView,
): string {
  const id = githubIdOf(memory, generation, ordinal, view);
  return id === undefined ? (view.text('url') ?? '') : `https://github.com/advisories/${id}`;
}

/**
 * The GHSA id as GitHub writes it. The aliases are the last resort, because reading them inflates a block.
 */
export function githubIdOf(
  memory: ThreadMemory,
  generation: Generation,
  ordinal: number,
  view: ItemView,
): string | undefined {
  const own = view.text('ghsa') ?? '';
  if (GHSA.test(own)) return asPublished(own);
  const sourceId = generation.sourceIdAt(ordinal);
  if (GHSA.test(sourceId)) return asPublished(sourceId);
  const [, , , , , , , , aliases] = generation.records.detailAt(ordinal, memory.records);
  const alias = aliases.find((each) => GHSA.test(each));
  return alias === undefined ? undefined : asPublished(alias);
}

function asPublished(id: string): string {
  return `GHSA${id.slice('GHSA'.length).toLowerCase()}`;
}
