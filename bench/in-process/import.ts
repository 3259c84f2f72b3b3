// How long an OSV export takes to become a snapshot, with as many records as the corpus has advisories: the first time,
// and with the registry of ids that this leaves.

import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { counted, megabytes } from '../../src/cli/figures.ts';
import { type Corpus, SEED } from '../corpus.ts';
import { writeOsvExport } from '../osv-export.ts';
import type { LongTask, Prepared } from './measure.ts';
import { inOwnProcess } from './own-process.ts';

export function prepareImport({ feed: { advisories }, snapshots }: Corpus): Prepared {
  const archive = join(snapshots, '..', 'osv.zip');
  const out = join(snapshots, '..', 'imported.vdx');
  const ids = join(snapshots, '..', 'ids.tsv');
  writeOsvExport(archive, { records: advisories, seed: SEED });
  const task = (name: string, prepare: () => void): LongTask => ({
    name,
    asks: 'import an OSV zip, per record',
    questions: advisories,
    runOnce: () => {
      prepare();
      const { ms, peakBytes, snapshotBytes, id } = inOwnProcess('import-once', [archive, out, ids]);
      const speed = counted(Math.round((advisories * 1000) / ms), 'record');
      console.error(
        `${name}: ${(ms / 1000).toFixed(1)} s, ${speed}/s, peak ${megabytes(peakBytes)}, snapshot ${megabytes(snapshotBytes)}, id ${id}`,
      );
      return ms;
    },
  });
  return {
    notes: [`${advisories} records of about 5 KB, archive ${megabytes(statSync(archive).size)}`],
    tasks: [task('first time', () => rmSync(ids, { force: true })), task('ids known', () => {})],
  };
}
