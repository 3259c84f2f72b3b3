// A request whose head was read by plain-head.ts, and its reply: one write of head and body to the socket,
// with the same bytes as by way of Node's http, which takes twice as long.

import type { Socket } from 'node:net';
import { putNumber } from '../digits.ts';
import type { Reply } from '../replies/responses.ts';
import type { Asked } from './asked.ts';
import { NodeRequestView } from './node-request-view.ts';
import type { PlainHead } from './plain-head.ts';
import { headOf } from './reply-head.ts';
import type { RequestView } from './request-view.ts';

const PROTOCOL = Buffer.from('HTTP/1.1 ');
const LENGTH = Buffer.from('\r\nContent-Length: ');
const NOTHING = Buffer.alloc(0);
/** Of a character of a text in UTF-8, and of a length. */
const MOST_BYTES = 3;
const MOST_DIGITS = 10;
const SECOND_MS = 1_000;

/** What Node's http adds to a reply: it ends each head. Made anew each second, for the date. */
export class ClosingFields {
  readonly #keepAlive: string;
  #untilMs = 0;
  #open = NOTHING;
  #last = NOTHING;

  constructor(keepAliveMs: number) {
    this.#keepAlive = `keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / SECOND_MS)}`;
  }

  /** `isLast`: the connection is closed behind the reply. Valid until the next second. */
  bytes(isLast: boolean): Uint8Array {
    const nowMs = Date.now();
    if (nowMs >= this.#untilMs || nowMs < this.#untilMs - SECOND_MS) {
      const date = `\r\nDate: ${new Date(nowMs).toUTCString()}\r\nConnection: `;
      this.#open = Buffer.from(`${date}${this.#keepAlive}\r\n\r\n`);
      this.#last = Buffer.from(`${date}close\r\n\r\n`);
      this.#untilMs = nowMs - (nowMs % SECOND_MS) + SECOND_MS;
    }
    return isLast ? this.#last : this.#open;
  }
}

export class PlainRequest implements Asked {
  readonly view: RequestView;
  readonly #socket: Socket;
  readonly #closing: ClosingFields;
  #onSent: () => void;
  #reply: Reply | undefined;
  #bodyBytes: number | undefined;
  #isLast: boolean;

  constructor(head: PlainHead, socket: Socket, closing: ClosingFields, onSent: () => void) {
    this.view = new NodeRequestView(head);
    this.#isLast = head.isLast;
    this.#socket = socket;
    this.#closing = closing;
    this.#onSent = onSent;
  }

  get writableLength(): number {
    return this.#socket.writableLength;
  }

  begin(reply: Reply, bodyBytes: number | undefined, isLast: boolean): void {
    this.#reply = reply;
    this.#bodyBytes = bodyBytes;
    this.#isLast ||= isLast;
  }

  putHead(slice: Buffer): number {
    if (this.#reply === undefined) return 0;
    const head = headOf(this.#reply);
    this.#reply = undefined;
    const closing = this.#closing.bytes(this.#isLast);
    const most = head.length * MOST_BYTES + closing.length + PROTOCOL.length + LENGTH.length + MOST_DIGITS;
    if (most > slice.length) throw new RangeError(`no room for a head of ${head.length} characters`);
    slice.set(PROTOCOL);
    let at = PROTOCOL.length;
    if (typeof head === 'string') at += slice.write(head, at);
    else {
      slice.set(head, at);
      at += head.length;
    }
    if (this.#bodyBytes !== undefined) {
      slice.set(LENGTH, at);
      at = putNumber(slice, at + LENGTH.length, this.#bodyBytes);
    }
    slice.set(closing, at);
    return at + closing.length;
  }

  write(slice: Buffer, onTaken: () => void): void {
    this.#socket.write(slice, onTaken);
  }

  end(slice: Buffer): void {
    this.#socket.write(slice);
    // A write without a callback is cheaper, and nearly every one is taken at once; an empty one behind
    // it tells when it is not.
    if (this.#socket.writableLength === 0) this.#sent();
    else this.#socket.write(NOTHING, () => this.#sent());
  }

  onSent(done: () => void): void {
    const next = this.#onSent;
    this.#onSent = () => {
      done();
      next();
    };
  }

  #sent(): void {
    if (this.#isLast) this.#socket.destroySoon();
    this.#onSent();
  }
}
