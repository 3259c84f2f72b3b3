// The block of packed rows that a thread has read last, kept open because a page asks for neighbouring rows
// next.

export class OpenBlock<Row> {
  #number = -1;
  #rows: readonly Row[] = [];

  /**
   * The rows of a block; `read` is called unless it is the open one. Requires: the same source since `close`.
   */
  rows(number: number, read: (number: number) => readonly Row[]): readonly Row[] {
    if (number !== this.#number) {
      this.#rows = read(number);
      this.#number = number; // after the read, which may throw
    }
    return this.#rows;
  }

  close(): void {
    this.#number = -1;
    this.#rows = [];
  }
}
