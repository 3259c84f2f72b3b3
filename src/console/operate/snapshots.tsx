// The folder of snapshots: what is live, what could be, the last file examined, and the files that were
// refused.

import type { OperationsDocument } from '../../dialects/operations/document.ts';
import { RefusedFiles } from '../parts/refused-files.tsx';
import { Table } from '../parts/table.tsx';
import { bytes, moment } from '../parts/words.ts';

const FEW = 8;

export function Snapshots({ snapshots, last_reload, refused, kept }: OperationsDocument) {
  return (
    <>
      <section class="panel">
        <h2>Snapshots in the folder</h2>
        <Table
          label="Snapshots"
          few={FEW}
          rows={snapshots}
          empty="There is no snapshot file that can be served."
          columns={[
            ['File', ({ file }) => file, 'mono when'],
            ['Id', ({ id }) => id, 'mono'],
            ['Built', ({ built_at }) => moment(built_at), 'when'],
            ['Size', (snapshot) => bytes(snapshot.bytes), 'number'],
            [
              'State',
              ({ live, id }) =>
                live ? <strong class="live">Live</strong> : kept.includes(id) ? 'In memory' : '',
            ],
          ]}
        />
      </section>
      <section class="panel">
        <h2>Files examined</h2>
        {last_reload !== null && (
          <p>
            Last: <code>{last_reload.file}</code>, {moment(last_reload.at)}, {last_reload.outcome}
            {last_reload.error !== undefined && `: ${last_reload.error.code}: ${last_reload.error.message}`}
          </p>
        )}
        <RefusedFiles refused={refused} />
      </section>
    </>
  );
}
