// What routes see of the process, in any thread: read from shared memory, so that it is answered even when
// the supervisor hangs. Orders are checked here and passed on.

import type { OperationsView, Order, OrderRefusal } from '../../http/operations-view.ts';
import { Board } from './board.ts';
import type { OperationsDocument } from './document.ts';
import { History } from './figures/history.ts';
import type { OperationsMemory } from './memory.ts';
import { checkOrder } from './orders/check-order.ts';
import { OrderGate } from './orders/order-gate.ts';

const TOO_MANY: OrderRefusal = {
  code: 'too_many_orders',
  detail: 'At most one order a second is accepted; try again in a second.',
};

export class OperationsReader implements OperationsView {
  readonly #board: Board;
  readonly #history: History;
  readonly #gate: OrderGate;
  readonly #pass: (order: Order) => void;
  readonly #nowMs: () => number;
  #parsed: { readonly bytes: Uint8Array; readonly document: OperationsDocument } | undefined;

  /** `pass` gets every order that was admitted. */
  constructor(memory: OperationsMemory, pass: (order: Order) => void, nowMs: () => number = Date.now) {
    this.#board = new Board(memory.board);
    this.#history = new History(memory.history);
    this.#gate = new OrderGate(memory.orderGate);
    this.#pass = pass;
    this.#nowMs = nowMs;
  }

  now(): Uint8Array | undefined {
    return this.#board.read();
  }

  history(sinceSeconds: number): string | undefined {
    return this.#history.render(sinceSeconds);
  }

  order(order: Order): OrderRefusal | undefined {
    const refusal = this.admit(order);
    if (refusal === undefined) this.#pass(order);
    return refusal;
  }

  /** Admits an order without passing it on; it counts as one. */
  admit(order: Order): OrderRefusal | undefined {
    const document = this.#document();
    if (document === undefined)
      return {
        code: 'preparing',
        detail: 'The folder of snapshots has not been listed yet; try again soon.',
      };
    const refusal = checkOrder(order, document);
    if (refusal !== undefined) return refusal;
    return this.#gate.admit(this.#nowMs()) ? undefined : TOO_MANY;
  }

  /** Parsed once for as long as it stays the same, which is about a second: it has up to half a megabyte. */
  #document(): OperationsDocument | undefined {
    const bytes = this.#board.read();
    if (bytes === undefined) return undefined;
    if (this.#parsed === undefined || Buffer.compare(bytes, this.#parsed.bytes) !== 0) {
      // Written by document.ts of this process.
      const document = JSON.parse(Buffer.from(bytes).toString()) as OperationsDocument;
      this.#parsed = { bytes, document };
    }
    return this.#parsed.document;
  }
}
