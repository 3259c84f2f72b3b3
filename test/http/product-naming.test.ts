// Which requests are told with their products: those that are answered, by whatever way.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { patchstack } from '../../src/dialects/patchstack/patchstack.ts';
import type { ReadRoute } from '../../src/http/dialect.ts';
import type { Handled } from '../../src/http/handled.ts';
import { ProductNaming } from '../../src/http/product-naming.ts';
import { SharedHeaders } from '../../src/http/replies/reply-headers.ts';
import type { Reply } from '../../src/http/replies/responses.ts';
import type { RequestView } from '../../src/http/request-view.ts';
import type { Steps } from '../../src/http/work/steps.ts';
import type { Work } from '../../src/http/work/work-queue.ts';
import { replyOf } from '../support/serving/reply-of.ts';

const PATH = '/product/npm/lodash/4.17.20';
const NAMES = ['pkg:npm/lodash@4.17.20'];
const BATCH = Buffer.from(JSON.stringify([{ type: 'npm', name: 'lodash', version: '4.17.20' }]));
const REPLY: Reply = {
  about: { id: 'mine-1', label: 'product', keyId: 'k_1' },
  status: 200,
  headers: new SharedHeaders([]),
  ownHeaders: [],
  body: '[]',
};

function requestOf(path: string, method: string, encoding = ''): RequestView {
  const header = (name: string): string => (name === 'content-encoding' ? encoding : '');
  return { method, path, query: '', address: '', header, list: () => '' };
}

function workOf(reply: Reply): Work {
  function* steps(): Steps<Reply> {
    yield;
    return reply;
  }
  return {
    kind: 'work',
    caller: 'k_1',
    steps,
    refuse: () => ({ ...REPLY, status: 429 }),
    tooLate: () => REPLY,
  };
}

function bodyWanted(reply: Reply): Handled {
  return {
    kind: 'body-wanted',
    maxBytes: 1,
    caller: 'k_1',
    overloaded: () => REPLY,
    work: () => workOf(reply),
    tooLarge: () => REPLY,
  };
}

interface Asking {
  readonly path?: string;
  readonly body?: Uint8Array;
  readonly encoding?: string;
  readonly onError?: (error: unknown) => void;
}

function namesOf(handled: Handled, asking: Asking = {}): readonly string[] | undefined {
  const { body, encoding, path = body === undefined ? PATH : '/batch', onError = assert.ifError } = asking;
  const naming = new ProductNaming({ handle: () => handled }, { dialects: [patchstack], most: 9, onError });
  const request = requestOf(path, body === undefined ? 'GET' : 'POST', encoding);
  const reply = replyOf(naming.handle(request), body ?? new Uint8Array(0));
  const { products, ...about } = reply.about;
  assert.deepEqual({ ...reply, about }, 'kind' in handled ? { ...reply, about } : handled);
  return products?.names;
}

test('an answer is told with its products, whether it came at once, by work or by a body', () => {
  assert.deepEqual(namesOf(REPLY), NAMES);
  assert.deepEqual(namesOf(workOf(REPLY)), NAMES);
  assert.deepEqual(namesOf(bodyWanted(REPLY), { body: BATCH }), NAMES);
});

test('what has not changed, or is unknown, was asked about too', () => {
  for (const status of [304, 404] as const) assert.deepEqual(namesOf({ ...REPLY, status }), NAMES);
});

test('a refused request names nothing', () => {
  for (const status of [400, 401, 403, 412, 413, 422, 429, 500, 503] as const) {
    const refusal = { ...REPLY, status };
    assert.equal(namesOf(refusal), undefined, String(status));
    assert.equal(namesOf(bodyWanted(refusal), { body: BATCH }), undefined, String(status));
  }
  const nobody = { ...REPLY, about: { ...REPLY.about, keyId: undefined } };
  assert.equal(namesOf(nobody), undefined);
});

test('paths that are about no product name none, and bodies that cannot be read neither', () => {
  for (const path of ['/all', '/healthz', '/nowhere', '/vulnerability/7']) {
    assert.equal(namesOf(REPLY, { path }), undefined, path);
  }
  for (const body of ['', '[', '{}', '[{}]', '[]']) {
    assert.equal(namesOf(bodyWanted(REPLY), { body: Buffer.from(body) }), undefined, body);
  }
});

test('a route without a limit of decoded bytes reads a body as it came, like its answer', () => {
  const asking = { body: gzipSync(BATCH), encoding: 'gzip' };
  assert.equal(namesOf(bodyWanted(REPLY), asking), undefined);
});

test('a failure is reported, and the request answered', () => {
  const route = patchstack.routes.find(
    (each) => each.kind === 'read' && each.asked !== undefined,
  ) as ReadRoute;
  const asked = (): never => {
    throw new Error('ours');
  };
  const failing = { ...patchstack, routes: [{ ...route, asked }] };
  const told: unknown[] = [];
  const options = { dialects: [failing], most: 9, onError: (error: unknown) => told.push(error) };
  const naming = new ProductNaming({ handle: () => REPLY }, options);
  assert.deepEqual(naming.handle(requestOf(PATH, 'GET')), REPLY);
  assert.equal(told.length, 1);
});

test('what is said of memory and of paths is said by the service', () => {
  const inner = { handle: () => REPLY, bufferBytes: 7, remembers: (path: string) => path === '/a' };
  const naming = new ProductNaming(inner, { dialects: [patchstack], most: 1, onError: assert.ifError });
  assert.deepEqual([naming.bufferBytes, naming.remembers('/a'), naming.remembers('/b')], [7, true, false]);
});
