// Errors as WordPress clients read them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderErrorObject } from '../../src/dialects/error-object.ts';
import { requestProblem } from '../../src/dialects/request-problems.ts';

test('an error is an object whose error is a sentence, with what is wrong beside it', () => {
  const errors = [{ parameter: 'id', message: 'names 2 vulnerabilities' }];
  const problem = requestProblem('ambiguous_id', 'id: names "two".', { errors, members: { ids: [2, 1] } });
  assert.deepEqual(renderErrorObject(problem, 'r-1'), {
    status: 422,
    contentType: 'application/json',
    body: '{"error":"id: names \\"two\\".","code":"ambiguous_id","request_id":"r-1","errors":[{"parameter":"id","message":"names 2 vulnerabilities"}],"ids":[2,1]}',
  });
  const { body } = renderErrorObject(requestProblem('unknown_vulnerability', 'None.'), 'r-2');
  assert.equal(body, '{"error":"None.","code":"unknown_vulnerability","request_id":"r-2"}');
});
