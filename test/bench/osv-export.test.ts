// The synthetic export that imports are measured with: sound, as long as said, and always the same.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { osvRecords, writeOsvExport } from '../../bench/osv-export.ts';
import { openOsv } from '../../src/importers/osv/osv.ts';
import { temporaryFolder } from '../support/folder.ts';

test('a synthetic export has as many records as asked for, without a reject or a warning', async (t) => {
  const path = join(temporaryFolder(t), 'all.zip');
  writeOsvExport(path, { records: 2000, seed: 1 });
  const counts: Record<string, number> = {};
  for await (const entries of openOsv(path).read(() => {})) {
    for (const entry of entries) {
      const what = entry.kind === 'draft' ? (entry.draft.record.kind ?? '') : entry.kind;
      counts[what] = (counts[what] ?? 0) + 1;
      if (entry.kind === 'draft') assert.deepEqual(entry.warnings, []);
    }
  }
  const { malware, vulnerability, skipped, ...others } = counts;
  assert.equal(malware + vulnerability, 2000);
  assert.ok(malware > 1700 && skipped > 0, JSON.stringify(counts));
  assert.deepEqual(others, {});
});

test('a synthetic export is always the same, with records of about 5 KB', (t) => {
  const [a, b] = [1, 2].map((number) => {
    const path = join(temporaryFolder(t), `${number}.zip`);
    writeOsvExport(path, { records: 300, seed: 7 });
    return readFileSync(path);
  });
  assert.ok(a.equals(b));
  const records = [...osvRecords({ records: 300, seed: 7 })];
  assert.equal(new Set(records.map(({ id }) => id)).size, 300);
  assert.notDeepEqual(records, [...osvRecords({ records: 300, seed: 8 })]);
  const bytes = records.reduce((sum, record) => sum + JSON.stringify(record, null, 2).length, 0) / 300;
  assert.ok(bytes > 4000 && bytes < 6000, `${bytes} bytes each`);
});
