// Sends the body of a reply through Node's http in slices, so that the bytes taken by the kernel are known
// and the rest is held only once, here. The head was written before, on a corked socket.

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { holdBytes } from './held-bytes.ts';

const SLICE_BYTES = 64 << 10;
/** Up to this size a body is handed over as a text, which Node joins with the head: one write, not two. */
const JOINED_BYTES = 4 << 10;
/** Slices of an immutable body that are sent before other events have their turn: 1 MiB. */
const TURN_SLICES = 16;

/**
 * The thread's slice that nobody uses. Most are free again at once, since the kernel takes what is written;
 * a new one for each would be 64 KiB of garbage outside V8's heap, which malloc keeps.
 */
let spare: Buffer | undefined;

export class OutgoingBody {
  readonly #socket: Socket;
  readonly #response: ServerResponse;
  readonly #length: number;
  readonly #isImmutable: boolean;
  #body: Uint8Array;
  /** The offset of `#body` in the whole body. */
  #bodyStart = 0;
  /** Bytes taken by the kernel, and bytes passed to the socket. */
  #taken = 0;
  #handed = 0;
  /** The slice that Node still writes from. */
  #slice: Buffer | undefined;

  /** A body that is not immutable may be overwritten once `push` has returned true or `keep` was called. */
  constructor(socket: Socket, response: ServerResponse, body: Uint8Array, isImmutable: boolean) {
    this.#socket = socket;
    this.#response = response;
    this.#body = body;
    this.#length = body.length;
    this.#isImmutable = isImmutable;
  }

  get takenBytes(): number {
    return this.#taken;
  }

  get restBytes(): number {
    return this.#length - this.#taken;
  }

  /**
   * Sends as much as the socket takes at once. True if that was everything, including the end of the reply.
   */
  push(): boolean {
    let slices = 0;
    do {
      if (this.#isImmutable && slices++ === TURN_SLICES) {
        setImmediate(() => this.#goOn());
        return false;
      }
      this.#handSlice();
      if (this.#response.writableLength > 0) return false;
      this.#sliceIsTaken();
    } while (this.#handed < this.#length);
    return true;
  }

  /**
   * Sends the rest as the client reads, then calls `onDone`; copies it unless it is immutable.
   * Requires: `push` returned false.
   */
  keep(onDone: () => void): void {
    if (!this.#isImmutable) {
      this.#body = holdBytes(this.#body, this.#handed);
      this.#bodyStart = this.#handed;
    }
    this.#response.prependOnceListener('finish', () => {
      this.#taken = this.#length;
      onDone();
    });
  }

  #handSlice(): void {
    const start = this.#handed - this.#bodyStart;
    // A copy: Node keeps what the kernel does not take at once, but the body's buffer is reused by the next
    // reply. It may also be shared memory, from which not every release can write.
    const part = this.#body.subarray(start, start + SLICE_BYTES);
    this.#handed += part.length;
    this.#socket.cork(); // else Node corks until the next tick, and what the kernel took is not known here
    if (this.#length <= JOINED_BYTES) {
      const { buffer, byteOffset, length } = part;
      this.#response.end(Buffer.from(buffer, byteOffset, length).toString('latin1'), 'latin1');
    } else {
      this.#slice = spare ?? Buffer.allocUnsafeSlow(SLICE_BYTES);
      spare = undefined;
      this.#slice.set(part);
      const slice = this.#slice.subarray(0, part.length);
      if (this.#handed === this.#length) this.#response.end(slice);
      else this.#response.write(slice, () => this.#resume());
    }
    while (this.#socket.writableCorked > 0) this.#socket.uncork();
  }

  #sliceIsTaken(): void {
    this.#taken = this.#handed;
    spare = this.#slice ?? spare;
    this.#slice = undefined;
  }

  /**
   * Called when a slice was written, for each slice of one `push`; only the last call finds the socket empty.
   */
  #resume(): void {
    const isBehind = this.#taken < this.#handed && this.#socket.writableLength === 0;
    if (!isBehind || this.#handed === this.#length || this.#socket.destroyed) return;
    this.#sliceIsTaken();
    this.push();
  }

  /** After a turn in which the socket took everything. */
  #goOn(): void {
    if (!this.#socket.destroyed) this.push();
  }
}
