// A raw socket for tests where fetch is too well-behaved: it can send half a request, pipeline, and not read.

import { connect, type Socket } from 'node:net';
import type { FolderOwner } from '../folder.ts';
import { until } from '../until.ts';
import { PARTNER_KEY } from './server.ts';

/** The headers of a request with a valid key. */
export const HOST = `Host: vulndex.example\r\nPSKey: ${PARTNER_KEY}\r\n`;

export interface WireReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** A connection that keeps the bytes it received until `reply` takes them. */
export class Wire {
  readonly socket: Socket;
  readonly #chunks: Buffer[] = [];
  /**
   * The length of the reply that is arriving, once known: before that, a large one is not concatenated again
   * and again.
   */
  #wantedBytes = 0;
  #isClosed = false;

  /** Reads from the start, unless `reads` is false. */
  constructor(port: number, { reads = true } = {}) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.on('error', () => {}); // a reset is one way to be closed
    this.socket.on('close', () => {
      this.#isClosed = true;
    });
    if (reads) this.read();
    else this.socket.pause();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get receivedBytes(): number {
    return this.#chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  }

  get receivedText(): string {
    return Buffer.concat(this.#chunks).toString('latin1');
  }

  read(): void {
    this.socket.on('data', (chunk) => this.#chunks.push(chunk));
    this.socket.resume();
  }

  send(text: string): void {
    this.socket.write(text);
  }

  /** Resolves when the kernel has taken it. */
  async sent(text: string): Promise<void> {
    await new Promise<void>((resolve) => this.socket.write(text, () => resolve()));
  }

  get(path: string, headers = ''): void {
    this.send(`GET ${path} HTTP/1.1\r\n${HOST}${headers}\r\n`);
  }

  /** Removes the next reply from the received bytes. Requires: `hasBody` is false after a HEAD. */
  async reply({ hasBody = true } = {}): Promise<WireReply> {
    await until('a reply', () => this.#findEnd(hasBody) !== undefined);
    const received = Buffer.concat(this.#chunks);
    const end = this.#findEnd(hasBody) as number; // until() saw it
    this.#chunks.splice(0, this.#chunks.length, received.subarray(end));
    this.#wantedBytes = 0;
    const headEnd = received.indexOf('\r\n\r\n');
    const [statusLine, ...lines] = received.subarray(0, headEnd).toString().split('\r\n');
    const headers = new Headers(lines.map((line) => line.split(/: ?(.*)/s, 2) as [string, string]));
    return {
      status: Number(statusLine.split(' ')[1]),
      headers,
      body: received.subarray(headEnd + 4, end).toString(),
    };
  }

  /** Waits for so many replies with status 200, and leaves them where they are. */
  async replies(count: number): Promise<void> {
    const arrived = (): number => this.receivedText.split('HTTP/1.1 200 ').length - 1;
    await until(`${count} replies`, () => arrived() >= count);
  }

  /** Resolves when the server closes the connection. */
  async closed(): Promise<void> {
    await until('the connection to be closed', () => this.#isClosed);
  }

  #findEnd(hasBody: boolean): number | undefined {
    if (this.receivedBytes < this.#wantedBytes) return undefined;
    const received = Buffer.concat(this.#chunks);
    const headEnd = received.indexOf('\r\n\r\n');
    if (headEnd < 0) return undefined;
    const head = received.subarray(0, headEnd).toString();
    const length = hasBody ? Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0) : 0;
    this.#wantedBytes = headEnd + 4 + length;
    return received.length >= this.#wantedBytes ? this.#wantedBytes : undefined;
  }
}

/**
 * Requests on another connection, each after the reply to the one before: the server, which is in this
 * process, has then read what had been sent to it before, and has had that many more chances to do what it
 * must not do.
 */
export async function passTurns(other: Wire, count = 1): Promise<void> {
  for (let turn = 0; turn < count; turn++) {
    other.get('/healthz');
    await other.reply();
  }
}

/** Reads chunk by chunk; after each, it pauses for so many turns of the event loop. */
export function readSlowly(wire: Wire, turns: number, take: (chunk: Buffer) => void): void {
  const resumeAfter = (left: number): void => {
    if (left === 0) wire.socket.resume();
    else setImmediate(() => resumeAfter(left - 1));
  };
  wire.socket.on('data', (chunk) => {
    take(chunk);
    if (turns === 0) return;
    wire.socket.pause();
    resumeAfter(turns);
  });
  wire.socket.resume();
}

export function open(owner: FolderOwner, port: number, options?: { reads: boolean }): Wire {
  const wire = new Wire(port, options);
  owner.after(() => wire.socket.destroy());
  return wire;
}
