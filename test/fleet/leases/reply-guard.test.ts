import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReplyGuard } from '../../../src/fleet/leases/reply-guard.ts';

/** Takes the text in pieces of so many bytes. */
function take(text: string, replies: number, pieceBytes = text.length): void {
  const guard = new ReplyGuard();
  for (let i = 0; i < replies; i++) guard.expectReply();
  const bytes = Buffer.from(text, 'latin1');
  for (let at = 0; at < bytes.length; at += pieceBytes) guard.take(bytes.subarray(at, at + pieceBytes));
}

test('every kind of answer passes, in pieces of any size', () => {
  const text = '+OK\r\n-ERR no\r\n:-12\r\n$-1\r\n*-1\r\n*0\r\n$0\r\n\r\n*2\r\n*1\r\n$3\r\na\r\n\r\n:4\r\n';
  for (let pieceBytes = 1; pieceBytes <= text.length; pieceBytes++) take(text, 8, pieceBytes);
  assert.throws(() => take(text, 7), /expected no answer before a command/);
});

test('what no question here is answered with is refused', () => {
  for (const [text, pattern] of [
    ['*99999999999999\r\n', /a count of items from -1 to 4096, got "99999999999999"/],
    ['*-2\r\n', /a count of items/],
    ['*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n', /at most 4 arrays in each other/],
    ['$1048577\r\n', /a length in bytes/],
    [':12x\r\n', /an integer/],
    [':9007199254740993\r\n', /an integer/],
    ['+no end\n', /CR LF/],
    ['%1\r\n', /a type/],
    [`+${'x'.repeat(20_000)}`, /a line of at most 16384 bytes/],
    [`*4096\r\n${`$9999\r\n${'x'.repeat(9_999)}\r\n`.repeat(200)}`, /at most 1048576 bytes/],
  ] as const) {
    assert.throws(() => take(text, 1), pattern, text.slice(0, 20));
  }
});
