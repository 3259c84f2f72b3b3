// Checks interned values: each must be of the kind that the columns referring to it need. All that are used
// are checked before anything is served, because most of them are decoded in requests only.

import type { IndexColumns } from '../../index/columns.ts';
import { MAX_PACKED_BYTES } from '../../index/items/detail-record.ts';
import { PackedCursor, PackedError } from '../../index/memory/packed-cursor.ts';
import {
  stepOverCvss,
  stepOverLabel,
  stepOverSources,
  stepOverText,
  stepOverWeakness,
} from './record-shapes.ts';
import { badRecord } from './row-block.ts';

const KINDS = [
  { name: 'a label', stepOver: stepOverLabel, columns: ['advisoryLabel'] },
  {
    name: 'a text',
    stepOver: stepOverText,
    columns: ['traitsVulnType', 'traitsOwasp', 'traitsSeverity'],
  },
  { name: 'a CVSS pair', stepOver: stepOverCvss, columns: ['traitsCvss'] },
  { name: 'a list of sources', stepOver: stepOverSources, columns: ['traitsSources'] },
  { name: 'a weakness', stepOver: stepOverWeakness, columns: ['traitsCwe', 'traitsCapec'] },
] as const;

/** Throws SnapshotError: rules 34 and 35 of docs/snapshot-format.md. Requires: verifyIndex has passed. */
export function verifyTerms(columns: IndexColumns): void {
  const { termStart, termBytes } = columns;
  const needs = new Uint8Array(termStart.length); // bit i: kind i of KINDS
  KINDS.forEach((kind, i) => {
    for (const name of kind.columns) markNeeds(needs, columns[name], 1 << i);
  });
  const cursor = new PackedCursor(termBytes);
  for (let term = 0; term + 1 < termStart.length; term++) {
    if (needs[term] === 0) continue;
    const start = termStart[term];
    const end = termStart[term + 1];
    if (end - start > MAX_PACKED_BYTES) {
      throw badRecord('index.termBytes', start, `at most ${MAX_PACKED_BYTES} bytes`, String(end - start));
    }
    for (let i = 0; i < KINDS.length; i++) {
      if ((needs[term] & (1 << i)) === 0) continue;
      try {
        cursor.enter(start, end);
        KINDS[i].stepOver(cursor);
        if (!cursor.isAtEnd) throw new PackedError(termBytes, cursor.at, 'more bytes after it');
      } catch (error) {
        if (!(error instanceof PackedError)) throw error;
        throw badRecord('index.termBytes', error.offset, KINDS[i].name, error.message);
      }
    }
  }
}

function markNeeds(needs: Uint8Array, terms: Uint32Array, bit: number): void {
  for (let i = 0; i < terms.length; i++) needs[terms[i]] |= bit;
}
