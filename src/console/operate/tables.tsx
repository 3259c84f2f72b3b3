// Workers, keys, products and requests, as the process saw them last.

import type { KeyQuota, OperationsDocument } from '../../dialects/operations/document.ts';
import { fragmentOf } from '../app/route.ts';
import { milliseconds, NOT_MEASURED, percent } from '../parts/figures.ts';
import { Table } from '../parts/table.tsx';
import { count, moment } from '../parts/words.ts';
import { quota } from './words.ts';

const FEW = 8;
const NOTHING = 'There is nothing to show yet.';

export function Workers({ workers, supervisor: { cpu } }: OperationsDocument) {
  return (
    <section class="panel">
      <h2>Workers</h2>
      <Table
        label="Workers"
        rows={workers}
        columns={[
          ['Worker', ({ index }) => index],
          ['State', ({ state }) => <span class={state === 'serving' ? '' : 'high'}>{state}</span>],
          [
            'Restarts',
            ({ restarts }) => <span class={restarts > 0 ? 'high' : ''}>{restarts}</span>,
            'number',
          ],
          ['Connections', ({ connections }) => count(connections), 'number'],
          ['CPU', ({ cpu }) => shareOf(cpu), 'number'],
          ['Requests/s', ({ requests_per_second }) => count(Math.round(requests_per_second)), 'number'],
          ['Lag', ({ lag_ms }) => milliseconds(lag_ms), 'number'],
        ]}
      />
      <p class="soft">CPU of the supervisor: {shareOf(cpu)}</p>
    </section>
  );
}

function shareOf(cpu: number | null): string {
  return cpu === null ? NOT_MEASURED : percent(cpu);
}

export function Keys({ keys: { total, shown } }: OperationsDocument) {
  return (
    <section class="panel">
      <h2>Keys</h2>
      {total > shown.length && (
        <p class="soft">
          {count(shown.length)} of {count(total)} keys are shown, those with the least left first.
        </p>
      )}
      <Table
        label="Keys"
        few={FEW}
        rows={shown}
        empty={NOTHING}
        columns={[
          ['Key', ({ id }) => id, 'mono'],
          ['Tier', ({ tier }) => tier],
          ['Left', (key) => <Limits {...key} />],
        ]}
      />
    </section>
  );
}

function Limits({ id, limits }: KeyQuota) {
  if (limits.length === 0) return 'no limit';
  return limits.map((limit) => (
    <div key={limit.window_seconds}>
      <meter
        max={limit.limit}
        low={limit.limit / 10}
        value={limit.remaining}
        aria-label={`${id}: ${quota(limit)}`}
      />{' '}
      {quota(limit)}
    </div>
  ));
}

export function Hottest({ hottest, hasLookup }: OperationsDocument & { readonly hasLookup: boolean }) {
  return (
    <section class="panel">
      <h2>Hottest products</h2>
      <Table
        label="Hottest products"
        few={FEW}
        rows={hottest}
        empty={NOTHING}
        columns={[
          [
            'Product',
            ({ type, name }) =>
              hasLookup ? <a href={fragmentOf('lookup', { type, name })}>{name}</a> : name,
          ],
          ['Type', ({ type }) => type],
          ['Per minute', ({ requests_per_minute }) => count(Math.round(requests_per_minute)), 'number'],
          ['Share', ({ share }) => percent(share), 'number'],
        ]}
      />
    </section>
  );
}

export function Slowest({ slowest }: OperationsDocument) {
  return (
    <section class="panel">
      <h2>Slowest requests of the last hour</h2>
      <Table
        label="Slowest requests"
        few={FEW}
        rows={slowest}
        empty={NOTHING}
        columns={[
          ['Took', ({ took_ms }) => milliseconds(took_ms), 'when'],
          ['When', ({ at }) => moment(at), 'when'],
          ['Request', ({ method, label, path }) => `${method} ${path ?? label}`, 'mono path'],
          ['Status', ({ status }) => status],
          ['Key', ({ key_id }) => key_id ?? NOT_MEASURED, 'mono'],
          ['Request id', ({ request_id }) => request_id ?? NOT_MEASURED, 'mono when'],
        ]}
      />
    </section>
  );
}
