import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backoffMs, DEFAULT_RETRIES, isPassing, retryAfterMs } from '../../src/download/retry.ts';

const NOW_MS = Date.UTC(2026, 0, 10, 12, 0, 0);

test('only statuses that may pass are tried again', () => {
  const passing = [200, 304, 400, 401, 403, 404, 408, 422, 429, 500, 501, 502, 503, 504].filter(isPassing);
  assert.deepEqual(passing, [408, 429, 500, 502, 503, 504]);
});

test('waits between tries double up to a limit, and are spread by a quarter', () => {
  const full = [1, 2, 3, 4, 5, 6, 7].map((attempt) => backoffMs(DEFAULT_RETRIES, attempt, 0));
  assert.deepEqual(full, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  assert.equal(backoffMs(DEFAULT_RETRIES, 1, 1), 750);
});

test('Retry-After is seconds or an HTTP date', () => {
  assert.equal(retryAfterMs('7', NOW_MS), 7000);
  assert.equal(retryAfterMs(' 0 ', NOW_MS), 0);
  assert.equal(retryAfterMs('Sat, 10 Jan 2026 12:01:30 GMT', NOW_MS), 90_000);
  assert.equal(retryAfterMs('Saturday, 10-Jan-26 12:00:05 GMT', NOW_MS), 5000);
  assert.equal(retryAfterMs('Sat, 10 Jan 2026 11:00:00 GMT', NOW_MS), 0);
});

test('anything else in Retry-After asks for nothing', () => {
  for (const text of [
    undefined,
    '',
    '-5',
    '1.5',
    'soon',
    '2026-01-10',
    '99999999999',
    'Sat, 10 Foo 2026 12:00:00 GMT',
  ]) {
    assert.equal(retryAfterMs(text, NOW_MS), undefined, text);
  }
});
