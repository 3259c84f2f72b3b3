// What a command takes away when a signal ends it: files that are half written. The process then dies of that signal,
// so that a shell and a script see what happened.

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

const cleanups: (() => void)[] = [];

/**
 * The result of `work`. A signal in the meantime calls `clean`, last come first, and ends the process; without a
 * signal `clean` is not called. Requires: `work` lets the event loop run now and then, for signals are heard there.
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

/** Takes away what the commands under way would leave behind. Requires: the process ends right after. */
export function cleanUp(): void {
  for (const clean of cleanups.toReversed()) {
    try {
      clean();
    } catch {
      // the others are still to be taken away, and nobody is left to hear of it
    }
  }
}

function end(signal: NodeJS.Signals): void {
  cleanUp();
  for (const each of SIGNALS) process.off(each, end);
  process.kill(process.pid, signal);
}
