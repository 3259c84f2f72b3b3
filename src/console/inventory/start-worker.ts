// Starts the worker for one text, and ends it when it is done or no longer wanted.

import type { Inventory } from '../../inventory/inventory.ts';
import { Refusal } from '../../inventory/refusal.ts';
import type { Outcome, Task } from './task.ts';

/** Rejects with a Refusal, or when cancelled with the signal's reason. */
export function readInWorker(task: Task, signal: AbortSignal): Promise<Inventory> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(__INVENTORY_WORKER__, import.meta.url), { type: 'module' });
    const end = (act: () => void): void => {
      worker.terminate();
      signal.removeEventListener('abort', cancel);
      act();
    };
    const cancel = (): void => end(() => reject(signal.reason));
    signal.addEventListener('abort', cancel);
    worker.addEventListener('message', ({ data }: MessageEvent<Outcome>) => {
      end(() => (data.kind === 'read' ? resolve(data.inventory) : reject(new Refusal(data.why))));
    });
    worker.addEventListener('error', ({ message }) => {
      const why = message ? `: ${message}` : '. The server may be unreachable: reload the page';
      end(() => reject(new Refusal(`The part of the page that reads inventories failed${why}.`)));
    });
    worker.postMessage(task);
  });
}
