// A worker's path to the log: lines go to the supervisor in batches, the next one once the
// previous was taken. Lines that come faster are dropped and counted, so that a busy supervisor
// costs neither memory nor time here.

export interface LogBatch {
  /** Whole lines. */
  readonly lines: string;
  /** Lines dropped since the previous batch. */
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

  /** Takes one line. The first after a quiet period is sent at once. */
  readonly write = (line: string): void => {
    if (!this.#isUnderWay) this.#send(line);
    else if (this.#waiting.length + line.length > MAX_WAITING_CHARS) this.#dropped++;
    else this.#waiting += line;
  };

  /** Call when the last batch has arrived. */
  taken(): void {
    this.#isUnderWay = false;
    this.flush();
  }

  /** Sends what is waiting, even if the previous batch has not arrived: for a thread that is ending. */
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
