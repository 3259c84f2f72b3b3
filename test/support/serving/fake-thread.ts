// A thread that does nothing, and what was asked of it.

import { EventEmitter } from 'node:events';

export class FakeThread<Data = undefined> extends EventEmitter {
  readonly data: Data;
  /** Messages, and `terminate`. */
  readonly asked: unknown[] = [];
  /** Held by a system call: it can't be ended. */
  isHeld = false;

  constructor(data: Data) {
    super();
    this.data = data;
  }

  postMessage(message: unknown): void {
    this.asked.push(message);
  }

  async terminate(): Promise<number> {
    this.asked.push('terminate');
    if (!this.isHeld) this.emit('exit', 1);
    return 1;
  }
}
