import assert from 'node:assert/strict';
import { test } from 'node:test';
import { excerpt, HttpError, secretsIn, shownLocation, shownUrl } from '../../src/download/http-error.ts';
import { SourceError } from '../../src/download/source-error.ts';

test('a URL is shown without user, password, query and fragment', () => {
  assert.equal(shownUrl(new URL('https://ada:se@cret@host.example/a@b?c=d#e')), 'https://host.example/a@b');
  assert.equal(shownLocation('http://ada:secret@:99999/?token=k'), 'http://:99999/');
  assert.equal(shownLocation('./is it?#a@b'), './is it?#a@b');
});

test('the values of a query are secrets, as sent and as meant, unless they are short', () => {
  const url = new URL('https://host.example/?token=a%2Fsecret&page=12&X-Amz-Signature=0123456789');
  assert.deepEqual(new Set(secretsIn(url)), new Set(['a%2Fsecret', 'a/secret', '0123456789']));
});

test('an excerpt is one short line without secrets', () => {
  const body = Buffer.from('<html>\n  <p>key k-1\u0007 is\tbad</p> k-1');
  assert.equal(excerpt(body, ['k-1', '']), '<html> <p>key [secret] is bad</p> [secret]');
  assert.equal(excerpt(Buffer.alloc(10_000, 'x'), []), `${'x'.repeat(200)}…`);
  assert.equal(excerpt(Buffer.of(0xff, 0xfe, 0x41), []), 'A');
  assert.equal(excerpt(Buffer.from(''), []), '');
});

test('a failed request is a source that cannot be read', () => {
  const error = new HttpError('status', 'GET x: status 404', 404);
  assert.ok(error instanceof SourceError);
  assert.deepEqual([error.code, error.status, error.name], ['status', 404, 'HttpError']);
});
