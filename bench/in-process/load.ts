// How long a snapshot takes from disk to a servable generation, compared with parsing the same records as
// JSON. The loop keeps its records, as a loader built on it would have to, as long as they fit. Lines become
// strings outside the measured time.

import { megabytes } from '../../src/cli/figures.ts';
import { loadSnapshot } from '../../src/loader/snapshot/load.ts';
import { collectGarbage } from '../../src/serve/thread.ts';
import { type Corpus, feedLines } from '../corpus.ts';
import type { Prepared, Task } from './measure.ts';

const MOST_KEPT = 200_000; // records: about 4 KB of heap each, and V8 has a limit on its heap

/** Garbage of one run is collected before the next begins, so that freeing it counts for neither. */
const held: { result: unknown } = { result: undefined };

export function prepareLoad(corpus: Corpus): Prepared {
  const { advisories, feedBytes, snapshotBytes, snapshotId, snapshotPath } = corpus;
  const task = (name: string, run: Task['run']): Task => ({
    name,
    asks: 'load, per advisory',
    questions: advisories,
    // Async, or else tinybench would call it once more to see whether it is.
    run: async () => {
      held.result = undefined;
      collectGarbage();
      return run();
    },
  });
  const load = task('load the snapshot', () => {
    const startMs = performance.now();
    const { generation } = loadSnapshot(snapshotPath);
    const overriddenDuration = performance.now() - startMs;
    if (generation.id !== snapshotId) throw new Error(`loaded ${generation.id}, not ${snapshotId}`);
    held.result = generation;
    return { overriddenDuration };
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
    return { overriddenDuration: ms };
  });
  const share = ((100 * snapshotBytes) / feedBytes).toFixed(0);
  const sizes = `feed ${megabytes(feedBytes)}, snapshot ${megabytes(snapshotBytes)} (${share} %)`;
  return {
    notes: [`${advisories} advisories, ${sizes}`],
    tasks: [{ ...load, answers: () => [snapshotId] }, parse],
  };
}
