// The body of a reply on its way through Node's http: slice by slice, so that what the client has taken is known and
// what it has not is held once, by us. The head was written before, on a corked socket.

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { holdBytes } from './held-bytes.ts';

const SLICE_BYTES = 64 << 10;

export class OutgoingBody {
  readonly #socket: Socket;
  readonly #response: ServerResponse;
  readonly #length: number;
  #body: Uint8Array;
  /** Where in the whole body `#body` begins. */
  #bodyStart = 0;
  /** Bytes that the kernel has taken, and bytes that were handed to the socket. */
  #taken = 0;
  #handed = 0;

  /** `body` may be overwritten once `push` has returned true, or `keep` was called. */
  constructor(socket: Socket, response: ServerResponse, body: Uint8Array) {
    this.#socket = socket;
    this.#response = response;
    this.#body = body;
    this.#length = body.length;
  }

  get takenBytes(): number {
    return this.#taken;
  }

  get restBytes(): number {
    return this.#length - this.#taken;
  }

  /** Hands over as much as the socket takes at once; whether that was all, with the end of the reply. */
  push(): boolean {
    do {
      this.#handSlice();
      if (this.#socket.writableLength > 0) return false;
      this.#taken = this.#handed;
    } while (this.#handed < this.#length);
    return true;
  }

  /** Keeps what is left and goes on as the client reads; `onDone` hears when all was taken. Requires: `push` was false. */
  keep(onDone: () => void): void {
    this.#body = holdBytes(this.#body, this.#handed);
    this.#bodyStart = this.#handed;
    this.#response.prependOnceListener('finish', () => {
      this.#taken = this.#length;
      onDone();
    });
  }

  #handSlice(): void {
    const start = this.#handed - this.#bodyStart;
    // A copy in memory of its own: Node keeps what the kernel does not take at once, the body's buffer belongs to the
    // next reply, and it may be shared memory, which not every release writes from.
    const slice = Buffer.from(this.#body.subarray(start, start + SLICE_BYTES));
    this.#handed += slice.length;
    this.#socket.cork(); // or Node does, until the next tick, and what the kernel took would not be known here
    if (this.#handed === this.#length) this.#response.end(slice);
    else this.#response.write(slice, () => this.#goOn());
    while (this.#socket.writableCorked > 0) this.#socket.uncork();
  }

  /** Each slice calls when it has left, also those of one `push`: only the last of them finds the socket empty. */
  #goOn(): void {
    const isBehind = this.#taken < this.#handed && this.#socket.writableLength === 0;
    if (!isBehind || this.#handed === this.#length || this.#socket.destroyed) return;
    this.#taken = this.#handed;
    this.push();
  }
}
