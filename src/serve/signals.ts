// The signals of the supervisor, and what else the outside may do to its process.

import type { Log } from './log/log.ts';
import type { WorkerPoolMeans } from './workers/worker-pool.ts';

/** The reader of the output may go away; the server then continues. */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}

/** Node would open the debugger. */
export function refuseDebugger(log: Pick<Log, 'warn'>): void {
  process.on('SIGUSR1', () => log.warn('SIGUSR1 is ignored: it would open the debugger'));
}

/** Resolves at the first stop signal; a second one ends the process at once. */
export function signalled(): Promise<void> {
  const signals = ['SIGTERM', 'SIGINT'] as const;
  return new Promise((resolve) => {
    const stop = (): void => {
      for (const signal of signals) process.off(signal, stop);
      resolve();
    };
    for (const signal of signals) process.on(signal, stop);
  });
}

/** For tests, and only if the environment says so: other limits for the workers, as JSON. */
export function testLimits(): Pick<WorkerPoolMeans, 'hungMs' | 'backOffMs'> {
  const limits = process.env.VULNDEX_TEST_LIMITS;
  return limits === undefined ? {} : JSON.parse(limits); // written by a test
}
