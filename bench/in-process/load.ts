// How long a snapshot takes from disk to a servable generation, compared with parsing the same records as
// JSON. The loop keeps its records, as a loader built on it would have to, as long as they fit. Lines become
// strings outside the measured time.

import { megabytes } from '../../src/cli/figures.ts';
import { loadSnapshot } from '../../src/loader/load.ts';
import { collectGarbage } from '../../src/serve/thread.ts';
import { type Corpus, feedLines } from '../corpus.ts';
import type { LongTask, Prepared } from './measure.ts';

const MOST_KEPT = 200_000; // records: about 4 KB of heap each, and V8 has a limit on its heap

/** Garbage of one run is collected before the next begins, so that freeing it counts for neither. */
const held: { result: unknown } = { result: undefined };

export function prepareLoad(corpus: Corpus): Prepared {
  const { advisories, feedBytes, snapshotBytes, snapshotId, snapshotPath } = corpus;
  const task = (name: string, runOnce: LongTask['runOnce']): LongTask => ({
    name,
    asks: 'load, per advisory',
    questions: advisories,
    runOnce: () => {
      held.result = undefined;
      collectGarbage();
      return runOnce();
    },
  });
  const load = task('load the snapshot', () => {
    const startMs = performance.now();
    const { generation } = loadSnapshot(snapshotPath);
    const tookMs = performance.now() - startMs;
    if (generation.id !== snapshotId) throw new Error(`loaded ${generation.id}, not ${snapshotId}`);
    held.result = generation;
    return tookMs;
  });
  const isKept = advisories <= MOST_KEPT;
  const parse = task(`JSON.parse, records ${isKept ? 'kept' : 'dropped'}`, async () => {
    const records: unknown[] = [];
    let ms = 0;
    for await (const lines of feedLines(corpus)) {
      const startMs = performance.now();
      for (const line of lines) {
        const record: unknown = JSON.parse(line);
        if (isKept) records.push(record);
      }
      ms += performance.now() - startMs;
    }
    held.result = records;
    return ms;
  });
  const share = ((100 * snapshotBytes) / feedBytes).toFixed(0);
  const sizes = `feed ${megabytes(feedBytes)}, snapshot ${megabytes(snapshotBytes)} (${share} %)`;
  return {
    notes: [`${advisories} advisories, ${sizes}`],
    tasks: [{ ...load, answers: () => [snapshotId] }, parse],
  };
}
