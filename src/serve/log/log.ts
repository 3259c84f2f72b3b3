// The log: JSON lines. Where they go is log-sink.ts in the supervisor and log-relay.ts in a worker.

import { createRequire } from 'node:module';
import type { Logger, pino as openPino } from 'pino';

export type Log = Pick<Logger, 'info' | 'warn' | 'error'>;

const require = createRequire(import.meta.url);

/**
 * `write` gets whole lines and must neither block nor throw. The logger is read with the first line: that
 * takes 25 ms, and a worker has nothing to say at its start.
 */
export function openLog(write: (line: string) => void): Log {
  let logger: Logger | undefined;
  const opened = (): Logger => {
    if (logger === undefined) {
      const { pino } = require('pino') as { readonly pino: typeof openPino }; // its main export by name
      logger = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write });
    }
    return logger;
  };
  const at = (level: keyof Log): Logger[typeof level] => {
    return (...line: unknown[]) => Reflect.apply(opened()[level], opened(), line);
  };
  return { info: at('info'), warn: at('warn'), error: at('error') };
}
