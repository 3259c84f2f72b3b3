// The numbers of a chart as a table, for those who cannot see the picture or want to copy it. Filled once it is opened.

import { useState } from 'preact/hooks';
import { ScrollArea } from './scroll-area.tsx';

interface ChartTableProps {
  readonly caption: string;
  /** The title of the first column. */
  readonly first: string;
  readonly titles: readonly string[];
  readonly rows: number;
  readonly name: (row: number) => string;
  readonly cell: (row: number, column: number) => string;
}

export function ChartTable({ caption, first, titles, rows, name, cell }: ChartTableProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        Numbers<span class="hidden"> of {caption}</span>
      </summary>
      {isOpen && (
        <ScrollArea label={`Numbers of ${caption}`}>
          <table>
            <caption class="hidden">{caption}</caption>
            <thead>
              <tr>
                <th scope="col">{first}</th>
                {titles.map((title) => (
                  <th key={title} scope="col" class="number">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {Array.from({ length: rows }, (_, i) => rows - 1 - i).map((row) => (
                <tr key={name(row)}>
                  <th scope="row">{name(row)}</th>
                  {titles.map((title, column) => (
                    <td key={title} class="number">
                      {cell(row, column)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollArea>
      )}
    </details>
  );
}
