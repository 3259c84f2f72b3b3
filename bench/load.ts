// How long a snapshot takes from disk to a servable generation, compared with parsing the same records as JSON.
// The baseline keeps its records, as a loader built on it would have to, as long as they fit; dropping
// each record at once is the least that JSON.parse can cost. Lines become strings outside the measured time.

import { loadSnapshot } from '../src/loader/load.ts';
import { collectGarbage } from '../src/serve/thread.ts';
import { type Corpus, feedLines, megabytes } from './corpus.ts';
import { type LongTask, type Row, takeTurns } from './measure.ts';

const BATCH_LINES = 10_000;
const MOST_KEPT = 200_000; // records: about 4 KB of heap each, and V8 has a limit on its heap

/** Garbage of one run is collected before the next begins, so that freeing it counts for neither. */
const held: { result: unknown } = { result: undefined };

export function benchLoad(corpus: Corpus, rounds: number): { notes: string[]; rows: Row[] } {
  const { advisories, feedBytes, snapshotBytes } = corpus;
  const share = ((100 * snapshotBytes) / feedBytes).toFixed(0);
  const keeps = advisories <= MOST_KEPT;
  const tasks: LongTask[] = [
    {
      name: 'load the snapshot',
      run: () => {
        fresh();
        const startMs = performance.now();
        held.result = loadSnapshot(corpus.snapshotPath);
        return performance.now() - startMs;
      },
      answers: () => [loadSnapshot(corpus.snapshotPath).generation.id],
    },
    ...(keeps
      ? [{ name: 'JSON.parse, records kept', isBaseline: true, run: () => parseAll(corpus, true) }]
      : []),
    { name: 'JSON.parse, records dropped', isBaseline: !keeps, run: () => parseAll(corpus, false) },
  ];
  const rows = takeTurns('load', 'load, per advisory', tasks, rounds, advisories);
  fresh();
  return {
    notes: [
      `${advisories} advisories, feed ${megabytes(feedBytes)}, snapshot ${megabytes(snapshotBytes)} (${share} %)`,
      ...(keeps ? [] : [`records are not kept above ${MOST_KEPT}: they would not fit`]),
      ...rows.map(({ name, medianNs }) => `${name}: ${((medianNs * advisories) / 1e6).toFixed(0)} ms in all`),
    ],
    rows,
  };
}

function fresh(): void {
  held.result = undefined;
  collectGarbage();
}

/** Milliseconds in JSON.parse. */
function parseAll(corpus: Corpus, keep: boolean): number {
  fresh();
  const records: unknown[] = [];
  let ms = 0;
  for (const lines of feedLines(corpus, BATCH_LINES)) {
    const startMs = performance.now();
    for (const line of lines) {
      const record: unknown = JSON.parse(line);
      if (keep) records.push(record);
    }
    ms += performance.now() - startMs;
  }
  held.result = records;
  return ms;
}
