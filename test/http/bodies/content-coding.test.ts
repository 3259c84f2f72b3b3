// Request bodies with a content coding: what is decoded, and what is refused before it takes memory.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync, gzipSync } from 'node:zlib';
import { contentCoding, type DecodedBody, decodeBody } from '../../../src/http/bodies/content-coding.ts';
import { words } from '../../support/words.ts';

const ROUTE = { maxDecodedBytes: 1000, tooLarge: 'A thousand bytes at most.' };
const BODY = Buffer.from('{"lodash":["4.17.20"]}');

function outcome(decoded: DecodedBody): string {
  return decoded.kind === 'body'
    ? Buffer.from(decoded.body).toString()
    : `${decoded.problem.status} ${decoded.problem.code}`;
}

test('the header is read in any case, with blanks, and under its old name', () => {
  assert.deepEqual(
    ['', 'identity', ' GZIP ', 'x-gzip', 'deflate', 'br', 'gzip, gzip'].map(contentCoding),
    words('identity identity gzip gzip deflate unknown unknown'),
  );
});

test('gzip and deflate are decoded, and a plain body stays as it is', () => {
  assert.equal(outcome(decodeBody(BODY, 'identity', ROUTE)), BODY.toString());
  assert.equal(outcome(decodeBody(gzipSync(BODY), 'gzip', ROUTE)), BODY.toString());
  assert.equal(outcome(decodeBody(deflateSync(BODY), 'deflate', ROUTE)), BODY.toString());
});

test('a body that decodes to exactly the limit is accepted, one byte more is too large', () => {
  assert.equal(outcome(decodeBody(gzipSync(Buffer.alloc(1000, 'x')), 'gzip', ROUTE)).length, 1000);
  assert.equal(outcome(decodeBody(gzipSync(Buffer.alloc(1001, 'x')), 'gzip', ROUTE)), '413 body_too_large');
});

test('a bomb is refused without being decoded', () => {
  const bomb = gzipSync(Buffer.alloc(64 << 20));
  const before = process.memoryUsage().arrayBuffers;
  assert.equal(outcome(decodeBody(bomb, 'gzip', ROUTE)), '413 body_too_large');
  assert.ok(process.memoryUsage().arrayBuffers - before < 8 << 20);
});

test('a coding that is not known, cut bytes and bytes of another coding are refused', () => {
  assert.equal(outcome(decodeBody(BODY, 'unknown', ROUTE)), '415 unsupported_encoding');
  assert.equal(outcome(decodeBody(gzipSync(BODY).subarray(0, -5), 'gzip', ROUTE)), '400 invalid_encoding');
  assert.equal(outcome(decodeBody(BODY, 'gzip', ROUTE)), '400 invalid_encoding');
});

test('a route that does not decode takes the body as it is', () => {
  assert.equal(outcome(decodeBody(BODY, 'unknown', { tooLarge: '' })), BODY.toString());
});
