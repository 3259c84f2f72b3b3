// Checks interned values: each must have the shape that the columns referring to it need.

import type { ColumnName, IndexColumns } from '../index/columns.ts';
import type { RecordSource } from '../index/items/detail-record.ts';
import { isCvssTerm, isLabelTerm, isSourcesTerm, isText, isWeaknessTerm } from './record-shapes.ts';
import { badRecord } from './records.ts';

const SHAPES = [
  { name: 'a label', fits: isLabelTerm, columns: ['advisoryLabel'] },
  { name: 'a text', fits: isText, columns: ['advisoryVulnType', 'advisoryOwasp', 'advisorySeverity'] },
  { name: 'a CVSS pair', fits: isCvssTerm, columns: ['advisoryCvss'] },
  { name: 'a list of sources', fits: isSourcesTerm, columns: ['advisorySources'] },
  { name: 'a weakness', fits: isWeaknessTerm, columns: ['advisoryCwe', 'advisoryCapec'] },
] as const satisfies readonly {
  readonly name: string;
  readonly fits: (value: unknown) => boolean;
  readonly columns: readonly ColumnName[];
}[];

/** No list item uses these terms, so nothing would read them before the first request. */
const UNLISTED = ['advisoryOwasp', 'advisorySeverity', 'advisorySources'] as const;

/**
 * A `termAt` that throws SnapshotError for a value of the wrong shape. The terms of UNLISTED columns are checked right
 * away. Requires: verifyIndex has passed.
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
  for (const name of UNLISTED) {
    for (const term of columns[name]) {
      if (seen[term] === 0) termAt(term);
      seen[term] = 1;
    }
  }
  return termAt;
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? `a list of ${value.length}` : `a ${typeof value}`;
}
