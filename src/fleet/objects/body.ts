// The body of an object: whole within a limit, or ended unread.

import { ObjectError } from './objects.ts';

/** Ends a body that nobody wants. */
export async function end(body: AsyncIterable<Uint8Array>): Promise<void> {
  const chunks = body[Symbol.asyncIterator]();
  await chunks.next().catch(() => {}); // a generator that has not begun would not end its answer
  await chunks.return?.();
}

/** All of a small body. Throws ObjectError if it has more bytes. */
export async function wholeOf(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  what: string,
): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    if (length > maxBytes) {
      throw new ObjectError(`${what}: it has more than ${maxBytes} bytes; check the source`, false);
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
