// Problem details that are written in pieces, against the object that they are.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Problem, renderProblem, typeOf } from '../../../src/http/replies/problems.ts';

const KIND = { code: 'not_found', status: 404, title: 'No such path' } as const;
const ERRORS = [{ parameter: 'per_page', message: 'must be from 1 to 100, got "0"' }];

const PROBLEMS: readonly Problem[] = [
  { ...KIND, detail: 'no path /a' },
  { ...KIND, detail: 'a "quoted" \\ text,\nover lines, \u2028 \ud800 grüße' },
  { ...KIND, detail: '', errors: [] },
  { ...KIND, detail: 'another title', title: 'A "title" of its own' },
  { ...KIND, detail: 'another status', status: 422 },
  { ...KIND, detail: 'as before' },
  {
    code: 'invalid_parameter',
    status: 422,
    title: 'Invalid parameter',
    detail: 'per_page: 0',
    errors: ERRORS,
  },
  { ...KIND, detail: 'with members', members: { ids: [1, 2], warning: 'a', absent: undefined } },
  { ...KIND, detail: 'with all', errors: ERRORS, members: { error: { a: null } } },
  { ...KIND, detail: 'with none of them', members: {} },
  { ...KIND, detail: 'with none that is there', members: { absent: undefined } },
];

test('a body written in pieces is the body of the object', () => {
  for (const problem of PROBLEMS) {
    const { code, title, status, detail, errors, members } = problem;
    const before = { type: typeOf(code), title, status, detail, code, request_id: 'an-id' };
    assert.equal(renderProblem(problem, 'an-id'), JSON.stringify({ ...before, errors, ...members }));
  }
});
