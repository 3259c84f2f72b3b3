// The block of packed rows that a thread has read last, kept open because a page asks for neighbouring rows
// next.

/** The rows of a block, which may be decoded only when they are asked for. An array is one. */
export interface BlockRows<Row> {
  at(row: number): Row | undefined;
}

export class OpenBlock<Row> {
  #number = -1;
  #rows: BlockRows<Row> = [];

  /**
   * A row of a section; `read` is called with the number of its block unless that is the open one. Throws
   * RangeError when the block has fewer rows. Requires: the same source since `close`.
   */
  row(index: number, rowsPerBlock: number, read: (number: number) => BlockRows<Row>): Row {
    const number = Math.floor(index / rowsPerBlock);
    if (number !== this.#number) {
      this.#rows = read(number);
      this.#number = number; // after the read, which may throw
    }
    const row = this.#rows.at(index - number * rowsPerBlock);
    if (row === undefined) throw new RangeError(`block ${number} has no row ${index}`);
    return row;
  }

  close(): void {
    this.#number = -1;
    this.#rows = [];
  }
}
