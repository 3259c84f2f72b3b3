// Handles what the thread of the leases says: updates the conditions, and names in the log what happens once.

import type { LeaserState } from '../../fleet/leases/leaser.ts';
import type { Conditions } from '../conditions.ts';
import type { Log } from '../log/log.ts';
import type { FromLimits } from '../messages.ts';
import type { LimitsEvents } from './limits.ts';

interface Listeners {
  readonly conditions: Pick<Conditions, 'begin' | 'end'>;
  readonly log: Pick<Log, 'warn' | 'error'>;
}

/** Quotas follow the engine's clock; but another thing may be wrong with a machine whose clock is. */
const CLOCK_MS = 30_000;
/** A clock that is set right moves in steps. */
const CLOCK_STEP_SECONDS = 10;

export function limitsEvents({ conditions, log }: Listeners): LimitsEvents {
  return {
    onMessage: (message) => hear(message, conditions, log),
    onFailure: (error, backOffMs) => {
      log.error({ err: error, backOffMs }, 'the thread of the quotas died and is being restarted');
      conditions.begin('quotas_local', {
        answered: 'within the part of each quota that was leased before',
        reason: `thread_died: ${error.message}; it is started again, see the log`,
      });
    },
  };
}

function hear(message: FromLimits, conditions: Listeners['conditions'], log: Listeners['log']): void {
  switch (message.kind) {
    case 'state':
      follow(message.state, conditions);
      break;
    case 'state-lost':
      log.warn('the engine of the quotas lost its memory; this replica restates what it saw');
      break;
    case 'keys-lost':
      log.warn(
        { keys: message.count },
        'the engine of the quotas lost keys, as one does that evicts them; what was seen of them is restated',
      );
      break;
    case 'clock-jumped':
      log.warn({ byMs: Math.round(message.byMs) }, 'the clock of the engine of the quotas was set');
      break;
  }
}

function follow(state: LeaserState, conditions: Listeners['conditions']): void {
  const { mode, problem, replicas, clockOffsetMs, evictionPolicy } = state;
  if (mode === 'local' && problem !== undefined) {
    const alone = 'within each whole quota, as no other replica was ever heard of';
    conditions.begin('quotas_local', {
      answered: replicas === 0 ? alone : `within 1/${replicas} of each quota`,
      reason: `${problem.code}: ${problem.message}`,
    });
  } else if (mode === 'fleet') conditions.end('quotas_local');
  if (evictionPolicy !== undefined && evictionPolicy !== 'noeviction') {
    conditions.begin('quotas_evictable', {
      answered: 'within the quotas, until keys are evicted',
      reason: `maxmemory-policy is ${evictionPolicy}; set it to noeviction`,
    });
  } else conditions.end('quotas_evictable');
  if (Math.abs(clockOffsetMs) >= CLOCK_MS) {
    const seconds = Math.round(clockOffsetMs / 1000 / CLOCK_STEP_SECONDS) * CLOCK_STEP_SECONDS;
    conditions.begin('quotas_clock', {
      answered: "within the quotas, by the engine's clock",
      reason: `the engine's clock is about ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} this one`,
    });
  } else conditions.end('quotas_clock');
}
