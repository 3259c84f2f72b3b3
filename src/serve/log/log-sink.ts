// Where log lines leave the process. When the reader is slow or gone, or the disk is full, lines
// are dropped and counted, never waited for. Only the supervisor's thread has a sink; workers send
// it their lines (log-relay.ts).

import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';

/**
 * Writes what it can of `bytes` from `start` and returns how many bytes that was. Throws as `writeSync` does.
 */
type LogTarget = (bytes: Uint8Array, start: number) => number;

export interface LogSinkOptions {
  readonly target?: LogTarget;
  readonly maxQueuedBytes?: number;
  readonly retryMs?: number;
  /** Writing works again, after this many lines were dropped. */
  readonly onRecovered?: (dropped: number) => void;
}

const MAX_QUEUED_BYTES = 1 << 20;
const RETRY_MS = 50;
const LINE_END = Buffer.from('\n');

export class LogSink {
  readonly #target: LogTarget;
  readonly #maxQueuedBytes: number;
  readonly #retryMs: number;
  readonly #onRecovered: (dropped: number) => void;
  /** Lines waiting for `release`; undefined after it. */
  #held: Buffer[] | undefined = [];
  readonly #queue: Buffer[] = [];
  /** Bytes already written of the queue's first entry. */
  #written = 0;
  /** Of `#queue` and `#held` together. */
  #queuedBytes = 0;
  #endsInsideLine = false;
  #dropped = 0;
  #reported = 0;
  #retry: NodeJS.Timeout | undefined;

  constructor({ target, maxQueuedBytes, retryMs, onRecovered }: LogSinkOptions = {}) {
    this.#target = target ?? openStdout();
    this.#maxQueuedBytes = maxQueuedBytes ?? MAX_QUEUED_BYTES;
    this.#retryMs = retryMs ?? RETRY_MS;
    this.#onRecovered = onRecovered ?? (() => {});
  }

  /** Lines dropped since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Takes one or more whole lines; they wait until `release`. */
  readonly write = (lines: string): void => {
    this.#take(lines, this.#held ?? this.#queue);
  };

  /** Takes a line for the person at the terminal: it precedes everything that waits for `release`. */
  print(line: string): void {
    this.#take(`${line}\n`, this.#queue);
  }

  /** Writes what was held back; from now on lines are written at once. */
  release(): void {
    if (this.#held === undefined) return;
    this.#queue.push(...this.#held);
    this.#held = undefined;
    this.#flush();
  }

  /** Counts lines that were dropped on their way here. */
  addDropped(count: number): void {
    if (count === 0) return;
    this.#dropped += count;
    this.#flush();
  }

  /** Resolves when everything is written, or after `patienceMs`: lines left by then are lost. */
  async close(patienceMs: number): Promise<void> {
    this.release();
    const deadlineMs = performance.now() + patienceMs;
    while (this.#queue.length > 0 && performance.now() < deadlineMs) {
      await new Promise((resolve) => setTimeout(resolve, this.#retryMs));
      this.#flush();
    }
    clearTimeout(this.#retry);
  }

  #take(lines: string, queue: Buffer[]): void {
    const bytes = Buffer.from(lines);
    if (this.#queuedBytes + bytes.length > this.#maxQueuedBytes) {
      this.#dropped += countLines(bytes);
      return;
    }
    queue.push(bytes);
    this.#queuedBytes += bytes.length;
    if (queue === this.#queue && this.#retry === undefined) this.#flush();
  }

  #flush(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    try {
      this.#writeQueue();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') this.#dropQueue();
      else this.#retry = setTimeout(() => this.#flush(), this.#retryMs).unref();
      return;
    }
    if (this.#held !== undefined || this.#dropped === this.#reported) return;
    const dropped = this.#dropped - this.#reported;
    this.#reported = this.#dropped;
    this.#onRecovered(dropped);
  }

  #writeQueue(): void {
    for (let first = this.#queue[0]; first !== undefined; first = this.#queue[0]) {
      if (this.#endsInsideLine) this.#target(LINE_END, 0);
      this.#endsInsideLine = false;
      while (this.#written < first.length) this.#written += this.#target(first, this.#written);
      this.#queue.shift();
      this.#queuedBytes -= first.length;
      this.#written = 0;
    }
  }

  /** The reader has gone, or the disk is full. The next line tries again. */
  #dropQueue(): void {
    this.#endsInsideLine ||= this.#written > 0 && this.#queue[0][this.#written - 1] !== LINE_END[0];
    for (const [place, bytes] of this.#queue.entries()) {
      this.#dropped += countLines(place === 0 ? bytes.subarray(this.#written) : bytes);
      this.#queuedBytes -= bytes.length;
    }
    this.#queue.length = 0;
    this.#written = 0;
  }
}

function countLines(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_END[0]); at >= 0; at = bytes.indexOf(LINE_END[0], at + 1)) count++;
  return count;
}

/** Standard output, never blocking if it is a pipe, a socket or a terminal. */
function openStdout(): LogTarget {
  const fd = openNonBlocking();
  return (bytes, start) => writeSync(fd, bytes, start);
}

function openNonBlocking(): number {
  const stat = fstatSync(1);
  if (stat.isFile()) return 1; // reopened, it would be overwritten from its beginning
  if (stat.isFIFO() || isatty(1)) {
    try {
      // A file description of our own: O_NONBLOCK on the shared one would affect the shell that started us.
      const fd = openSync('/proc/self/fd/1', constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
      if (fstatSync(fd).ino === stat.ino) return fd;
      closeSync(fd);
    } catch {
      // No /proc, or the pipe has no reader.
    }
  }
  void process.stdout; // Node makes pipes and sockets non-blocking when it opens them as a stream
  return 1;
}
