// How long a snapshot takes from the disk to a generation that can be served, beside what parsing the same feed
// would take. The baseline keeps its records, as a loader built on it would have to; dropping each record at once
// is shown too, as the least that JSON.parse can cost.

import { loadSnapshot } from '../src/loader/load.ts';
import { withCorpus } from './corpus.ts';
import { formatTimings, type Timing, takeTurns } from './timing.ts';

const BASELINE = 'JSON.parse of the feed lines, records kept';

export async function benchLoad(advisories: number, rounds: number): Promise<Timing[]> {
  return withCorpus(advisories, ({ lines, snapshotPath, snapshotBytes, feedBytes }) => {
    const share = ((100 * snapshotBytes) / feedBytes).toFixed(0);
    console.log(
      `load: ${advisories} advisories, feed ${megabytes(feedBytes)}, snapshot ${megabytes(snapshotBytes)} (${share} %)`,
    );
    const timings = takeTurns(
      {
        'load the snapshot': () => loadSnapshot(snapshotPath),
        [BASELINE]: () => lines.map((line) => JSON.parse(line)),
        'JSON.parse of the feed lines, records dropped': () => {
          for (const line of lines) JSON.parse(line);
        },
      },
      rounds,
    );
    for (const line of formatTimings(timings, BASELINE)) console.log(line);
    return timings;
  });
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
