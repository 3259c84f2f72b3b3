import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32c } from '../../../src/dialects/osv/crc32c.ts';

// RFC 3720, appendix B.4, and the usual check value.
test('the checksum is that of the standard', () => {
  assert.equal(crc32c(Buffer.from('123456789')), 0xe3069283);
  assert.equal(crc32c(Buffer.alloc(32)), 0x8a9136aa);
  assert.equal(crc32c(Buffer.alloc(32, 0xff)), 0x62a8ab43);
  assert.equal(crc32c(Uint8Array.from({ length: 32 }, (_, i) => i)), 0x46dd794e);
  assert.equal(crc32c(Buffer.alloc(0)), 0);
});
