import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readBatch, readLookup, readPage } from '../../../src/importers/mirror/page.ts';

const ORIGIN = { url: new URL('https://a.example/all?cursor='), type: 'text/html', secrets: ['k-1'] };

function body(value: unknown): Buffer {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
}

test('a page has items and the cursor of the next one', () => {
  const items = [{ id: 2 }, { id: 1 }];
  const cursor = { next_cursor: 'abc', has_more: true, per_page: 2 };
  assert.deepEqual(readPage(body({ vulnerabilities: items, cursor }), ORIGIN), { items, next: 'abc' });
  const last = { next_cursor: null, has_more: false, per_page: 2 };
  assert.deepEqual(readPage(body({ vulnerabilities: [], cursor: last }), ORIGIN), {
    items: [],
    next: undefined,
  });
});

test('an answer that is not a page is an error that shows what came, without the key', () => {
  assert.throws(() => readPage(body('<html>k-1</html>'), ORIGIN), {
    code: 'unusable',
    message:
      'https://a.example/all: the answer (text/html) is not JSON; it begins with: <html>[secret]</html>; ' +
      'check that the URL is the base of this API',
  });
  const refused = (value: unknown, message: RegExp): void => {
    assert.throws(() => readPage(body(value), ORIGIN), { code: 'unusable', message });
  };
  refused('', /is not JSON; it is empty/);
  refused([], /is not a page with "vulnerabilities" and "cursor"/);
  refused({ vulnerabilities: [1], cursor: { has_more: false } }, /is not a page/);
  refused({ vulnerabilities: [], pagination: {} }, /is not a page/);
  refused({ vulnerabilities: [], cursor: {} }, /has a cursor without "has_more" and "next_cursor"/);
  refused({ vulnerabilities: [], cursor: { has_more: true, next_cursor: null } }, /has a cursor without/);
  refused(
    { vulnerabilities: [], cursor: { has_more: true, next_cursor: 'a' } },
    /is empty and says that there is more/,
  );
  assert.throws(() => readPage(Buffer.of(0x22, 0xff, 0x22), ORIGIN), { message: /is not JSON/ });
});

test('the ids of lookups come as one list for each product, or none if it has an error', () => {
  const results = [
    { name: 'a', vulnerabilities: [{ id: 1 }, { id: 2 }] },
    { name: 'b', vulnerabilities: [] },
    { name: 'c', error: { code: 'batch_too_large' } },
  ];
  assert.deepEqual(readBatch(body(results), ORIGIN, 3), [[1, 2], [], undefined]);
  assert.throws(() => readBatch(body(results), ORIGIN, 2), { message: /is not a list with 2 results/ });
  assert.throws(() => readBatch(body({}), ORIGIN, 0), { message: /is not a list with 0 results/ });
  assert.deepEqual(readLookup(body({ vulnerabilities: [{ id: 7 }] }), ORIGIN), [7]);
  assert.throws(() => readLookup(body({}), ORIGIN), { message: /is not a lookup/ });
  assert.throws(() => readLookup(body({ vulnerabilities: [{ id: '7' }] }), ORIGIN), {
    message: /has an advisory without a number as its "id"/,
  });
});
