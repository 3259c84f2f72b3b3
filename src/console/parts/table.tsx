// A table that scrolls inside itself: a column is its title and how to show a row in it. A long table may
// begin short. On a phone, the cells of a table of texts stand below each other, each with its title.

import type { ComponentChildren, Key } from 'preact';
import { useState } from 'preact/hooks';
import { ScrollBox } from './scroll-box.tsx';
import { count } from './words.ts';

export type TableColumn<Row> = readonly [
  title: string,
  cell: (row: Row) => ComponentChildren,
  /** `number` is set to the right. */
  className?: string,
];

interface TableProps<Row> {
  readonly label: string;
  /** The first column names the row. */
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  /** What is a row's own, for rows that keep a state. */
  readonly keyOf?: (row: Row) => Key;
  /** As many rows at first. */
  readonly few?: number;
  /** Said instead of a table without rows. */
  readonly empty?: string;
}

/** Columns that a phone has room for. */
const MOST_BESIDE = 3;

export function Table<Row>({ label, columns, rows, keyOf, few = rows.length, empty }: TableProps<Row>) {
  const [isWhole, setWhole] = useState(false);
  if (rows.length === 0 && empty !== undefined) return <p class="soft">{empty}</p>;
  return (
    <>
      <ScrollBox label={label} class="scroll">
        <table class={columns.length > MOST_BESIDE ? 'stacks' : undefined}>
          <thead>
            <tr>
              {columns.map(([title, , className]) => (
                <th key={title} scope="col" class={className === 'number' ? className : undefined}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {(isWhole ? rows : rows.slice(0, few)).map((row, i) => (
              <tr key={keyOf?.(row) ?? i}>
                {columns.map(([title, cell, className], place) => {
                  const Cell = place === 0 ? 'th' : 'td';
                  return (
                    <Cell
                      key={title}
                      class={className}
                      scope={place === 0 ? 'row' : undefined}
                      data-title={title}
                    >
                      {cell(row)}
                    </Cell>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
      {rows.length > few && (
        <button type="button" class="quiet" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show fewer' : `Show all ${count(rows.length)}`}
        </button>
      )}
    </>
  );
}
