// Which traces get into the access log, and that every way to an answer brings them there.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Handled } from '../../src/http/handled.ts';
import { NO_OWN_HEADERS, SharedHeaders } from '../../src/http/replies/reply-headers.ts';
import type { Reply } from '../../src/http/replies/responses.ts';
import { Traced, traceparentOf } from '../../src/http/trace-context.ts';
import type { RequestView } from '../../src/http/transport/request-view.ts';
import type { Steps } from '../../src/http/work/steps.ts';
import type { Work } from '../../src/http/work/work-queue.ts';
import { replyOf } from '../support/serving/reply-of.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const VALID = `00-${TRACE}-${PARENT}-01`;
const REPLY: Reply = {
  about: { id: 'mine-1', label: 'exists', keyId: undefined },
  status: 200,
  headers: new SharedHeaders([]),
  ownHeaders: NO_OWN_HEADERS,
  body: '[]',
};
const REFUSAL: Reply = { ...REPLY, status: 429 };
const NO_BODY = new Uint8Array(0);

function requestWith(traceparent: string): RequestView {
  return {
    method: 'GET',
    path: '/',
    query: '',
    address: '',
    header: (name) => (name === 'traceparent' ? traceparent : ''),
    list: () => '',
  };
}

function* steps(): Steps<Reply> {
  yield;
  return REPLY;
}

const WORK: Work = { kind: 'work', caller: 'k_1', steps, refuse: () => REFUSAL, tooLate: () => REFUSAL };

function handledBy(handled: Handled, traceparent = VALID): Handled {
  return new Traced({ handle: () => handled }).handle(requestWith(traceparent));
}

test('a valid trace is taken as it was sent, whatever its flags and version', () => {
  for (const sent of [
    VALID,
    `00-${TRACE}-${PARENT}-00`,
    `01-${TRACE}-${PARENT}-ff`,
    `fe-${TRACE}-${PARENT}-01`,
  ])
    assert.equal(traceparentOf(requestWith(sent)), sent);
});

test('a malformed trace is left out', () => {
  const malformed = [
    '',
    'x',
    TRACE,
    `00-${TRACE}-${PARENT}`,
    `0-${TRACE}-${PARENT}-01`,
    `00-${TRACE.slice(1)}-${PARENT}-01`,
    `00-${TRACE}0-${PARENT}-01`,
    `00-${TRACE}-${PARENT.slice(1)}-01`,
    `00-${TRACE}-${PARENT}-1`,
    `00-${TRACE}-${PARENT}-01-what-comes-later`,
    `00-${TRACE.toUpperCase()}-${PARENT}-01`,
    `00-${TRACE.replace('4', 'g')}-${PARENT}-01`,
    `ff-${TRACE}-${PARENT}-01`,
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    ` ${VALID}`,
    `${VALID}\n`,
    `${VALID},${VALID}`,
  ];
  for (const sent of malformed) assert.equal(traceparentOf(requestWith(sent)), undefined, sent);
});

test('every way to an answer has the trace: at once, by work, by a body, and refused', () => {
  const wanted: Handled = {
    kind: 'body-wanted',
    maxBytes: 1,
    caller: 'k_1',
    work: () => WORK,
    tooLarge: () => REFUSAL,
    overloaded: () => REFUSAL,
  };
  for (const handled of [REPLY, WORK, wanted]) {
    const reply = replyOf(handledBy(handled), NO_BODY);
    assert.deepEqual(reply, { ...REPLY, about: { ...REPLY.about, traceparent: VALID } });
  }
  const [work, body] = [handledBy(WORK), handledBy(wanted)];
  assert.ok('kind' in work && work.kind === 'work');
  assert.ok('kind' in body && body.kind === 'body-wanted');
  const refused = [
    work.refuse(),
    work.tooLate(),
    body.tooLarge(),
    body.overloaded(),
    body.work(NO_BODY).refuse(),
  ];
  for (const { status, about } of refused) assert.deepEqual([status, about.traceparent], [429, VALID]);
});

test('a request without a valid trace is passed through untouched', () => {
  for (const sent of ['', 'x']) assert.equal(handledBy(WORK, sent), WORK);
  const inner = { handle: () => REPLY, bufferBytes: 7, remembers: (path: string) => path === '/a' };
  const traced = new Traced(inner);
  assert.deepEqual([traced.bufferBytes, traced.remembers('/a'), traced.remembers('/b')], [7, true, false]);
});
