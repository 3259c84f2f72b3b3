// Snapshot files that the server refused to load: how many for each reason, and the last of them.

import type { RefusedState } from '../../dialects/operations/document.ts';
import { Table } from './table.tsx';
import { count, moment } from './words.ts';

export function RefusedFiles({ refused: { counts, recent } }: { readonly refused: RefusedState }) {
  const reasons = Object.entries(counts).toSorted((a, b) => b[1] - a[1]);
  if (reasons.length === 0) return <p class="soft">No file was refused since the server started.</p>;
  return (
    <>
      <p>
        Since the server started: {reasons.map(([code, number]) => `${code} ${count(number)}`).join(', ')}.
      </p>
      <Table
        label="Files refused last"
        rows={recent}
        columns={[
          ['When', ({ at }) => moment(at), 'when'],
          ['File', ({ file }) => file, 'mono when'],
          ['Why', ({ code, message }) => `${code}: ${message}`],
        ]}
      />
    </>
  );
}
