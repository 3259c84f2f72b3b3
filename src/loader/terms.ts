// Checks interned values: each must have the shape that the columns referring to it need.

import type { ColumnName, IndexColumns } from '../index/columns.ts';
import type { RecordSource } from '../index/items/detail-record.ts';
import { isCvssTerm, isLabelTerm, isText, isWeaknessTerm } from './record-shapes.ts';
import { badRecord } from './records.ts';

const SHAPES = [
  { name: 'a label', fits: isLabelTerm, columns: ['advisoryLabel'] },
  { name: 'a text', fits: isText, columns: ['advisoryVulnType', 'advisoryOwasp'] },
  { name: 'a CVSS pair', fits: isCvssTerm, columns: ['advisoryCvss'] },
  { name: 'a weakness', fits: isWeaknessTerm, columns: ['advisoryCwe', 'advisoryCapec'] },
] as const satisfies readonly {
  readonly name: string;
  readonly fits: (value: unknown) => boolean;
  readonly columns: readonly ColumnName[];
}[];

/**
 * A `termAt` that throws SnapshotError for a value of the wrong shape. The terms of `advisoryOwasp` are checked right
 * away: no list item uses them, so they would not be read before the first request. Requires: verifyIndex has passed.
 */
export function checkedTerms(columns: IndexColumns, records: RecordSource): (term: number) => unknown {
  const needs = new Uint8Array(columns.termStart.length); // bit i: shape i of SHAPES
  SHAPES.forEach((shape, i) => {
    for (const name of shape.columns) for (const term of columns[name]) needs[term] |= 1 << i;
  });
  const termAt = (term: number): unknown => {
    const value = records.termAt(term);
    SHAPES.forEach(({ name, fits }, i) => {
      if ((needs[term] & (1 << i)) === 0 || fits(value)) return;
      throw badRecord('index.termBytes', columns.termStart[term], name, describe(value));
    });
    return value;
  };
  const seen = new Uint8Array(needs.length);
  for (const term of columns.advisoryOwasp) {
    if (seen[term] === 0) termAt(term);
    seen[term] = 1;
  }
  return termAt;
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? `a list of ${value.length}` : `a ${typeof value}`;
}
