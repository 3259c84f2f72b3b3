import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { TransportError } from '../../../src/http/transport/transports.ts';
import { countWorkers } from '../../../src/serve/workers/worker-count.ts';

test('by default there is one worker per core, but only one if threads cannot share a port', () => {
  assert.equal(countWorkers(undefined, 'uws'), availableParallelism());
  assert.equal(countWorkers(undefined, 'node', true), availableParallelism());
  assert.equal(countWorkers(undefined, 'node', false), 1);
});

test('the requested number of workers is used, or refused if threads cannot share a port', () => {
  assert.equal(countWorkers(3, 'uws'), 3);
  assert.equal(countWorkers(3, 'node', true), 3);
  assert.equal(countWorkers(1, 'node', false), 1);
  assert.throws(
    () => countWorkers(2, 'node', false),
    (error) =>
      error instanceof TransportError && /^--workers is 2, .*: use --workers 1, or/.test(error.message),
  );
});
