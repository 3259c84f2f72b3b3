// The log: JSON lines. Where they go is log-sink.ts in the supervisor and log-relay.ts in a worker.

import { type Logger, pino } from 'pino';

export type Log = Pick<Logger, 'info' | 'warn' | 'error'>;

/** `write` gets whole lines and must neither block nor throw. */
export function openLog(write: (line: string) => void): Log {
  const logger = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write });
  return {
    info: logger.info.bind(logger),
    warn: logger.warn.bind(logger),
    error: logger.error.bind(logger),
  };
}
