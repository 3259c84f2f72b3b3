import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureOf, type RequestError } from '../../../src/console/inventory/failure.ts';

test('each kind of error of the page says how asking goes on', () => {
  const error = (kind: RequestError['kind']): RequestError => ({
    kind,
    code: 'code',
    message: 'why',
    retryAfterSeconds: 9,
  });
  assert.deepEqual(failureOf(error('later')), { kind: 'later', seconds: 9, why: 'why' });
  assert.deepEqual(failureOf(error('unreachable')), { kind: 'later', seconds: undefined, why: 'why' });
  assert.deepEqual(failureOf(error('key')), { kind: 'stop', why: 'why' });
  assert.deepEqual(failureOf(error('forbidden')), { kind: 'stop', why: 'why' });
  assert.deepEqual(failureOf(error('refused')), { kind: 'refused', code: 'code', why: 'why' });
});
