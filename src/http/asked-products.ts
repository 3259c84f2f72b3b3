// The names of the products that one request asks about, for an access log. Bounded: as many as were asked
// for, and in all no more than a line of the log may have.

/** Of all products of one request together: a line of the log stays below what is buffered for the log. */
const MAX_CHARS = 32 * 1024;

/** What a request asks about, up to a number of products; those beyond are counted. */
export class AskedProducts {
  readonly names: string[] = [];
  leftOut = 0;
  readonly #most: number;
  #chars = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Then a name need not be made: `leaveOut` is enough. */
  get isFull(): boolean {
    return this.names.length >= this.#most;
  }

  /** Requires: a package URL, of ASCII without control characters and quotes. */
  add(name: string): void {
    if (this.isFull || this.#chars + name.length > MAX_CHARS) this.leftOut++;
    else {
      this.names.push(name);
      this.#chars += name.length;
    }
  }

  leaveOut(): void {
    this.leftOut++;
  }
}
