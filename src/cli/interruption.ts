// What a command removes when a signal ends it: half-written files. The process then dies of that signal, so
// that a shell or script sees what happened.

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

const cleanups: (() => void)[] = [];

/**
 * The result of `work`. A signal in the meantime calls `clean`, last registered first, and ends the process;
 * without a signal `clean` is not called. Requires: `work` yields to the event loop now and then, where
 * signals are handled.
 */
export async function cleaningUp<Result>(clean: () => void, work: () => Promise<Result>): Promise<Result> {
  if (cleanups.length === 0) for (const signal of SIGNALS) process.on(signal, end);
  cleanups.push(clean);
  try {
    return await work();
  } finally {
    cleanups.splice(cleanups.lastIndexOf(clean), 1);
    if (cleanups.length === 0) for (const signal of SIGNALS) process.off(signal, end);
  }
}

/** Removes what running commands would leave behind. Requires: the process ends right after. */
export function cleanUp(): void {
  for (const clean of cleanups.toReversed()) {
    try {
      clean();
    } catch {
      // the others must still run, and there is nobody left to report it to
    }
  }
}

function end(signal: NodeJS.Signals): void {
  cleanUp();
  for (const each of SIGNALS) process.off(each, end);
  process.kill(process.pid, signal);
}
