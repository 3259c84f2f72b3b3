import assert from 'node:assert/strict';
import { test } from 'node:test';
import { excerpt, HttpError, shownUrl } from '../../../src/importers/download/http-error.ts';
import { SourceError } from '../../../src/importers/source.ts';

test('a URL is shown without user, password and fragment', () => {
  assert.equal(shownUrl(new URL('https://ada:secret@host.example/a?b=c#d')), 'https://host.example/a?b=c');
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
