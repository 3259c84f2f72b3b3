// Snapshot files that the server refused to load: how many for each reason, and the last of them.

import { ScrollArea } from './scroll-area.tsx';
import { count, moment } from './words.ts';

interface RefusedFilesProps {
  readonly refused: {
    /** By code. */
    readonly counts: Readonly<Record<string, number>>;
    /** The newest first. */
    readonly recent: readonly {
      readonly file: string;
      readonly code: string;
      readonly message: string;
      readonly at: string;
    }[];
  };
}

export function RefusedFiles({ refused: { counts, recent } }: RefusedFilesProps) {
  const reasons = Object.entries(counts).toSorted((a, b) => b[1] - a[1]);
  if (reasons.length === 0) return <p class="soft">No file was refused since the server started.</p>;
  return (
    <>
      <p>
        Since the server started, by reason:{' '}
        {reasons.map(([code, number], i) => (
          <span key={code}>
            {i > 0 && ', '}
            <code>{code}</code> {count(number)}
          </span>
        ))}
        .
      </p>
      <ScrollArea label="Files refused last">
        <table>
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">File</th>
              <th scope="col">Why</th>
            </tr>
          </thead>
          <tbody>
            {recent.map(({ file, code, message, at }) => (
              <tr key={`${file} ${at}`}>
                <td class="when">{moment(at)}</td>
                <td>
                  <code>{file}</code>
                </td>
                <td>
                  <code>{code}</code> {message}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollArea>
    </>
  );
}
