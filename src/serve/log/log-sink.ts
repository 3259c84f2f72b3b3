// Where log lines leave the process. When the reader is slow or gone, or the disk is full, lines wait up to a
// bound, then are dropped and counted: nothing waits for them. Only the supervisor's thread has a sink;
// workers send it their lines (log-relay.ts).

import { once } from 'node:events';
import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { isatty } from 'node:tty';
import sonic, { type SonicBoom } from 'sonic-boom';

export interface LogSinkOptions {
  /** Without it, standard output. */
  readonly fd?: number;
  /** Of the lines held back until `release`, and again of those that wait to be written. */
  readonly maxQueuedBytes?: number;
  /** Writing works again, after this many lines were dropped. */
  readonly onRecovered?: (dropped: number) => void;
}

const MAX_QUEUED_BYTES = 1 << 20;

export class LogSink {
  readonly #out: SonicBoom;
  readonly #maxQueuedBytes: number;
  /** Lines waiting for `release`; undefined after it. */
  #held: string[] | undefined = [];
  #heldBytes = 0;
  #dropped = 0;
  #reported = 0;
  #isLost = false;

  constructor({ fd, maxQueuedBytes = MAX_QUEUED_BYTES, onRecovered }: LogSinkOptions = {}) {
    this.#maxQueuedBytes = maxQueuedBytes;
    const retryEAGAIN = (): boolean => !this.#isLost; // its timer would keep the process alive
    this.#out = new sonic.SonicBoom({ fd: fd ?? openStdout(), maxLength: maxQueuedBytes, retryEAGAIN });
    this.#out.on('drop', (lines: string) => this.addDropped(countLines(lines)));
    this.#out.on('error', () => {}); // what it could not write it keeps, and tries again with the next line
    this.#out.on('drain', () => {
      const dropped = this.#dropped - this.#reported;
      this.#reported = this.#dropped;
      if (dropped > 0) onRecovered?.(dropped);
    });
  }

  /** Lines dropped since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Takes one or more whole lines; they wait until `release`. */
  readonly write = (lines: string): void => {
    if (this.#held === undefined) {
      this.#out.write(lines);
      return;
    }
    const bytes = Buffer.byteLength(lines);
    if (this.#heldBytes + bytes > this.#maxQueuedBytes) {
      this.#dropped += countLines(lines);
      return;
    }
    this.#held.push(lines);
    this.#heldBytes += bytes;
  };

  /** Takes a line for the person at the terminal: it precedes everything that waits for `release`. */
  print(line: string): void {
    this.#out.write(`${line}\n`);
  }

  /** Writes what was held back; from now on lines are written at once. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const lines of held) this.#out.write(lines);
  }

  /** Counts lines that were dropped on their way here. */
  addDropped(count: number): void {
    this.#dropped += count;
  }

  /** Resolves when everything is written, or after `patienceMs`: what is left or comes later is lost. */
  async close(patienceMs: number): Promise<void> {
    this.release();
    this.#held = [];
    const written = once(this.#out, 'finish', { signal: AbortSignal.timeout(patienceMs) });
    this.#out.end();
    await written.catch(() => {
      this.#isLost = true; // the reader is gone or slow, or the disk is full
    });
  }
}

function countLines(lines: string): number {
  return lines.split('\n').length - 1;
}

/** Standard output, never blocking if it is a pipe, a socket or a terminal. */
function openStdout(): number {
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
