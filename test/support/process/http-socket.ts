// One keep-alive connection over a raw socket: a request's bytes in, its reply out, and exactly what went
// wrong if there is none. Stricter than a client needs to be: a reply without a length, or unrequested bytes,
// are failures.

import { connect, type Socket } from 'node:net';

export interface RawReply {
  readonly status: number;
  /** Status line and headers, without the empty line. */
  readonly head: string;
  readonly body: Buffer;
}

/** Splits a stream of bytes into replies. */
export class ReplyParser {
  #held: Buffer = Buffer.alloc(0);

  get hasRest(): boolean {
    return this.#held.length > 0;
  }

  add(chunk: Buffer): void {
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
  }

  /** Undefined until the next reply is complete. Throws if the bytes are not a reply. */
  take(isHead: boolean): RawReply | undefined {
    const headEnd = this.#held.indexOf('\r\n\r\n');
    if (headEnd < 0) return undefined;
    const head = this.#held.toString('latin1', 0, headEnd);
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
    if (Number.isNaN(status)) throw new Error(`no status line: ${JSON.stringify(head.slice(0, 80))}`);
    const length = isHead || status === 304 ? '0' : headerOf(head, 'Content-Length');
    if (length === undefined) throw new Error(`no length: ${JSON.stringify(head)}`);
    const bodyStart = headEnd + 4;
    const end = bodyStart + Number(length);
    if (this.#held.length < end) return undefined;
    const body = this.#held.subarray(bodyStart, end);
    this.#held = this.#held.subarray(end);
    return { status, head, body };
  }
}

export function headerOf(head: string, name: string): string | undefined {
  return new RegExp(`\r\n${name}: *([^\r]*)`, 'i').exec(head)?.[1];
}

interface Waiting {
  readonly isHead: boolean;
  readonly deadlineMs: number;
  readonly resolve: (reply: RawReply) => void;
  readonly reject: (error: Error) => void;
}

export class HttpSocket {
  readonly #socket: Socket;
  readonly #parser = new ReplyParser();
  #waiting: Waiting | undefined;
  #ended: Error | undefined;

  constructor(port: number) {
    this.#socket = connect({ host: '127.0.0.1', port, noDelay: true });
    this.#socket.on('data', (chunk) => this.#take(chunk));
    this.#socket.on('error', (error: NodeJS.ErrnoException) =>
      this.#end(new Error(error.code ?? error.message)),
    );
    this.#socket.on('close', () => this.#end(new Error('closed by the server')));
  }

  get isEnded(): boolean {
    return this.#ended !== undefined;
  }

  /** Requires: no other request is in flight. Rejects with the cause if no reply comes. */
  request(bytes: string, timeoutMs: number): Promise<RawReply> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) {
        reject(this.#ended);
        return;
      }
      const deadlineMs = performance.now() + timeoutMs;
      this.#waiting = { isHead: bytes.startsWith('HEAD '), deadlineMs, resolve, reject };
      this.#socket.write(bytes);
    });
  }

  /** Abandons an overdue request. One call for many sockets is cheaper than a timer per request. */
  sweep(nowMs: number): void {
    if (this.#waiting === undefined || nowMs < this.#waiting.deadlineMs) return;
    this.#end(new Error('no reply in time'));
  }

  close(): void {
    this.#end(new Error('closed by the client'));
  }

  #take(chunk: Buffer): void {
    this.#parser.add(chunk);
    try {
      if (this.#waiting === undefined) throw new Error('unrequested bytes');
      const reply = this.#parser.take(this.#waiting.isHead);
      if (reply === undefined) return;
      const { resolve } = this.#waiting;
      this.#waiting = undefined;
      if (this.#parser.hasRest) throw new Error('bytes after the reply');
      resolve(reply);
    } catch (error) {
      this.#end(error as Error); // only errors are thrown above and by the parser
    }
  }

  #end(error: Error): void {
    if (this.#ended !== undefined) return;
    this.#ended = error;
    this.#socket.destroy();
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }
}
