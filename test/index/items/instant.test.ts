// The core's own calendar, compared with Date.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatInstant, formatLegacyInstant } from '../../../src/index/items/instant.ts';
import { volume } from '../../support/volume.ts';
import { words } from '../../support/words.ts';

const FIRST = Date.parse('0000-01-01T00:00:00Z') / 1000;
const LAST = Date.parse('9999-12-31T23:59:59Z') / 1000;

function assertSameAsDate(epochSeconds: number): void {
  const iso = new Date(epochSeconds * 1000).toISOString();
  assert.equal(formatInstant(epochSeconds), iso.replace('.000Z', '+00:00'));
  assert.equal(formatLegacyInstant(epochSeconds), iso.replace('T', ' ').replace('.000Z', ''));
}

test('any second of the years 0 to 9999 is formatted as by Date', () => {
  fc.assert(fc.property(fc.integer({ min: FIRST, max: LAST }), assertSameAsDate), { numRuns: volume(2_000) });
});

test('the first and last second of every month are right, in leap years and at centuries too', () => {
  for (const year of words('0000 0001 0004 1600 1900 1969 1970 2000 2023 2024 9999')) {
    for (let month = 1; month <= 12; month++) {
      const start = Date.parse(`${year}-${String(month).padStart(2, '0')}-01T00:00:00Z`) / 1000;
      assertSameAsDate(start);
      if (start > FIRST) assertSameAsDate(start - 1);
    }
  }
});

test('an instant is written in UTC with its offset, or in the legacy form', () => {
  const instant = Date.parse('2026-04-21T10:38:34+02:00') / 1000;
  assert.equal(formatInstant(instant), '2026-04-21T08:38:34+00:00');
  assert.equal(formatLegacyInstant(instant), '2026-04-21 08:38:34');
});
