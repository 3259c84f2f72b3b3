// The supervisor's side of orders: passes one at a time to the loader's thread, and remembers the
// last one and what became of it.

import type { Order, OrderKind, OrderRefusal } from '../../../http/operations-view.ts';
import type { Log } from '../../log/log.ts';

/** What became of an order, in a sentence. */
export interface OrderResult {
  readonly outcome: 'done' | 'failed';
  readonly detail: string;
}

export interface LastOrder {
  readonly kind: OrderKind;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  readonly outcome: OrderResult['outcome'] | 'pending';
  readonly detail: string;
}

export interface OrdersOptions {
  /** Posts it to the loader's thread. */
  readonly pass: (number: number, order: Order) => void;
  /** The last order has changed. */
  readonly onChanged: () => void;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** How long `take` waits for the outcome. */
  readonly patienceMs?: number;
}

export const LOADER_STUCK: OrderRefusal = {
  code: 'loader_stuck',
  detail: 'The loader does not answer: the storage of the folder of snapshots may have stopped.',
};

/** A large snapshot takes seconds to load. */
const PATIENCE_MS = 10_000;

export class Orders {
  readonly #options: OrdersOptions;
  #number = 0;
  #last: LastOrder | undefined;
  #tell: ((result: OrderResult) => void) | undefined;
  #isStuck = false;

  constructor(options: OrdersOptions) {
    this.#options = options;
  }

  get last(): LastOrder | undefined {
    return this.#last;
  }

  /**
   * Resolves with the refusal if it failed, or undefined when it was carried out, or was not within the time:
   * then `last` will say. At most one is under way; another is refused.
   */
  async take(order: Order): Promise<OrderRefusal | undefined> {
    const { pass, onChanged, log, patienceMs = PATIENCE_MS } = this.#options;
    if (this.#isStuck) {
      log.warn({ order: order.kind }, 'order is refused: the loader does not answer');
      return LOADER_STUCK;
    }
    if (this.#last?.outcome === 'pending') {
      log.warn({ order: order.kind }, 'order is refused: the previous one is still being carried out');
      return { code: 'too_many_orders', detail: 'The previous order is still being carried out.' };
    }
    const file = order.kind === 'roll-back' ? { file: order.file } : {};
    log.info({ order: order.kind, ...file }, 'order is carried out');
    this.#number++;
    this.#last = { kind: order.kind, atMs: Date.now(), outcome: 'pending', detail: '' };
    onChanged();
    const result = new Promise<OrderResult | undefined>((resolve) => {
      const timer = setTimeout(() => resolve(undefined), patienceMs);
      this.#tell = (outcome) => {
        clearTimeout(timer);
        resolve(outcome);
      };
    });
    pass(this.#number, order);
    const known = await result;
    return known?.outcome === 'failed' ? { code: 'order_failed', detail: known.detail } : undefined;
  }

  /**
   * The order with this number was carried out, or not: the last word, also on one that a
   * stuck loader was given up for.
   */
  finished(number: number, result: OrderResult): void {
    if (number === this.#number) this.#settle(result);
  }

  /** The loader died; an order under way may or may not have been followed. */
  lost(): void {
    this.#giveUp('the loader thread died while it carried the order out');
  }

  /**
   * The loader does not answer; an order under way may be followed when it does. Until
   * `resumed`, others are refused.
   */
  stuck(): void {
    this.#isStuck = true;
    this.#giveUp('the loader does not answer; when it does, it follows the order');
  }

  resumed(): void {
    this.#isStuck = false;
  }

  #giveUp(detail: string): void {
    if (this.#last?.outcome === 'pending') this.#settle({ outcome: 'failed', detail });
  }

  #settle({ outcome, detail }: OrderResult): void {
    if (this.#last === undefined) return;
    const { kind } = this.#last;
    this.#last = { ...this.#last, outcome, detail };
    const { onChanged, log } = this.#options;
    if (outcome === 'done') log.info({ order: kind, detail }, 'order was carried out');
    else log.warn({ order: kind, detail }, 'order could not be carried out');
    onChanged();
    this.#tell?.({ outcome, detail });
  }
}
