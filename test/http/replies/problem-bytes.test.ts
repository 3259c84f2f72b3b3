// Bodies around an id, against the same bodies rendered whole.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestProblem } from '../../../src/dialects/request-problems.ts';
import { ANY_REQUEST_ID, ProblemBytes } from '../../../src/http/replies/problem-bytes.ts';
import { renderProblem } from '../../../src/http/replies/problems.ts';
import { MadeId, requestIds } from '../../../src/http/request-id.ts';

function textOf(body: string | Uint8Array): string {
  return Buffer.from(body as Uint8Array).toString();
}

test('a body around an id is the body rendered whole: an id that was sent, and made ones of any length', () => {
  const problem = requestProblem('missing_key', 'Say "please", größer als 7 €.');
  const body = new ProblemBytes(renderProblem(problem, ANY_REQUEST_ID));
  const name = new TextEncoder().encode('a-thread-');
  const counts = [1, 9, 10, 99, 100, 7, 4_294_967_295, 12_345, 54_321, 8];
  const ids = ['id-1', requestIds()(), ...counts.map((count) => new MadeId(name, count)), 'another'];
  for (const id of ids) assert.equal(textOf(body.with(id)), renderProblem(problem, String(id)));
});

test('a body that does not name the request is the same for each', () => {
  const body = new ProblemBytes('no');
  for (const id of ['', 'id-1', requestIds()()]) assert.equal(textOf(body.with(id)), 'no');
});
