// The body of an object: whole within a limit, or ended unread; and that of one to be sent.

import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { type ObjectContent, ObjectError } from './objects.ts';

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

/** The bytes to send, from the beginning. */
export function openContent(content: ObjectContent): Readable {
  if (content.kind === 'bytes') return Readable.from([content.bytes], { objectMode: false });
  return Readable.from(counted(content), { objectMode: false });
}

async function* counted({ path, onSent }: Extract<ObjectContent, { kind: 'file' }>): AsyncGenerator<Buffer> {
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    yield chunk;
    onSent?.(chunk.length);
  }
}
