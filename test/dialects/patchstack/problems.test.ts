// The problem list: its shape on the wire and what may never change about it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROBLEM_CODES } from '../../../src/dialects/patchstack/problems.ts';
import { PROBLEMS, requestProblem } from '../../../src/dialects/request-problems.ts';
import { renderProblem, SERVICE_PROBLEMS, typeOf } from '../../../src/http/replies/problems.ts';
import { words } from '../../support/words.ts';

test('a problem without lists has exactly the six common members, in their order', () => {
  assert.equal(
    renderProblem(requestProblem('missing_key', 'Send the key in the PSKey header.'), 'req-1'),
    '{"type":"urn:vulndex:problem:missing-key","title":"API key missing","status":401,' +
      '"detail":"Send the key in the PSKey header.","code":"missing_key","request_id":"req-1"}',
  );
});

test('errors and ids follow the common members', () => {
  const body = renderProblem(
    requestProblem('ambiguous_id', 'Two vulnerabilities have this CVE.', {
      members: { ids: [7, 3] },
      errors: [{ parameter: 'id', message: 'ask by number' }],
    }),
    'req-2',
  );
  assert.deepEqual(
    Object.keys(JSON.parse(body)),
    words('type title status detail code request_id errors ids'),
  );
  assert.deepEqual(JSON.parse(body).ids, [7, 3]);
});

test('text from a client cannot leave its JSON string', () => {
  const detail = 'bad "value"\n\u2028</script>';
  assert.equal(JSON.parse(renderProblem(requestProblem('invalid_parameter', detail), '"')).detail, detail);
});

test('every code is snake_case, an error status, and has a type and a title of its own', () => {
  for (const code of PROBLEM_CODES) {
    assert.match(code, /^[a-z]+(_[a-z]+)*$/);
    assert.match(typeOf(code), /^urn:vulndex:problem:[a-z]+(-[a-z]+)*$/);
    assert.ok(PROBLEMS[code].status >= 400 && PROBLEMS[code].status < 600, code);
  }
  assert.equal(new Set(PROBLEM_CODES.map(typeOf)).size, PROBLEM_CODES.length);
  assert.equal(new Set(PROBLEM_CODES.map((code) => PROBLEMS[code].title)).size, PROBLEM_CODES.length);
});

// Clients branch on these; a difference here is a change of the interface, not of an implementation.
test('the codes and their statuses are the published ones', () => {
  assert.deepEqual(Object.fromEntries(PROBLEM_CODES.map((code) => [code, PROBLEMS[code].status])), {
    not_found: 404,
    unknown_vulnerability: 404,
    method_not_allowed: 405,
    missing_key: 401,
    invalid_key: 401,
    forbidden_endpoint: 403,
    rate_limited: 429,
    unknown_snapshot: 412,
    body_too_large: 413,
    invalid_body: 400,
    invalid_parameter: 422,
    invalid_cursor: 422,
    invalid_batch: 422,
    ambiguous_id: 422,
    no_snapshot: 503,
    preparing: 503,
    draining: 503,
    no_worker: 503,
    snapshot_too_old: 503,
    other_snapshot: 503,
    overloaded: 503,
    internal_error: 500,
  });
});

// No route of this dialect decodes bodies or names its own address.
const OF_OTHER_ROUTES = ['unsupported_encoding', 'invalid_encoding', 'invalid_host'];

test('the list holds every problem of the service that its routes can have, with its status and title', () => {
  for (const [code, { status, title }] of Object.entries(SERVICE_PROBLEMS)) {
    if (OF_OTHER_ROUTES.includes(code)) continue;
    const known = PROBLEM_CODES.find((each) => each === code) ?? assert.fail(code);
    assert.deepEqual([PROBLEMS[known].status, PROBLEMS[known].title], [status, title], code);
  }
});
