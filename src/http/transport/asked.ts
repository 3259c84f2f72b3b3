// A request over Node and the way back to whoever sent it: by way of Node's http, or straight to the socket
// (plain-request.ts).

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type ReplyHeader, reasonOf } from '../replies/reply-headers.ts';
import type { Reply } from '../replies/responses.ts';
import { NodeRequestView } from './node-request-view.ts';
import type { RequestView } from './request-view.ts';

export interface Asked {
  readonly view: RequestView;
  /** Bytes of the reply that the kernel has not taken yet. */
  readonly writableLength: number;
  /**
   * Begins the reply. `bodyBytes` is undefined for a status that has no body; `isLast` closes the
   * connection behind it.
   */
  begin(reply: Reply, bodyBytes: number | undefined, isLast: boolean): void;
  /** Writes what must go in front of the body into its first slice, and returns how many bytes those are. */
  putHead(slice: Buffer): number;
  /** Sends a slice of the body, not the last one, which stays as it is until `onTaken` is called. */
  write(slice: Buffer, onTaken: () => void): void;
  /** Sends the last slice. */
  end(slice: Buffer): void;
  /** When the whole reply was taken, `done` is called, and before what was to be called until now. */
  onSent(done: () => void): void;
}

/** Up to this size a slice is handed over as a text, which Node joins with the head: one write, not two. */
const JOINED_BYTES = 4 << 10;

/** A request that Node's http has parsed. */
export class ParsedRequest implements Asked {
  readonly view: RequestView;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The client sends the body only after a 100. */
  readonly expectsContinue: boolean;
  readonly #socket: Socket;

  constructor(request: IncomingMessage, response: ServerResponse, expectsContinue: boolean) {
    this.view = new NodeRequestView(request);
    this.request = request;
    this.response = response;
    this.expectsContinue = expectsContinue;
    this.#socket = request.socket;
  }

  get writableLength(): number {
    return this.response.writableLength;
  }

  begin(reply: Reply, bodyBytes: number | undefined, isLast: boolean): void {
    const fields = alternating(reply.headers.fields, reply.ownHeaders.fields);
    // After a request that asks for another protocol, Node reads nothing more.
    if (isLast || this.request.headers.upgrade !== undefined) fields.push('Connection', 'close');
    if (bodyBytes !== undefined) fields.push('Content-Length', String(bodyBytes));
    this.#socket.cork(); // the head is sent with the first slice
    this.response.writeHead(reply.status, reasonOf(reply.status), fields);
  }

  putHead(): number {
    return 0; // Node keeps it
  }

  write(slice: Buffer, onTaken: () => void): void {
    this.#socket.cork(); // else Node corks until the next tick, and what the kernel took is not known here
    this.response.write(slice, onTaken);
    this.#uncork();
  }

  end(slice: Buffer): void {
    this.#socket.cork();
    if (slice.length <= JOINED_BYTES) this.response.end(slice.toString('latin1'), 'latin1');
    else this.response.end(slice);
    this.#uncork();
  }

  onSent(done: () => void): void {
    this.response.prependOnceListener('finish', done);
  }

  #uncork(): void {
    while (this.#socket.writableCorked > 0) this.#socket.uncork();
  }
}

/** Names and values in turn, as Node takes them. For six headers `flat` takes 2 us, this 0.1. */
function alternating(...lists: readonly (readonly ReplyHeader[])[]): string[] {
  const fields: string[] = [];
  for (const list of lists) for (const [name, value] of list) fields.push(name, value);
  return fields;
}
