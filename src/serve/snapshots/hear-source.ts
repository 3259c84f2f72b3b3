// Handles the messages of the thread that follows the source: updates the record and the log, names what is
// wrong once, and tells the loader what has come.

import type { FollowProblem } from '../../fleet/follow-events.ts';
import type { Conditions } from '../conditions.ts';
import type { Log } from '../log/log.ts';
import type { FromSource } from './source-messages.ts';
import type { SourceRecord } from './source-record.ts';

/** More than a clock that is kept is ever off, and less than a tolerance of anybody. */
const CLOCK_OFF_MS = 60_000;

interface SourceListeners {
  readonly source: Pick<SourceRecord, 'take'>;
  readonly loader: { readonly scan: () => void };
  /** What clients get, as far as the data is concerned. */
  readonly answered: () => string;
  readonly conditions: Pick<Conditions, 'begin' | 'end' | 'active'>;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

const CONDITION_OF = {
  store: 'source_unreachable',
  system: 'source_not_stored',
  refused: 'source_refused',
} as const satisfies Record<FollowProblem['kind'], string>;

/** The function that takes what the thread posts. */
export function sourceHearer(listeners: SourceListeners): (message: FromSource) => void {
  const { source, loader, answered, conditions, log } = listeners;
  let lastSequence: number | undefined;
  let lastSignature = '';
  const hearProblem = (problem: FollowProblem | undefined): void => {
    const signature = problem === undefined ? '' : signatureOf(problem);
    for (const [kind, condition] of Object.entries(CONDITION_OF)) {
      if (kind !== problem?.kind) conditions.end(condition);
    }
    if (problem !== undefined && signature !== lastSignature) {
      const reason = problem.kind === 'refused' ? problem.code : undefined;
      const members = { message: problem.message };
      conditions.begin(CONDITION_OF[problem.kind], { answered: answered(), reason, members });
    }
    lastSignature = signature;
  };
  return (message) => {
    source.take(message);
    switch (message.kind) {
      case 'problem':
        hearProblem(message.problem);
        break;
      case 'manifest': {
        const { sequence, snapshot, activate_at } = message.manifest;
        if (sequence === lastSequence) break;
        lastSequence = sequence;
        const at = activate_at === undefined ? {} : { activateAt: activate_at };
        log.info({ sequence, id: snapshot.id, bytes: snapshot.size, ...at }, 'manifest accepted');
        break;
      }
      case 'fetched': {
        const { sequence, snapshot } = message.manifest;
        log.info({ sequence, id: snapshot.id }, 'snapshot fetched');
        loader.scan();
        break;
      }
      case 'clock':
        if (Math.abs(message.aheadMs) < CLOCK_OFF_MS) conditions.end('clock_off');
        else {
          const minutes = Math.round(message.aheadMs / CLOCK_OFF_MS);
          const way = minutes > 0 ? 'ahead of' : 'behind';
          const reason = `${Math.abs(minutes)} min ${way} the source`;
          conditions.begin('clock_off', { answered: answered(), reason });
        }
        break;
      case 'forgotten':
        log.warn({ reason: message.problem }, 'source.json is not used: the source is asked anew');
        break;
      case 'polled':
      case 'bytes':
        break;
    }
  };
}

/** The same for a problem that lasts, whose message may have a time or the number of a request in it. */
function signatureOf(problem: FollowProblem): string {
  if (problem.kind === 'refused') return `${problem.code} ${problem.sequence}`;
  const [status = ''] = /status \d+/.exec(problem.message) ?? [];
  return `${problem.kind} ${status}`;
}
