// The folder of snapshots: what is live, what could be, the last file examined, and the files that were refused.

import { RefusedFiles } from '../parts/refused-files.tsx';
import { bytes, moment } from '../parts/words.ts';
import type { Operations } from './operations.ts';
import { Rows } from './rows.tsx';

export function Snapshots({ snapshots, last_reload, refused, kept }: Operations) {
  return (
    <>
      <section class="panel">
        <h2>Snapshots in the folder</h2>
        <Rows
          label="Snapshots"
          titles={['File', 'Id', 'Built', '#Size', 'State']}
          rows={snapshots}
          empty="There is no snapshot file that could be served."
        >
          {({ file, id, built_at, bytes: size, live }) => (
            <tr key={file}>
              <th scope="row" class="mono">
                {file}
              </th>
              <td class="mono">{id}</td>
              <td class="when">{moment(built_at)}</td>
              <td class="number">{bytes(size)}</td>
              <td>{live ? <span class="live">Live</span> : kept.includes(id) ? 'In memory' : ''}</td>
            </tr>
          )}
        </Rows>
      </section>
      <section class="panel">
        <h2>Files examined</h2>
        {last_reload !== null && (
          <p>
            Last: <code>{last_reload.file}</code>, {moment(last_reload.at)}, {last_reload.outcome}
            {last_reload.error !== undefined && (
              <>
                : <code>{last_reload.error.code}</code> {last_reload.error.message}
              </>
            )}
            .
          </p>
        )}
        <RefusedFiles refused={refused} />
      </section>
    </>
  );
}
