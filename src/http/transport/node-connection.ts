// One connection over Node: what waits behind the request that is being answered, and the answer to a
// malformed one.

import type { Socket } from 'node:net';
import type { ParsedRequest } from './asked.ts';
import { PlainHeads } from './plain-head.ts';

/**
 * Memory of one waiting request, as measured with short heads; the bytes of a long
 * head come on top, 64 KiB at most.
 */
export const WAITING_BYTES = 2 << 10;
// Node parses all that was read at once, up to 64 KiB, before a pause takes effect: some
// 2,400 of the shortest requests.
const PAUSE_AT = 64;
/** What may lie read when a connection is told to read no more: a packet, and one that comes behind it. */
const HELD_BYTES = 128 << 10;

export class Connection {
  readonly socket: Socket;
  readonly heads: PlainHeads;
  isAnswering = false;
  awaitsBody = false;
  /** Requests whose heads were read. */
  requestCount = 0;
  /** Ends the exchange in progress when the connection is gone. */
  abort: (() => void) | undefined;
  /** Pipelined requests behind the current one, in order. */
  readonly #waiting: ParsedRequest[] = [];
  #packets: Readonly<Record<string, (packet: Buffer) => void>> = {};
  #isHolding = false;
  #isPausing = false;
  #refusal: string | undefined;

  constructor(socket: Socket) {
    this.socket = socket;
    this.heads = new PlainHeads(socket);
  }

  /** Memory of all that waits. */
  get waitingBytes(): number {
    return this.#waiting.length * WAITING_BYTES + (this.#isHolding ? HELD_BYTES : 0);
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  get isRefused(): boolean {
    return this.#refusal !== undefined;
  }

  /** Hands over what arrives as it arrives, and closes the connection if nothing does for so long. */
  readPackets(onPacket: (packet: Buffer) => void, idleMs: number): void {
    this.#packets = {
      data: onPacket,
      end: () => this.socket.end(),
      error: () => {}, // `close` comes behind it
      timeout: () => {
        if (!this.isAnswering) this.closeIfIdle();
      },
    };
    for (const [event, listener] of Object.entries(this.#packets)) this.socket.on(event, listener);
    this.socket.setTimeout(idleMs);
  }

  /** Leaves the socket to somebody else. */
  stopPackets(): void {
    for (const [event, listener] of Object.entries(this.#packets)) this.socket.off(event, listener);
    this.socket.setTimeout(0);
  }

  /** Puts a packet back, to be handed over again after `readOn`. */
  holdBack(packet: Buffer): void {
    this.#isHolding = true;
    this.socket.pause();
    this.socket.unshift(packet);
  }

  /** Returns how many bytes no longer wait. */
  readOn(): number {
    if (!this.#isHolding) return 0;
    this.#isHolding = false;
    this.socket.resume();
    return HELD_BYTES;
  }

  /** Adds a request. Stops reading when there are many: the client may send without ever reading a reply. */
  enqueue(asked: ParsedRequest): void {
    this.#waiting.push(asked);
    this.#pauseSoon();
  }

  /** The next request, or undefined. Reads on when the last one is taken. */
  dequeue(): ParsedRequest | undefined {
    const next = this.#waiting.shift();
    this.#pauseSoon();
    if (this.#waiting.length === 0 && this.socket.isPaused() && !this.isRefused) this.socket.resume();
    return next;
  }

  clear(): void {
    this.#waiting.length = 0;
    this.#isHolding = false;
  }

  /** Keeps the answer to a malformed request for `sendRefusal`. Nothing after that request is read. */
  refuse(status: string): void {
    this.#refusal = `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
    this.socket.pause();
  }

  /** Deferred, because Node resumes reading after each request that it has parsed, and after each reply. */
  #pauseSoon(): void {
    if (this.#isPausing || this.#waiting.length < PAUSE_AT) return;
    this.#isPausing = true;
    process.nextTick(() => {
      this.#isPausing = false;
      if (this.#waiting.length > 0) this.socket.pause(); // when it is empty, nothing would resume
    });
  }

  // Node's timers may run before it reads: after a pause of the process, time is up on connections whose
  // clients sent something meanwhile. Immediates run after sockets are read, so these two decide there.

  /**
   * Closes the connection unless something arrived meanwhile; the time limit of
   * a request then applies to that.
   */
  closeIfIdle(): void {
    const { bytesRead } = this.socket;
    setImmediate(() => {
      if (this.socket.bytesRead === bytesRead) this.socket.destroy();
    });
  }

  /** Closes the connection unless the overdue head or body arrived meanwhile. */
  closeIfIncomplete(): void {
    const { requestCount, awaitsBody } = this;
    setImmediate(() => {
      const isComplete = this.requestCount > requestCount || (awaitsBody && !this.awaitsBody);
      if (!isComplete) this.socket.destroy();
    });
  }

  /** Sends the kept answer and closes the connection. */
  sendRefusal(): void {
    this.socket.write(this.#refusal ?? '');
    this.socket.destroySoon();
  }
}
