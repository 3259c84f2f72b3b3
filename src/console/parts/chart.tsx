// A chart: its picture, the figures of the place under the pointer, and all of its numbers as a table. What
// the numbers mean and how they are written is up to the caller.

import { useState } from 'preact/hooks';
import { ChartPicture } from './chart-picture.tsx';
import { type ChartProps, nameAt } from './chart-props.ts';
import { ChartTable } from './chart-table.tsx';
import { lastPlace } from './columns.ts';
import { NOT_MEASURED } from './figures.ts';
import type { TableColumn } from './table.tsx';

export function Chart(props: ChartProps) {
  const { title, axis, series, format } = props;
  const [pointed, setPointed] = useState<number | null>(null);
  const last = lastPlace(series.map(({ values }) => values));
  const shown = pointed === null || pointed > last ? last : pointed;
  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      <ul class="legend" aria-hidden="true">
        {(pointed !== null || axis.kind === 'names') && <li>{nameAt(axis, shown)}</li>}
        {series.map(({ title, colour, values }) => (
          <li key={title}>
            <i class="swatch" style={{ background: `var(${colour})` }} />
            {title} <b>{written(values[shown], format)}</b>
          </li>
        ))}
      </ul>
      <ChartPicture {...props} onPoint={setPointed} />
      <ChartTable
        label={title}
        rows={last + 1}
        columns={[
          [axis.kind === 'time' ? 'Time' : 'Month', (row) => nameAt(axis, row)],
          ...series.map(
            ({ title, values }): TableColumn<number> => [
              title,
              (row) => written(values[row], format),
              'number',
            ],
          ),
        ]}
      />
    </figure>
  );
}

function written(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? NOT_MEASURED : format(value);
}
