// What the engine sends, before the client parses it: an answer that nothing here asked for could exhaust the
// client's memory or stack, or end its thread. Knows the frames of RESP 2 and no meaning.
//
//   +text  -error  :integer  $bytes  *items, each line ended by CR LF; $-1 and *-1 are null

import type { Socket } from 'node:net';

/** INFO has some 10 KiB, the script's answer about 500 keys 30 KiB. */
const MAX_REPLY_BYTES = 1 << 20;
/** The script says three numbers for each of 500 keys, and four more. */
const MAX_ITEMS = 4_096;
/** Arrays in arrays; the script's answer is one. */
const MAX_DEPTH = 4;
const MAX_LINE_BYTES = 16 << 10;
const END_BYTES = 2; // CR LF

/** Not an answer of RESP that fits the questions asked here. */
export class BadReplyError extends Error {
  override readonly name = 'BadReplyError';
}

export class ReplyGuard {
  /** Of each array that is open, the items to come. */
  readonly #open: number[] = [];
  #line = '';
  /** Of a string of bytes, with its end. */
  #skipped = 0;
  /** Of the answer so far. */
  #bytes = 0;
  /** Answers to come. */
  #expected = 0;

  /** Another command is about to be sent. */
  expectReply(): void {
    this.#expected += 1;
  }

  /** Throws BadReplyError, before the first byte that is wrong was passed on. */
  take(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const from = at;
      if (this.#skipped > 0) {
        at += Math.min(this.#skipped, bytes.length - at);
        this.#skipped -= at - from;
        this.#count(at - from);
        if (this.#skipped === 0) this.#endItem();
        continue;
      }
      const end = bytes.indexOf(0x0a, at);
      at = end === -1 ? bytes.length : end + 1;
      this.#count(at - from);
      this.#line += Buffer.from(bytes.subarray(from, at)).toString('latin1');
      if (this.#line.length > MAX_LINE_BYTES) {
        throw new BadReplyError(`expected a line of at most ${MAX_LINE_BYTES} bytes, got a longer one`);
      }
      if (end !== -1) this.#endLine();
    }
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > MAX_REPLY_BYTES) {
      throw new BadReplyError(`expected at most ${MAX_REPLY_BYTES} bytes, got more`);
    }
  }

  #endLine(): void {
    const line = this.#line;
    this.#line = '';
    if (!line.endsWith('\r\n')) throw new BadReplyError('expected a line that ends in CR LF, got one in LF');
    const text = line.slice(1, -END_BYTES);
    switch (line[0]) {
      case '+':
      case '-':
        break;
      case ':':
        lengthOf(text, 'an integer', Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
        break;
      case '$': {
        const length = lengthOf(text, 'a length in bytes', -1, MAX_REPLY_BYTES);
        if (length === -1) break;
        this.#skipped = length + END_BYTES;
        return;
      }
      case '*': {
        const items = lengthOf(text, 'a count of items', -1, MAX_ITEMS);
        if (items < 1) break;
        if (this.#open.length === MAX_DEPTH) {
          throw new BadReplyError(`expected at most ${MAX_DEPTH} arrays in each other, got more`);
        }
        this.#open.push(items);
        return;
      }
      default:
        throw new BadReplyError('expected a type, one of + - : $ *, got another byte');
    }
    this.#endItem();
  }

  #endItem(): void {
    while (this.#open.length > 0) {
      const left = (this.#open.pop() as number) - 1;
      if (left > 0) {
        this.#open.push(left);
        return;
      }
    }
    this.#bytes = 0;
    this.#expected -= 1;
    if (this.#expected < 0) throw new BadReplyError('expected no answer before a command, got one');
  }
}

function lengthOf(text: string, what: string, least: number, most: number): number {
  const number = /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new BadReplyError(
    `expected ${what} from ${least} to ${most}, got ${JSON.stringify(text.slice(0, 40))}`,
  );
}

/** Destroys the socket with a BadReplyError before such an answer reaches a reader. */
export function guardReplies(socket: Socket, guard: ReplyGuard): void {
  const push = socket.push.bind(socket);
  socket.push = (chunk: Uint8Array | null, encoding?: BufferEncoding): boolean => {
    try {
      if (chunk !== null) guard.take(chunk);
    } catch (error) {
      socket.destroy(error as Error);
      return false;
    }
    return push(chunk, encoding);
  };
}
