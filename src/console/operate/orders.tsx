// Orders to the server: reload, roll back, end the roll-back. Each is confirmed first, and its outcome shown.

import { useState } from 'preact/hooks';
import type { OperationsDocument, OrderName } from '../../dialects/operations/document.ts';
import { type Api, ApiError } from '../app/api.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Failure, Notice } from '../parts/notice.tsx';
import { moment } from '../parts/words.ts';
import { ORDER_TITLES, orderOutcome, rollBackState } from './words.ts';

interface OrdersProps {
  readonly api: Api;
  readonly operations: OperationsDocument;
  /** An order was passed on: look for its outcome. */
  readonly onOrdered: () => void;
}

interface Sent {
  readonly order: OrderName;
  /** The time of the order before; the outcome belongs to this order once it is another. */
  readonly before: string | undefined;
}

export function Orders({ api, operations, onOrdered }: OrdersProps) {
  const { snapshots, last_order, roll_back } = operations;
  const [asked, setAsked] = useState<OrderName>();
  const [sent, setSent] = useState<Sent>();
  const [error, setError] = useState<ApiError>();
  const others = snapshots.filter(({ live }) => !live);
  const [file, setFile] = useState<string>();
  const target = others.find((other) => other.file === file) ?? others[0];
  const state = rollBackState(roll_back);

  const give = async (order: OrderName, body: object): Promise<void> => {
    setAsked(undefined);
    setError(undefined);
    setSent(undefined);
    try {
      await api.send(new URL(`operations/${order}`, api.base), { method: 'POST', body });
      setSent({ order, before: last_order?.at });
      onOrdered();
    } catch (failure) {
      setError(failure instanceof ApiError ? failure : new ApiError('refused', 0, '', String(failure)));
    }
  };
  const close = (): void => setAsked(undefined);

  return (
    <section class="panel" aria-labelledby="orders-title">
      <h2 id="orders-title">Orders</h2>
      {state !== undefined && <p>{state}</p>}
      <p class="actions">
        <button type="button" onClick={() => setAsked('reload')}>
          Reload
        </button>
        <button type="button" disabled={target === undefined} onClick={() => setAsked('roll-back')}>
          Roll back to…
        </button>
        <button type="button" disabled={state === undefined} onClick={() => setAsked('roll-forward')}>
          End the roll-back
        </button>
      </p>
      <OrderState sent={sent} last={last_order} />
      {error?.kind === 'forbidden' ? (
        <Notice kind="warning" title="Your key may look, but not act">
          {error.message} Add it to the tier in the keys file, or use the console of the operations port.
        </Notice>
      ) : (
        <Failure error={error} />
      )}
      {asked === 'reload' && (
        <Confirm title="Reload?" action="Reload" onConfirm={() => void give('reload', {})} onClose={close}>
          <p>
            The server scans its folder of snapshots now. If it finds a newer one that passes all checks, that
            goes live; otherwise nothing changes. Requests are answered all the while.
          </p>
        </Confirm>
      )}
      {asked === 'roll-back' && target !== undefined && (
        <Confirm
          title="Roll back?"
          action="Roll back"
          onConfirm={() => void give('roll-back', { file: target.file })}
          onClose={close}
        >
          <label>
            Snapshot
            <select value={target.file} onChange={({ currentTarget }) => setFile(currentTarget.value)}>
              {others.map(({ file, built_at }) => (
                <option key={file} value={file}>
                  {moment(built_at)} · {file}
                </option>
              ))}
            </select>
          </label>
          <p>
            Every server on this folder serves that snapshot, until there is one newer than all those now in
            the folder, or until the roll-back is ended. Advisories that are only in later snapshots are not
            reported meanwhile.
          </p>
        </Confirm>
      )}
      {asked === 'roll-forward' && (
        <Confirm
          title="End the roll-back?"
          action="End the roll-back"
          onConfirm={() => void give('roll-forward', {})}
          onClose={close}
        >
          <p>Every server on this folder loads the newest snapshot again.</p>
        </Confirm>
      )}
    </section>
  );
}

/** A live region: its text changes with an order only, not each time the page asks. */
function OrderState({
  sent,
  last,
}: {
  readonly sent: Sent | undefined;
  readonly last: OperationsDocument['last_order'];
}) {
  const isWaiting = sent !== undefined && last?.at === sent.before;
  return (
    <p role="status" class={last?.outcome === 'failed' && !isWaiting ? 'critical' : 'soft'}>
      {isWaiting
        ? `${ORDER_TITLES[sent.order]}: passed on; the outcome follows here.`
        : last !== null && `${moment(last.at)} · ${orderOutcome(last)}`}
    </p>
  );
}
