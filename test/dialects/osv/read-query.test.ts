import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodePageToken, encodePageToken, FIRST_POSITION } from '../../../src/dialects/osv/read-query.ts';
import { encodeCursor } from '../../../src/dialects/patchstack/page-parameters.ts';

test('a token is unpadded base64url of osv1: and an id', () => {
  assert.equal(Buffer.from(encodePageToken(912034), 'base64url').toString(), 'osv1:912034');
  assert.equal(decodePageToken(encodePageToken(912034)), 912034);
  assert.equal(decodePageToken(encodePageToken(FIRST_POSITION)), FIRST_POSITION);
});

test('cursors of the contract and of the original are foreign', () => {
  assert.equal(decodePageToken(encodeCursor(912034)), undefined);
  assert.equal(decodePageToken('RklSU1RfUEFHRV9UT0tFTg=='), undefined);
});
