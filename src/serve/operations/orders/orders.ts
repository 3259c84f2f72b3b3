// The supervisor's side of orders: whether one makes sense, passing one at a time to the loader's thread, and
// what became of the last.

import type { Order, OrderKind, OrderRefusal } from '../../../http/operations-view.ts';
import type { ListedSnapshot } from '../../../loader/live/hot-swap.ts';
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

/** What orders are checked by. */
export interface OrderableFolder {
  /** The snapshots that can be ordered. */
  readonly listed: readonly Pick<ListedSnapshot, 'file' | 'id'>[];
  readonly liveId: string | undefined;
  readonly isRolledBack: boolean;
}

export interface OrdersOptions {
  /** Undefined before the folder of snapshots was listed. */
  readonly folder: () => OrderableFolder | undefined;
  /** Posts it to the loader's thread. */
  readonly pass: (number: number, order: Order) => void;
  /** The last order has changed. */
  readonly onChanged: () => void;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** How long the outcome is waited for. */
  readonly patienceMs?: number;
  readonly nowMs?: () => number;
}

const LOADER_STUCK: OrderRefusal = {
  code: 'loader_stuck',
  detail: 'The loader does not answer: the storage of the folder of snapshots may have stopped.',
};

/** A large snapshot takes seconds to load. */
const PATIENCE_MS = 10_000;
/** Between two orders. */
const PAUSE_MS = 1_000;

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

  /** Why the order is not taken; undefined if it is under way. */
  take(order: Order): OrderRefusal | undefined {
    const { pass, onChanged, log, nowMs = Date.now } = this.#options;
    const refusal = this.#refusal(order);
    if (refusal !== undefined) return refusal;
    const sinceLastMs = nowMs() - (this.#last?.atMs ?? Number.NEGATIVE_INFINITY);
    // A clock that was set back admits the next order.
    if (sinceLastMs >= 0 && sinceLastMs < PAUSE_MS) {
      const detail = 'At most one order a second is accepted; try again in a second.';
      return { code: 'too_many_orders', detail };
    }
    const file = order.kind === 'roll-back' ? { file: order.file } : {};
    log.info({ order: order.kind, ...file }, 'order is carried out');
    this.#number++;
    this.#last = { kind: order.kind, atMs: nowMs(), outcome: 'pending', detail: '' };
    onChanged();
    pass(this.#number, order);
    return undefined;
  }

  /**
   * The same, but resolves when the order was carried out, with the refusal if it failed; or undefined when
   * it was not within the time: then `last` will say.
   */
  async carriedOut(order: Order): Promise<OrderRefusal | undefined> {
    const refusal = this.take(order);
    if (refusal !== undefined) return refusal;
    const { patienceMs = PATIENCE_MS } = this.#options;
    const known = await new Promise<OrderResult | undefined>((resolve) => {
      const timer = setTimeout(() => resolve(undefined), patienceMs);
      this.#tell = (outcome) => {
        clearTimeout(timer);
        resolve(outcome);
      };
    });
    return known?.outcome === 'failed' ? { code: 'order_failed', detail: known.detail } : undefined;
  }

  #refusal(order: Order): OrderRefusal | undefined {
    const { log } = this.#options;
    if (this.#isStuck) {
      log.warn({ order: order.kind }, 'order is refused: the loader does not answer');
      return LOADER_STUCK;
    }
    if (this.#last?.outcome === 'pending') {
      log.warn({ order: order.kind }, 'order is refused: the previous one is still being carried out');
      const detail = `The order ${this.#last.kind} is still being carried out; try again soon.`;
      return { code: 'too_many_orders', detail };
    }
    const folder = this.#options.folder();
    if (folder === undefined) {
      const detail = 'The folder of snapshots has not been listed yet; try again soon.';
      return { code: 'preparing', detail };
    }
    switch (order.kind) {
      case 'reload':
        return undefined;
      case 'roll-forward': {
        const detail = 'No roll-back is in effect; the newest snapshot is served.';
        return folder.isRolledBack ? undefined : { code: 'not_rolled_back', detail };
      }
      case 'roll-back': {
        const { file } = order;
        const found = folder.listed.find((each) => each.file === file);
        if (found === undefined) {
          const detail = `The folder has no snapshot ${JSON.stringify(file)} that can be served; \`snapshots\` of GET /operations lists those that can.`;
          return { code: 'unknown_file', detail };
        }
        const isLive = found.id === folder.liveId;
        return isLive ? { code: 'already_live', detail: `${file} is the live snapshot.` } : undefined;
      }
    }
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
    this.#tell = undefined;
  }
}
