// The block of packed rows that a thread has read last, kept open because a page asks for neighbouring rows
// next.

export class OpenBlock<Rows> {
  #number = -1;
  #rows: Rows | undefined;

  /**
   * The rows of a block; `read` is called unless it is the open one. Requires: the same source since `close`.
   */
  rows(number: number, read: (number: number) => Rows): Rows {
    if (number === this.#number && this.#rows !== undefined) return this.#rows;
    const rows = read(number); // which may throw
    this.#rows = rows;
    this.#number = number;
    return rows;
  }

  close(): void {
    this.#number = -1;
    this.#rows = undefined;
  }
}
