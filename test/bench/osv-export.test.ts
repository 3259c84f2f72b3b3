// The synthetic export that imports are measured with: sound, in the proportions it claims, and always the
// same.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { osvRecords, writeOsvExport } from '../../bench/osv-export.ts';
import { convertFile } from '../../src/importers/osv/convert.ts';
import { temporaryFolder } from '../support/folder.ts';

test('every record of a synthetic export is converted, without a reject or a warning', () => {
  const counts: Record<string, number> = {};
  for (const record of osvRecords({ records: 2000, seed: 1 })) {
    const place = { file: `${record.id}.json` };
    for (const entry of convertFile(place, Buffer.from(JSON.stringify(record)))) {
      const what = entry.kind === 'draft' ? (entry.draft.record.kind ?? 'vulnerability') : entry.kind;
      counts[what] = (counts[what] ?? 0) + 1;
      if (entry.kind === 'draft') assert.deepEqual(entry.warnings, []);
    }
  }
  const { malware, vulnerability, skipped = 0, ...others } = counts;
  assert.equal(malware + vulnerability, 2000);
  assert.ok(malware > 1900 && vulnerability > 20 && skipped < 10, JSON.stringify(counts));
  assert.deepEqual(others, {});
});

test('nearly all malware is bad at any version, and its summary follows from its name', () => {
  const malware = [...osvRecords({ records: 5000, seed: 3 })].filter(({ id }) => id.startsWith('MAL-'));
  const share = (fits: (record: (typeof malware)[number]) => boolean): number =>
    malware.filter(fits).length / malware.length;
  const isWhole = share(({ affected }) => JSON.stringify(affected).includes('"events":[{"introduced":"0"}]'));
  const isDerived = share(({ summary }) => /^Malicious code in \S+ \(npm\)$/.test(String(summary)));
  assert.ok(isWhole > 0.95 && isWhole < 1, `${isWhole}`);
  assert.ok(isDerived > 0.98 && isDerived < 1, `${isDerived}`);
  assert.ok(malware.length / 5000 > 0.97 && malware.length < 5000);
});

test('a synthetic export is always the same', (t) => {
  const [a, b] = [1, 2].map((number) => {
    const path = join(temporaryFolder(t), `${number}.zip`);
    writeOsvExport(path, { records: 300, seed: 7 });
    return readFileSync(path);
  });
  assert.ok(a.equals(b));
  const records = [...osvRecords({ records: 300, seed: 7 })];
  assert.equal(new Set(records.map(({ id }) => id)).size, 300);
  assert.notDeepEqual(records, [...osvRecords({ records: 300, seed: 8 })]);
});
