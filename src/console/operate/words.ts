// Words for what only this view shows.

import type {
  LastOrderState,
  OperationsDocument,
  OrderName,
  RollBackState,
} from '../../dialects/operations/document.ts';
import { count, duration } from '../parts/words.ts';

const UNITS: Readonly<Record<number, string>> = { 1: 'second', 60: 'minute', 3600: 'hour', 86400: 'day' };

/** `120 of 600 left per minute`. */
export function quota({
  limit,
  window_seconds,
  remaining,
}: OperationsDocument['keys']['shown'][number]['limits'][number]): string {
  return `${count(remaining)} of ${count(limit)} left per ${UNITS[window_seconds] ?? duration(window_seconds)}`;
}

/** `snapshot_too_old` as `Snapshot too old`. */
export function conditionTitle(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export const ORDER_TITLES: Readonly<Record<OrderName, string>> = {
  reload: 'Reload',
  'roll-back': 'Roll-back',
  'roll-forward': 'End of the roll-back',
};

const OUTCOMES: Readonly<Record<LastOrderState['outcome'], string>> = {
  pending: 'under way',
  done: 'done',
  failed: 'failed',
};

/** `Reload: done. No newer snapshot was found.` */
export function orderOutcome({ order, outcome, detail }: LastOrderState): string {
  const more = detail === '' ? '' : ` ${detail.charAt(0).toUpperCase()}${detail.slice(1)}`;
  const end = /[.!?]$|^$/.test(more) ? '' : '.';
  return `${ORDER_TITLES[order]}: ${OUTCOMES[outcome]}.${more}${end}`;
}

/** What a roll-back does now; undefined if there is none, or if it is over. */
export function rollBackState(rollBack: RollBackState | null): string | undefined {
  if (rollBack === null || rollBack.state === 'over') return undefined;
  const { state, file, newer_than, problem } = rollBack;
  if (state === 'pending')
    return `A roll-back to ${file} waits${problem === undefined ? '' : `: ${problem}`}.`;
  return `Rolled back to ${file}, until there is a snapshot newer than ${newer_than.id}.`;
}
