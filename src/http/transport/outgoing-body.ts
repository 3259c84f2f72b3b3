// Sends the body of a reply over Node in slices, so that the bytes taken by the kernel are known and the rest
// is held only once, here.

import type { Socket } from 'node:net';
import type { Asked } from './asked.ts';
import { holdBytes } from './held-bytes.ts';

/** A page of a listing fits into one: two writes of it take some 10 us more. */
export const SLICE_BYTES = 128 << 10;
const WORD_BYTES = 8;
/** Slices of an immutable body that are sent before other events have their turn: 1 MiB. */
const TURN_SLICES = 8;

/**
 * The thread's slice that nobody uses. Most are free again at once, since the kernel takes what is written;
 * a new one for each would be 128 KiB of garbage outside V8's heap, which malloc keeps.
 */
let spare: Buffer | undefined;

export class OutgoingBody {
  /** Of the whole body. */
  readonly length: number;
  readonly #socket: Socket;
  readonly #asked: Asked;
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
  constructor(socket: Socket, asked: Asked, body: Uint8Array, isImmutable: boolean) {
    this.#socket = socket;
    this.#asked = asked;
    this.#body = body;
    this.length = body.length;
    this.#isImmutable = isImmutable;
  }

  get takenBytes(): number {
    return this.#taken;
  }

  /** What `keep` takes of memory: the slice that is being sent, however little is in it, and a copy. */
  get heldBytes(): number {
    return (this.#slice === undefined ? 0 : SLICE_BYTES) + this.length - this.#handed;
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
      if (this.#asked.writableLength > 0) return false;
      this.#sliceIsTaken();
    } while (this.#handed < this.length);
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
    this.#asked.onSent(() => {
      this.#taken = this.length;
      onDone();
    });
  }

  #handSlice(): void {
    const start = this.#handed - this.#bodyStart;
    // A copy: Node keeps what the kernel does not take at once, but the body's buffer is reused by the next
    // reply. It may also be shared memory, from which not every release can write.
    const slice = spare ?? Buffer.allocUnsafeSlow(SLICE_BYTES);
    spare = undefined;
    this.#slice = slice;
    const headBytes = this.#asked.putHead(slice);
    const part = this.#body.subarray(start, start + SLICE_BYTES - headBytes - WORD_BYTES);
    // As it lies in its words: shared memory is copied by words only between places that are aligned alike.
    const headStart = (part.byteOffset - headBytes) & (WORD_BYTES - 1);
    if (headStart > 0) slice.copyWithin(headStart, 0, headBytes);
    const bodyStart = headStart + headBytes;
    slice.set(part, bodyStart);
    this.#handed += part.length;
    const filled = slice.subarray(headStart, bodyStart + part.length);
    if (this.#handed === this.length) this.#asked.end(filled);
    else this.#asked.write(filled, () => this.#resume());
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
    if (!isBehind || this.#handed === this.length || this.#socket.destroyed) return;
    this.#sliceIsTaken();
    this.push();
  }

  /** After a turn in which the socket took everything. */
  #goOn(): void {
    if (!this.#socket.destroyed) this.push();
  }
}
