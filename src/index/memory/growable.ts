// Typed arrays that grow while they are being filled.

interface Numbers {
  readonly length: number;
  [index: number]: number;
  subarray(start: number, end: number): this;
  set(source: this): void;
}

class Growable<Elements extends Numbers> {
  readonly #make: (length: number) => Elements;
  #elements: Elements;
  #length = 0;

  constructor(make: (length: number) => Elements) {
    this.#make = make;
    this.#elements = make(1024);
  }

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#elements.length) {
      const grown = this.#make(this.#length * 2);
      grown.set(this.#elements);
      this.#elements = grown;
    }
    this.#elements[this.#length++] = value;
  }

  /** Requires: an index below `length`. */
  set(index: number, value: number): void {
    this.#elements[index] = value;
  }

  /** Requires: an index below `length`. */
  at(index: number): number {
    return this.#elements[index];
  }

  /** A view of the pushed values, valid until the next push. */
  view(): Elements {
    return this.#elements.subarray(0, this.#length);
  }
}

export class GrowableU8 extends Growable<Uint8Array> {
  constructor() {
    super((length) => new Uint8Array(length));
  }
}

export class GrowableU32 extends Growable<Uint32Array> {
  constructor() {
    super((length) => new Uint32Array(length));
  }
}

export class GrowableF64 extends Growable<Float64Array> {
  constructor() {
    super((length) => new Float64Array(length));
  }
}
