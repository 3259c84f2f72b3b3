// Whether an order makes sense, judged by the document of GET /operations: all
// that a worker knows of the folder.

import type { Order, OrderRefusal } from '../../../http/operations-view.ts';
import type { OperationsDocument } from '../document.ts';
import { LOADER_STUCK } from './orders.ts';

type Known = Pick<OperationsDocument, 'snapshots' | 'roll_back' | 'last_order' | 'conditions'>;

/** Why not; undefined if it can be passed on. */
export function checkOrder(
  order: Order,
  { snapshots, roll_back, last_order, conditions }: Known,
): OrderRefusal | undefined {
  if (conditions.some(({ condition }) => condition === 'loader_stuck')) return LOADER_STUCK;
  if (last_order?.outcome === 'pending') {
    const detail = `The order ${last_order.order} is still being carried out; try again soon.`;
    return { code: 'too_many_orders', detail };
  }
  switch (order.kind) {
    case 'reload':
      return undefined;
    case 'roll-forward':
      if (roll_back !== null) return undefined;
      return { code: 'not_rolled_back', detail: 'No roll-back is in effect; the newest snapshot is served.' };
    case 'roll-back': {
      const { file } = order;
      const found = snapshots.find((each) => each.file === file);
      if (found === undefined) {
        const detail = `The folder has no snapshot ${JSON.stringify(file)} that can be served; \`snapshots\` of GET /operations lists those that can.`;
        return { code: 'unknown_file', detail };
      }
      return found.live ? { code: 'already_live', detail: `${file} is the live snapshot.` } : undefined;
    }
  }
}
