import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseInstant } from '../../src/access/instant.ts';
import { phrases } from '../support/words.ts';

test('a date-time is read with its fraction and its offset', () => {
  assert.equal(parseInstant('2026-04-21T08:38:34Z'), Date.UTC(2026, 3, 21, 8, 38, 34));
  assert.equal(parseInstant('2026-04-21t08:38:34.5z'), Date.UTC(2026, 3, 21, 8, 38, 34, 500));
  assert.equal(parseInstant('2026-04-21T08:38:34.123456+02:30'), Date.UTC(2026, 3, 21, 6, 8, 34, 123));
  assert.equal(parseInstant('2026-12-31T23:00:00-01:00'), Date.UTC(2027, 0, 1));
  assert.equal(parseInstant('2016-12-31T23:59:60Z'), Date.UTC(2017, 0, 1));
  assert.equal(parseInstant('2024-02-29T00:00:00Z'), Date.UTC(2024, 1, 29));
});

test('anything but an RFC 3339 date-time is undefined', () => {
  for (const text of [
    '',
    ...phrases(`
      tomorrow | 2026-04-21 | 2026-04-21T08:38:34 | 2026-04-21 08:38:34Z | 2026-04-21T08:38Z |
      2026-02-30T00:00:00Z | 2025-02-29T00:00:00Z | 2100-02-29T00:00:00Z | 2026-04-31T00:00:00Z |
      2026-13-01T00:00:00Z | 2026-00-01T00:00:00Z | 2026-04-21T24:00:00Z | 2026-04-21T08:60:00Z |
      2026-04-21T08:00:61Z | 2026-04-21T08:00:00.Z | 2026-04-21T08:00:00+24:00 | 2026-04-21T08:00:00+0200
    `),
    '2026-04-21T08:00:00Z\n',
  ]) {
    assert.equal(parseInstant(text), undefined, JSON.stringify(text));
  }
});

test('every instant that the platform prints parses back to the same millisecond', () => {
  const bounds = { min: new Date('0000-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59.999Z') };
  fc.assert(
    fc.property(fc.date({ ...bounds, noInvalidDate: true }), (date) => {
      assert.equal(parseInstant(date.toISOString()), date.getTime());
    }),
  );
});
