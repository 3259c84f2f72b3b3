// The shared memory through which the supervisor learns and tells every thread what the process is doing.

import { allocateBoard } from './board.ts';
import { allocateHistory } from './figures/history.ts';
import { allocateOrderGate } from './orders/order-gate.ts';
import { allocateLookups } from './requests/lookup-ring.ts';

export interface OperationsMemory {
  /** See board.ts. */
  readonly board: SharedArrayBuffer;
  /** See history.ts. */
  readonly history: SharedArrayBuffer;
  /** See order-gate.ts. */
  readonly orderGate: SharedArrayBuffer;
  /** See lookup-ring.ts. */
  readonly lookups: SharedArrayBuffer;
}

export function allocateOperations(workerCount: number): OperationsMemory {
  return {
    board: allocateBoard(),
    history: allocateHistory(workerCount),
    orderGate: allocateOrderGate(),
    lookups: allocateLookups(workerCount),
  };
}
