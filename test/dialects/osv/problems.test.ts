import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grpcCode, renderError } from '../../../src/dialects/osv/problems.ts';
import { STATUSES } from '../../../src/http/replies/reply-headers.ts';

test('every status that refuses has a code of gRPC', () => {
  const codes = Object.fromEntries(
    STATUSES.filter((status) => status >= 400).map((status) => [status, grpcCode(status)]),
  );
  assert.deepEqual(codes, {
    400: 3,
    401: 16,
    403: 7,
    404: 5,
    405: 12,
    409: 10,
    412: 9,
    413: 3,
    415: 3,
    422: 3,
    429: 8,
    500: 13,
    503: 14,
  });
});

test('an error is a code and a message, and nothing else', () => {
  const problem = {
    code: 'x',
    status: 404,
    title: 'T',
    detail: 'a "quoted" detail',
    members: { a: 1 },
  } as const;
  assert.deepEqual(renderError(problem, 'id'), {
    status: 404,
    contentType: 'application/json',
    body: '{"code":5,"message":"a \\"quoted\\" detail"}',
  });
});
