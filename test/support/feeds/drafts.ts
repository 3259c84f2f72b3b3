// Drafts and sources of them for tests: a valid draft with the members that a test cares about changed, and a
// reader that yields given entries.

import assert from 'node:assert/strict';
import {
  type PackedDraft,
  type PackedKeys,
  type PackedSourceEntry,
  packDraft,
  packEntry,
  unpackDraft,
} from '../../../src/importers/packed-draft.ts';
import type { Draft, DraftRecord, SourceEntry } from '../../../src/importers/source.ts';
import type { SourceReader } from '../../../src/importers/source-kind.ts';

export interface DraftChanges extends Partial<Omit<DraftRecord, 'product'>> {
  readonly product?: Partial<DraftRecord['product']>;
}

/** A draft of an npm package, published as `sourceId`. */
export function draftOf(sourceId: string, { product, ...changes }: DraftChanges = {}): Draft {
  const record: DraftRecord = {
    title: `About ${sourceId}`,
    description: `What ${sourceId} is about.`,
    disclosed_at: '2026-01-02T03:04:05Z',
    url: `https://advisories.example/${sourceId}`,
    vuln_type: 'SQL Injection',
    source_id: sourceId,
    affected: [{ from_version: null, to_version: '1.5.0', to_bound: 'exclusive', fixed_in: '1.5.0' }],
    ...changes,
    product: { type: 'npm', slug: 'left', name: 'left', ...product },
  };
  return { place: { file: 'source', entry: sourceId }, sourceId, record };
}

/** The draft as a store takes it in, which must be a valid one. */
export function soundDraft(draft: Draft): PackedDraft & { readonly keys: PackedKeys } {
  const { keys, ...packed } = packDraft(draft);
  assert.deepEqual(packed.problems, []);
  assert.ok(keys !== undefined);
  return { ...packed, keys };
}

/** A source that has exactly these entries; a draft stands for an entry without warnings. */
export function sourceOf(
  kind: string,
  entries: Iterable<Draft | SourceEntry>,
  label = `some ${kind}`,
): SourceReader {
  return {
    label,
    unit: 'records',
    total: undefined,
    async *read(onProgress) {
      for (const entry of entries) {
        onProgress(1);
        yield [packEntry('kind' in entry ? entry : { kind: 'draft', draft: entry, warnings: [] })];
      }
    },
  };
}

/** What a source yields, with its drafts as they were before they were packed. */
export async function entriesOf(
  source: SourceReader,
  onProgress: (amount: number) => void = () => {},
): Promise<SourceEntry[]> {
  const entries: SourceEntry[] = [];
  for await (const batch of source.read(onProgress)) {
    assert.ok(batch.length > 0, 'no batch is empty');
    entries.push(...batch.map(unpacked));
  }
  return entries;
}

function unpacked(entry: PackedSourceEntry): SourceEntry {
  if (entry.kind !== 'packed') return entry;
  const { report, ...stored } = unpackDraft(entry.draft.row);
  const draft = { ...stored, sourceId: entry.draft.keys?.sourceId ?? '', ...(report && { report }) };
  return { kind: 'draft', draft, warnings: entry.warnings };
}
