// A body as it arrives, in one stretch of memory: pieces are joined, since an object for each would cost far
// more than the bytes that a client has to send for it.

/** Handling a piece costs as much as some hundred bytes of it. */
const SMALL_BYTES = 256;
/**
 * Small pieces of one body. Clients send their bodies whole, or in pieces of kilobytes; these many take a
 * worker 4 ms, and 40 such bodies at once less than a request may wait.
 */
const MOST_SMALL_PIECES = 4_096;

export class IncomingBody {
  readonly #maxBytes: number;
  #memory = new Uint8Array(0);
  #length = 0;
  #smallPieces = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Of memory, which is what counts as held. */
  get heldBytes(): number {
    return this.#memory.length;
  }

  fits(piece: Uint8Array): boolean {
    return this.#length + piece.length <= this.#maxBytes;
  }

  /** The memory that adding the piece takes beyond what is held. */
  growthFor(piece: Uint8Array): number {
    const length = this.#length + piece.length;
    if (length <= this.#memory.length) return 0;
    // The first piece is mostly the only one.
    const wanted = this.#length === 0 ? length : Math.min(this.#maxBytes, 2 * length);
    return wanted - this.#memory.length;
  }

  /** Copies the piece, whose memory its owner uses again. False if there were too many small ones. */
  add(piece: Uint8Array): boolean {
    const growth = this.growthFor(piece);
    if (growth > 0) {
      const memory = new Uint8Array(this.#memory.length + growth);
      memory.set(this.#memory.subarray(0, this.#length));
      this.#memory = memory;
    }
    this.#memory.set(piece, this.#length);
    this.#length += piece.length;
    // The end of a body may come as an empty piece.
    if (piece.length > 0 && piece.length < SMALL_BYTES) this.#smallPieces++;
    return this.#smallPieces <= MOST_SMALL_PIECES;
  }

  /** All of it. */
  bytes(): Uint8Array {
    return this.#memory.subarray(0, this.#length);
  }
}
