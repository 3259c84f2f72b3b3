// Carries out an order in the loader's thread, where a slow folder delays nobody, and says what became of it.

import { join } from 'node:path';
import type { Order } from '../../../http/operations-view.ts';
import type { HotSwap } from '../../../loader/live/hot-swap.ts';
import { ROLL_BACK_FILE } from '../../../loader/live/markers.ts';
import { endRollBack, orderComplaint, orderRollBack } from '../../../loader/live/orders.ts';
import { readSnapshotHeader } from '../../../loader/snapshot/reader.ts';
import { folderProblem } from '../../snapshots/folder-state.ts';
import type { OrderResult } from './orders.ts';

type Followed = Pick<HotSwap, 'scan' | 'rollBack' | 'inForce' | 'folderState'>;

/** Scans in any case, so that the outcome is that of the order and not of a later scan. */
export function carryOut(order: Order, swap: Followed, folder: string): OrderResult {
  try {
    if (order.kind === 'roll-back') {
      const { header, id } = readSnapshotHeader(join(folder, order.file));
      orderRollBack(folder, order.file, { id, builtAtMs: header.builtAtMs }, Date.now());
    } else if (order.kind === 'roll-forward') endRollBack(folder);
    swap.scan({ includeFresh: true });
  } catch (error) {
    const complaint = orderComplaint(error);
    const marker = `${ROLL_BACK_FILE} in the folder of snapshots`;
    const detail = complaint === undefined ? (error as Error).message : `${marker}: ${complaint}`;
    return { outcome: 'failed', detail };
  }
  const folderState = swap.folderState();
  if (folderState.kind === 'unreadable')
    return {
      outcome: 'failed',
      detail: `snapshots cannot be read: ${folderProblem(folderState.error).reason}`,
    };
  const phase = swap.rollBack()?.phase;
  if (order.kind === 'roll-back' && phase?.kind === 'pending') {
    return { outcome: 'failed', detail: phase.problem ?? 'the roll-back is not followed yet' };
  }
  const live = swap.inForce();
  return { outcome: 'done', detail: live === undefined ? 'no snapshot is live' : `${live.id} is live` };
}
