// States that need attention, and what clients get meanwhile. A closed list: each condition is one log line
// when it begins and one when it ends, an entry at /status while it lasts, and a metric that is 0 or 1.

import type { Log } from './log/log.ts';

interface Wording {
  readonly level: 'warn' | 'error';
  readonly begins: string;
  readonly ends: string;
}

const CONDITIONS = {
  snapshot_folder_unreadable: {
    level: 'error',
    begins: 'snapshot folder cannot be read',
    ends: 'snapshot folder is readable again',
  },
  snapshot_folder_empty: {
    level: 'warn',
    begins: 'snapshot folder has no snapshot',
    ends: 'snapshot folder is no longer empty',
  },
  snapshot_too_old: {
    level: 'error',
    begins: 'snapshot is too old',
    ends: 'snapshot is no longer too old',
  },
  snapshot_faulty: {
    level: 'error',
    begins: 'the live snapshot has a fault, and no other can take its place',
    ends: 'a snapshot was loaded after the faulty one',
  },
  snapshot_guarded: {
    level: 'error',
    begins: 'the newest snapshot is refused by a guard; what is live stays live',
    ends: 'no newer snapshot is refused by a guard any more',
  },
  rolled_back: {
    level: 'warn',
    begins: 'rolled back to an older snapshot',
    ends: 'roll-back is over',
  },
  rollback_not_followed: {
    level: 'error',
    begins: 'roll-back cannot be followed',
    ends: 'roll-back is no longer waiting',
  },
  source_unreachable: {
    level: 'warn',
    begins: 'the source of snapshots does not answer as it should; what is live stays live',
    ends: 'the source of snapshots answers again',
  },
  source_refused: {
    level: 'error',
    begins: 'what the source of snapshots offers is refused; what is live stays live',
    ends: 'what the source of snapshots offers is followed again',
  },
  source_not_stored: {
    level: 'error',
    begins: 'what the source of snapshots offers cannot be stored here; what is live stays live',
    ends: 'what the source of snapshots offers can be stored again',
  },
  clock_off: {
    level: 'warn',
    begins: 'this clock differs from that of the source; snapshots go live by this one',
    ends: 'this clock agrees with that of the source again',
  },
  loader_stuck: {
    level: 'error',
    begins: 'the loader does not answer: no snapshot is loaded and no order followed until it does',
    ends: 'the loader answers again',
  },
  preparation_failed: {
    level: 'error',
    begins: 'files or changes cannot be prepared from the live snapshot',
    ends: 'everything is prepared from the live snapshot',
  },
  keys_file_refused: {
    level: 'error',
    begins: 'keys file refused; the previous keys stay active',
    ends: 'keys file is valid again',
  },
  quotas_local: {
    level: 'error',
    begins: 'the engine of the quotas cannot be used; each replica has its local share of every quota',
    ends: 'quotas are leased from the engine again',
  },
  quotas_evictable: {
    level: 'warn',
    begins: 'the engine of the quotas may evict keys, and with them what was used of a quota',
    ends: 'the engine of the quotas evicts nothing any more',
  },
  quotas_clock: {
    level: 'warn',
    begins: 'the clock of the engine of the quotas and of this machine differ',
    ends: 'the clocks of the engine of the quotas and of this machine agree again',
  },
} as const satisfies Readonly<Record<string, Wording>>;

type ConditionName = keyof typeof CONDITIONS;
// Exactly the literal's keys.
export const CONDITION_NAMES = Object.keys(CONDITIONS) as readonly ConditionName[];

export interface ConditionState {
  readonly name: ConditionName;
  readonly sinceMs: number;
  /** What clients get while it lasts. */
  readonly answered: string;
  /** Shown at /status, so without paths and without any part of a key. */
  readonly reason: string | undefined;
}

interface Beginning {
  readonly answered: string;
  readonly reason?: string | undefined;
  /** For the log line only. */
  readonly members?: Readonly<Record<string, unknown>>;
}

export class Conditions {
  readonly #log: Pick<Log, 'info' | 'warn' | 'error'>;
  readonly #nowMs: () => number;
  readonly #active = new Map<ConditionName, ConditionState & { readonly fingerprint: string }>();

  constructor(log: Pick<Log, 'info' | 'warn' | 'error'>, nowMs: () => number = Date.now) {
    this.#log = log;
    this.#nowMs = nowMs;
  }

  /** In the order of CONDITIONS. */
  get active(): readonly ConditionState[] {
    return CONDITION_NAMES.flatMap((name) => this.#active.get(name) ?? []);
  }

  /** Logs when the condition begins, and again when its details change. */
  begin(name: ConditionName, { answered, reason, members }: Beginning): void {
    const before = this.#active.get(name);
    const fingerprint = JSON.stringify([answered, reason, Object.values(members ?? {}).map(String)]);
    if (before?.fingerprint === fingerprint) return;
    this.#active.set(name, {
      name,
      sinceMs: before?.sinceMs ?? this.#nowMs(),
      answered,
      reason,
      fingerprint,
    });
    const { level, begins } = CONDITIONS[name];
    const about = reason === undefined ? {} : { reason };
    this.#log[level]({ condition: name, answered, ...about, ...members }, begins);
  }

  end(name: ConditionName, members: Readonly<Record<string, unknown>> = {}): void {
    if (this.#active.delete(name)) this.#log.info({ condition: name, ...members }, CONDITIONS[name].ends);
  }
}
