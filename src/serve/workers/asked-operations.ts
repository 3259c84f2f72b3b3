// What routes see of the process, in a worker: it asks the supervisor, which may hang.

import type { OperationsView, Order, OrderRefusal } from '../../http/operations-view.ts';
import type { OperationsAnswer, OperationsQuestion } from '../messages.ts';

/** For an answer. It takes milliseconds. */
const PATIENCE_MS = 2_000;

const SILENT: OrderRefusal = {
  code: 'overloaded',
  detail: 'The supervisor of this process does not answer; it may follow the order when it does.',
};

export class AskedOperations implements OperationsView {
  readonly #post: (number: number, question: OperationsQuestion) => void;
  readonly #waiting = new Map<number, (answer: OperationsAnswer) => void>();
  #number = 0;

  constructor(post: (number: number, question: OperationsQuestion) => void) {
    this.#post = post;
  }

  now(): Promise<Uint8Array | undefined> {
    return this.#ask({ kind: 'now' }, undefined);
  }

  history(sinceSeconds: number): Promise<string | undefined> {
    return this.#ask({ kind: 'history', sinceSeconds }, undefined);
  }

  order(order: Order): Promise<OrderRefusal | undefined> {
    return this.#ask({ kind: 'order', order }, SILENT);
  }

  /** The supervisor answers the question with this number; too late, nobody waits for it. */
  answered(number: number, answer: OperationsAnswer): void {
    this.#waiting.get(number)?.(answer);
  }

  /** `silence` stands for no answer in time. Requires: the supervisor answers this kind with an Answer. */
  #ask<Answer extends OperationsAnswer>(question: OperationsQuestion, silence: Answer): Promise<Answer> {
    const number = ++this.#number;
    return new Promise((resolve) => {
      const settle = (answer: OperationsAnswer): void => {
        clearTimeout(timer);
        this.#waiting.delete(number);
        resolve(answer as Answer);
      };
      const timer = setTimeout(() => settle(silence), PATIENCE_MS);
      this.#waiting.set(number, settle);
      this.#post(number, question);
    });
  }
}
