// Numbers as elements of columns of 32 bits: those that need more, such as instants before 1970 or after
// 2038, have a row in a table.

import { FIRST_WIDE } from '../index/columns.ts';
import { GrowableF64 } from '../index/memory/growable.ts';

export class NumberTable {
  readonly #rows = new Map<number, number>();
  readonly #wide = new GrowableF64();

  /** The element for a whole number. */
  elementOf(number: number): number {
    if (number >= 0 && number < FIRST_WIDE) return number;
    let row = this.#rows.get(number);
    if (row === undefined) {
      row = this.#wide.length;
      this.#rows.set(number, row);
      this.#wide.push(number);
    }
    return FIRST_WIDE + row;
  }

  column(): Float64Array {
    return this.#wide.view();
  }
}
