// The rows of a table that may be long: the first few, and all of them on demand.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ScrollArea } from '../parts/scroll-area.tsx';
import { count } from '../parts/words.ts';

interface RowsProps<Row> {
  /** What the rows are, for those who do not see the heading. */
  readonly label: string;
  /** `#` before a title: the column has numbers. */
  readonly titles: readonly string[];
  readonly rows: readonly Row[];
  /** A <tr>, with a key. */
  readonly children: (row: Row) => ComponentChildren;
  /** Instead of a table without rows. */
  readonly empty: string;
}

const FEW = 8;

export function Rows<Row>({ label, titles, rows, children, empty }: RowsProps<Row>) {
  const [isWhole, setWhole] = useState(false);
  if (rows.length === 0) return <p class="soft">{empty}</p>;
  return (
    <>
      <ScrollArea label={label}>
        <table>
          <thead>
            <tr>
              {titles.map((title) => (
                <th key={title} scope="col" class={title.startsWith('#') ? 'number' : undefined}>
                  {title.replace('#', '')}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{(isWhole ? rows : rows.slice(0, FEW)).map(children)}</tbody>
        </table>
      </ScrollArea>
      {rows.length > FEW && (
        <button type="button" class="quiet" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show fewer' : `Show all ${count(rows.length)}`}
        </button>
      )}
    </>
  );
}
