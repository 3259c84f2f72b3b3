// Workers, keys, products and requests, as the process saw them last.

import { fragmentOf } from '../app/route.ts';
import { milliseconds, NOT_MEASURED, percent } from '../parts/figures.ts';
import { count, moment } from '../parts/words.ts';
import type { Operations } from './operations.ts';
import { Rows } from './rows.tsx';
import { quota } from './words.ts';

export function Workers({ workers, supervisor }: Operations) {
  return (
    <section class="panel">
      <h2>Workers</h2>
      <Rows
        label="Workers"
        titles={['Worker', 'State', '#Restarts', '#Connections', '#CPU', '#Requests/s', '#Lag']}
        rows={workers}
        empty="There are no workers."
      >
        {({ index, state, restarts, connections, cpu, requests_per_second, lag_ms }) => (
          <tr key={index}>
            <th scope="row">{index}</th>
            <td class={state === 'serving' ? undefined : 'medium'}>{state}</td>
            <td class={restarts > 0 ? 'number medium' : 'number'}>{count(restarts)}</td>
            <td class="number">{count(connections)}</td>
            <td class="number">{cpu === null ? NOT_MEASURED : percent(cpu)}</td>
            <td class="number">{count(Math.round(requests_per_second))}</td>
            <td class="number">{milliseconds(lag_ms)}</td>
          </tr>
        )}
      </Rows>
      <p class="soft">
        Supervisor: {supervisor.cpu === null ? 'CPU not measured' : `${percent(supervisor.cpu)} CPU`}
      </p>
    </section>
  );
}

export function Keys({ keys: { total, shown } }: Operations) {
  return (
    <section class="panel">
      <h2>Keys</h2>
      {total > shown.length && (
        <p class="soft">
          The {count(shown.length)} of {count(total)} keys with the least left.
        </p>
      )}
      <Rows
        label="Keys"
        titles={['Key', 'Tier', 'Left']}
        rows={shown}
        empty={total === 0 ? 'There are no keys.' : 'No key has made a request yet.'}
      >
        {({ id, tier, limits }) => (
          <tr key={id}>
            <th scope="row" class="mono">
              {id}
            </th>
            <td>{tier}</td>
            <td>
              {limits.length === 0 ? (
                <span class="soft">no limit</span>
              ) : (
                <ul class="limits">
                  {limits.map((limit) => (
                    <li key={limit.window_seconds}>
                      <meter
                        min={0}
                        max={limit.limit}
                        low={limit.limit / 10}
                        value={limit.remaining}
                        aria-label={`${id}: ${quota(limit)}`}
                      />{' '}
                      {quota(limit)}
                    </li>
                  ))}
                </ul>
              )}
            </td>
          </tr>
        )}
      </Rows>
    </section>
  );
}

export function Hottest({ hottest, hasLookup }: Operations & { readonly hasLookup: boolean }) {
  return (
    <section class="panel">
      <h2>Hottest products</h2>
      <Rows
        label="Hottest products"
        titles={['Product', 'Type', '#Per minute', '#Share']}
        rows={hottest}
        empty="No product was looked up lately."
      >
        {({ type, name, requests_per_minute, share }) => (
          <tr key={`${type} ${name}`}>
            <th scope="row">
              {hasLookup ? <a href={fragmentOf('lookup', { type, name })}>{name}</a> : name}
            </th>
            <td>{type}</td>
            <td class="number">{count(Math.round(requests_per_minute))}</td>
            <td class="number">{percent(share)}</td>
          </tr>
        )}
      </Rows>
    </section>
  );
}

export function Slowest({ slowest }: Operations) {
  return (
    <section class="panel">
      <h2>Slowest requests of the last hour</h2>
      <Rows
        label="Slowest requests"
        titles={['#Took', 'When', 'Request', '#Status', 'Key', 'Request id']}
        rows={slowest}
        empty="There were no requests."
      >
        {({ at, method, label, path, status, took_ms, request_id, key_id }) => (
          <tr key={`${at} ${request_id} ${took_ms}`}>
            <td class="number">{milliseconds(took_ms)}</td>
            <td class="when">{moment(at)}</td>
            <td class="mono path">
              {method} {path ?? label}
            </td>
            <td class="number">{status}</td>
            <td class="mono">{key_id ?? NOT_MEASURED}</td>
            <td class="mono when">{request_id ?? NOT_MEASURED}</td>
          </tr>
        )}
      </Rows>
    </section>
  );
}
