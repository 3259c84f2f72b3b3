// The log: JSON lines on stdout. Held back until the line that says where the server listens has been printed,
// so that whoever starts the server reads that first.

import { type Logger, pino } from 'pino';

export interface Log extends Pick<Logger, 'info' | 'warn' | 'error'> {
  /** Writes what was held back, and everything from now on at once. */
  release(): void;
}

export function openLog(write: (line: string) => void = (line) => process.stdout.write(line)): Log {
  let held: string[] | undefined = [];
  const logger = pino(
    { base: null, timestamp: pino.stdTimeFunctions.isoTime },
    {
      write: (line: string) => {
        if (held === undefined) write(line);
        else held.push(line);
      },
    },
  );
  return {
    info: logger.info.bind(logger),
    warn: logger.warn.bind(logger),
    error: logger.error.bind(logger),
    release: () => {
      const lines = held ?? [];
      held = undefined;
      for (const line of lines) write(line);
    },
  };
}
