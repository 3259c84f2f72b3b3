// Reaches a worker whose event loop is stuck: through the inspector, which V8 lets in between two steps of
// running code.

import type { EventEmitter } from 'node:events';
import { Session } from 'node:inspector';
import type { Worker } from 'node:worker_threads';

const CLOSE = Symbol.for('vulndex.close');

/**
 * The flags of Node with which a worker can be interrupted. Timers and immediates enter a scope of
 * async_hooks that code which is made to throw in this way never leaves, and where Node would
 * notice it aborts the process: "async hook stack has become corrupted". Nobody needs that stack in
 * a worker that is about to end.
 */
export const INTERRUPTIBLE: readonly string[] = ['--no-force-async-hooks-checks'];

/** In a worker: sets how its sockets are closed when it is interrupted. */
export function closeWhenInterrupted(close: () => void): void {
  Object.defineProperty(globalThis, CLOSE, { value: close });
}

/**
 * Makes the code that a worker is running throw. Its sockets are closed first, by the worker itself: the
 * native addon aborts the process when the handler of a request that is still open ends without a reply.
 */
export function interrupt(thread: Pick<EventEmitter, 'once'> & Pick<Worker, 'threadId'>): void {
  const session = new Session();
  session.connect();
  session.on('NodeWorker.attachedToWorker', ({ params: { sessionId, workerInfo } }) => {
    // Newer releases add the thread's name.
    if (!workerInfo.title.startsWith(`[worker ${thread.threadId}]`)) return;
    const orders = [
      {
        method: 'Runtime.evaluate',
        params: { expression: `globalThis[Symbol.for('${CLOSE.description}')]?.()` },
      },
      { method: 'Runtime.terminateExecution' },
    ];
    for (const [place, order] of orders.entries()) {
      const message = JSON.stringify({ id: place + 1, ...order });
      session.post('NodeWorker.sendMessageToWorker', { sessionId, message });
    }
  });
  session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
  thread.once('exit', () => session.disconnect());
}
