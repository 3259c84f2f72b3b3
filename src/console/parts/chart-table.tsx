// The numbers of a chart as a table, for those who cannot see the picture or want to copy it. Filled once it
// is opened.

import { useState } from 'preact/hooks';
import { Table, type TableColumn } from './table.tsx';

interface ChartTableProps {
  readonly label: string;
  /** The places of the chart. */
  readonly rows: number;
  readonly columns: readonly TableColumn<number>[];
}

export function ChartTable({ label, rows, columns }: ChartTableProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        Numbers<span class="hidden"> of {label}</span>
      </summary>
      {isOpen && (
        <Table
          label={`Numbers of ${label}`}
          rows={Array.from({ length: rows }, (_, i) => rows - 1 - i)}
          columns={columns}
        />
      )}
    </details>
  );
}
