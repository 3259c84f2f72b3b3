import assert from 'node:assert/strict';
import { test } from 'node:test';
import { convertFile } from '../../../src/importers/osv/convert.ts';
import { informationalWord } from '../../../src/importers/osv/informational.ts';

const RECORD = {
  id: 'RUSTSEC-2026-1',
  modified: '2026-01-01T00:00:00Z',
  affected: [
    {
      package: { ecosystem: 'crates.io', name: 'left' },
      ranges: [{ type: 'SEMVER', events: [{ introduced: '0.0.0-0' }] }],
      database_specific: { informational: 'unmaintained' },
    },
  ],
};
const BYTES = Buffer.from(JSON.stringify(RECORD));

test('the first member that says what a record informs about counts', () => {
  assert.equal(informationalWord({}, { informational: null }, { informational: 'notice' }), 'notice');
  assert.equal(informationalWord({ informational: 7 }, {}), undefined);
});

test('a record that is not about a vulnerability is skipped and counted, unless it is asked for', () => {
  assert.deepEqual(convertFile({ file: 'a' }, BYTES), [
    { kind: 'skipped', place: { file: 'a' }, reason: 'informational: unmaintained' },
  ]);
  const [entry] = convertFile({ file: 'a' }, BYTES, { informational: 'include' });
  assert.ok(entry.kind === 'draft');
  assert.deepEqual([entry.draft.record.product.type, entry.draft.record.kind], ['cargo', 'informational']);
});
