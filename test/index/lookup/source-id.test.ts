// Source ids, of which nearly all are made of their alias: whatever a source calls its advisory comes back.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { normaliseAlias } from '../../../src/index/lookup/alias-table.ts';
import {
  copySourceId,
  isEqualSourceId,
  MOST_ADDED_BYTES,
  sourceIdOf,
  spelledFrom,
} from '../../../src/index/lookup/source-id.ts';
import { coreAdvisory, generationOf } from '../../support/snapshots/generation.ts';

/** As databases write them. */
const USUAL = [
  'GHSA-2222-abcd-wxyz',
  'CVE-2026-1234',
  'MAL-2025-17',
  'GO-2024-2687',
  'PYSEC-2021-66',
  'RUSTSEC-2020-0001',
  '0b7a2f3e-4c5d-4e6f-8a9b-0c1d2e3f4a5b',
  'd41d8cd98f00',
];
/** In no usual case, or without what an alias keeps. */
const ODD = [
  'ghsa-2222-abcd-wxyz',
  'GHSA-2222-ABCD-WXYZ',
  'cve-2026-1234',
  '2026-1234',
  'CVE-',
  'CVE-CVE-1',
  'BIT-apache-2020-1',
  '0B7A2F3E-4C5D-4E6F-8A9B-0C1D2E3F4A5B',
  'straße-é-ß',
  '\u{1f600}',
];

test('ids as databases write them need no table', () => {
  for (const id of USUAL.slice(0, -1)) assert.equal(spelledFrom(normaliseAlias(id)), id);
});

test('every id comes back, whatever its case, letters and prefix', (t) => {
  const text = fc.oneof(
    fc.constantFrom(...USUAL, ...ODD),
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.stringMatching(/^(GHSA-|CVE-|ghsa-|cve-|[0-9]{4}-)?[0-9A-Za-z-]{1,40}$/),
  );
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 20 }), (ids) => {
      const advisories = ids.map((sourceId, i) => coreAdvisory(ids.length - i, { sourceId }));
      const { columns } = generationOf(t, advisories).parts;
      const room = new Uint8Array(1024);
      ids.forEach((id, ordinal) => {
        assert.equal(sourceIdOf(columns, ordinal), id);
        const length = copySourceId(columns, ordinal, room);
        assert.equal(Buffer.from(room.subarray(0, length)).toString(), id);
        assert.equal(isEqualSourceId(columns, 0, columns, ordinal), ids[0] === id);
      });
    }),
    { numRuns: 40 },
  );
});

test('an id that has no room is not cut off', (t) => {
  const ids = ['SRC-1', 'src-1', ''];
  const { columns } = generationOf(
    t,
    ids.map((sourceId, i) => coreAdvisory(ids.length - i, { sourceId })),
  ).parts;
  assert.equal(copySourceId(columns, 0, new Uint8Array(5 + MOST_ADDED_BYTES - 1)), undefined);
  assert.equal(copySourceId(columns, 0, new Uint8Array(5 + MOST_ADDED_BYTES)), 5);
  assert.equal(copySourceId(columns, 1, new Uint8Array(4)), undefined);
  assert.equal(copySourceId(columns, 1, new Uint8Array(5)), 5);
  assert.equal(copySourceId(columns, 2, new Uint8Array(0)), 0);
});
