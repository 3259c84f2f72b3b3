// Sends a large immutable body over uWebSockets in slices, as the client reads. What a call does not pass to
// the kernel is not kept by the addon, so the reply needs no memory of its own.

import type { Exchanges, SharedReply } from './exchanges.ts';

/** What is passed to the socket at once, and how often before other events have their turn. */
export const SLICE_BYTES = 1 << 20;
const TURN_SLICES = 2;

/** The parts of a native response that are used here. */
interface SlicedResponse {
  tryEnd(chunk: Uint8Array, totalSize: number): [boolean, boolean];
  getWriteOffset(): number;
  onAborted(handler: () => void): unknown;
  onWritable(handler: (offset: number) => boolean): unknown;
  cork(write: () => void): unknown;
  close(): unknown;
}

/**
 * Sends what the socket has not taken yet. `onEnd` is told how many bytes of the whole body it took in the
 * end. Requires: the head is written, and the caller is corked.
 */
export function sendDownload(
  res: SlicedResponse,
  body: Uint8Array,
  exchanges: Exchanges,
  onEnd: (takenBytes: number, isWhole: boolean) => void,
): void {
  const sending = new Sending(res, body, () => {
    if (exchanges.forgetDownload(download, body.length)) onEnd(body.length, true);
  });
  const download = exchanges.openDownload(sending);
  res.onAborted(() => {
    sending.stop();
    if (exchanges.forgetDownload(download, body.length)) onEnd(sending.takenBytes, false);
  });
  sending.start();
}

class Sending implements SharedReply {
  takenBytes: number;
  readonly #res: SlicedResponse;
  readonly #body: Uint8Array;
  readonly #onEnd: () => void;
  #isOver = false;

  constructor(res: SlicedResponse, body: Uint8Array, onEnd: () => void) {
    this.#res = res;
    this.#body = body;
    this.#onEnd = onEnd;
    this.takenBytes = res.getWriteOffset();
  }

  start(): void {
    this.#res.onWritable((offset) => {
      this.takenBytes = offset;
      return this.#push();
    });
    this.#push();
  }

  /** The native response is gone. */
  stop(): void {
    this.#isOver = true;
  }

  close(): void {
    this.#res.close();
  }

  /**
   * The addon closes a connection 10 to 12 s after the last attempt to write that failed. A slow reader may
   * need longer to make enough room for the next report.
   */
  retry(): void {
    if (!this.#isOver) this.#res.cork(() => this.#push());
  }

  /** False when the socket took less than it was given. */
  #push(): boolean {
    const { length } = this.#body;
    for (let slice = 0; slice < TURN_SLICES; slice++) {
      const chunk = this.#body.subarray(this.takenBytes, this.takenBytes + SLICE_BYTES);
      const [isTaken, isDone] = this.#res.tryEnd(chunk, length);
      if (isDone) {
        this.#isOver = true;
        this.takenBytes = length;
        this.#onEnd();
        return isTaken;
      }
      this.takenBytes = this.#res.getWriteOffset();
      if (!isTaken) return false;
    }
    setImmediate(() => this.retry()); // after a turn that the socket took whole, it reports nothing
    return true;
  }
}
