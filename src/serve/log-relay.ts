// A worker's way to the log: lines travel to the supervisor in batches, the next when the one before was taken. What is
// logged faster than that is dropped and counted, so that a busy supervisor costs neither memory nor time here.

export interface LogBatch {
  /** Whole lines. */
  readonly lines: string;
  /** Lines that were dropped since the batch before. */
  readonly dropped: number;
}

const MAX_WAITING_CHARS = 256 << 10;

export class LogRelay {
  readonly #post: (batch: LogBatch) => void;
  #waiting = '';
  #dropped = 0;
  #isUnderWay = false;

  constructor(post: (batch: LogBatch) => void) {
    this.#post = post;
  }

  /** Takes one line. The first after a quiet time goes at once. */
  readonly write = (line: string): void => {
    if (!this.#isUnderWay) this.#send(line);
    else if (this.#waiting.length + line.length > MAX_WAITING_CHARS) this.#dropped++;
    else this.#waiting += line;
  };

  /** To be called when the last batch has arrived. */
  taken(): void {
    this.#isUnderWay = false;
    this.flush();
  }

  /** Sends what waits, whether or not the batch before has arrived: for a thread that ends. */
  flush(): void {
    if (this.#waiting !== '' || this.#dropped > 0) this.#send(this.#waiting);
  }

  #send(lines: string): void {
    const batch = { lines, dropped: this.#dropped };
    this.#waiting = '';
    this.#dropped = 0;
    this.#isUnderWay = true;
    this.#post(batch);
  }
}
