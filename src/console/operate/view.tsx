// The view "Operate": what the process is doing, its figures over the last hour, and orders to it.

import type { HistoryDocument, OperationsDocument } from '../../dialects/operations/document.ts';
import type { Api } from '../app/api.ts';
import type { ViewProps } from '../app/view.ts';
import { Age } from '../parts/age.tsx';
import { latest } from '../parts/columns.ts';
import { compact, milliseconds, NOT_MEASURED, percent } from '../parts/figures.ts';
import { Busy, Failure, Notice } from '../parts/notice.tsx';
import { Tile } from '../parts/tile.tsx';
import { bytes, count, counted, duration, moment } from '../parts/words.ts';
import { FollowedSource, SharedQuotas } from './fleet-panels.tsx';
import { nextSince, withAnswer } from './history.ts';
import { HistoryCharts } from './history-charts.tsx';
import { Orders } from './orders.tsx';
import { Snapshots } from './snapshots.tsx';
import { Hottest, Keys, Slowest, Workers } from './tables.tsx';
import { usePoll } from './use-poll.ts';
import { conditionTitle } from './words.ts';

const STATE_MS = 2_000;
const HISTORY_MS = 5_000;
/** As many answers without news mean that the supervisor hangs: it writes one each second. */
const MOST_REPEATS = 4;

/** `repeats`: how many answers before this one were written at the same time. */
interface Seen {
  readonly operations: OperationsDocument;
  readonly repeats: number;
}

export function OperatePage({ api, settings, revision }: ViewProps) {
  const state = usePoll<Seen>(
    async (signal, last) => {
      const operations = await askFor<OperationsDocument>(api, 'operations', signal);
      const isSame = last?.operations.now === operations.now;
      return { operations, repeats: isSame ? last.repeats + 1 : 0 };
    },
    STATE_MS,
    [revision],
  );
  const history = usePoll<HistoryDocument>(
    async (signal, last) => {
      const since = nextSince(last);
      const path = `operations/history${since === undefined ? '' : `?since=${since}`}`;
      return withAnswer(last, await askFor<HistoryDocument>(api, path, signal));
    },
    HISTORY_MS,
    [revision],
  );
  const error = state.error ?? history.error;
  const operations = state.value?.operations;
  return (
    <>
      <h1>Operate</h1>
      {error?.kind === 'forbidden' ? (
        <Notice kind="warning" title="Your key does not include this">
          {error.message} Add it to the tier in the keys file, with <code>operate</code> if it may give orders
          too. The console of the operations port needs no key.
        </Notice>
      ) : (
        <Failure error={error} />
      )}
      {operations === undefined && error === undefined && <Busy>Loading the state</Busy>}
      {operations !== undefined && (
        <>
          {(state.value?.repeats ?? 0) >= MOST_REPEATS && (
            <Notice kind="error" title="The supervisor does not report">
              Workers still answer, but these figures are of {moment(operations.now)}.
            </Notice>
          )}
          <Conditions {...operations} />
          <Summary operations={operations} history={history.value} />
          {history.value !== undefined && <HistoryCharts history={history.value} />}
          <Orders api={api} operations={operations} onOrdered={state.askNow} />
          <div class="pair">
            <FollowedSource {...operations} />
            <SharedQuotas {...operations} />
          </div>
          <Workers {...operations} />
          <div class="pair">
            <Keys {...operations} />
            <Hottest {...operations} hasLookup={settings.port === 'service'} />
          </div>
          <Slowest {...operations} />
          <Snapshots {...operations} />
          <Omissions {...operations} />
        </>
      )}
    </>
  );
}

async function askFor<Value>(api: Api, path: string, signal: AbortSignal): Promise<Value> {
  const response = await api.send(new URL(path, api.base), { signal });
  return (await response.json()) as Value; // of the shape in the OpenAPI document
}

function Conditions({ conditions, draining }: OperationsDocument) {
  return (
    <>
      {draining && (
        <Notice kind="warning" title="Shutting down">
          The server finishes the requests that have begun, and takes no new connections.
        </Notice>
      )}
      {conditions.map(({ condition, since, answered, reason }) => (
        <Notice key={condition} kind="warning" title={conditionTitle(condition)}>
          Since {moment(since)}. {reason !== undefined && `Why: ${reason}. `}Clients get: {answered}.
        </Notice>
      ))}
    </>
  );
}

function Summary({
  operations: { snapshot, uptime_seconds, memory, workers, version, transport },
  history,
}: {
  readonly operations: OperationsDocument;
  readonly history: HistoryDocument | undefined;
}) {
  const seconds = history?.seconds;
  const now = (
    name: 'requests' | 'p50_ms' | 'p99_ms' | 'in_flight' | 'pending_bytes',
    format: (value: number) => string,
  ): string => {
    const value = seconds === undefined ? null : latest(seconds[name]);
    return value === null ? NOT_MEASURED : format(value);
  };
  const cpu = workers.reduce((sum, worker) => sum + (worker.cpu ?? 0), 0);
  const serving = workers.filter(({ state }) => state === 'serving').length;
  const connections = workers.reduce((sum, worker) => sum + worker.connections, 0);
  return (
    <dl class="tiles">
      <Tile title="Requests/s" note={`${now('in_flight', compact)} in flight`}>
        {now('requests', compact)}
      </Tile>
      <Tile title="p99" note={`p50 ${now('p50_ms', milliseconds)}`}>
        {now('p99_ms', milliseconds)}
      </Tile>
      <Tile title="Workers’ CPU" note={`${serving} of ${counted(workers.length, 'worker')} serving`}>
        {percent(cpu)}
      </Tile>
      <Tile title="Memory" note={`heaps ${bytes(memory.heap_bytes)}, shared ${bytes(memory.shared_bytes)}`}>
        {bytes(memory.rss_bytes)}
      </Tile>
      <Tile title="Connections" note={`${now('pending_bytes', bytes)} not yet sent`}>
        {count(connections)}
      </Tile>
      <Tile title="Running for" note={`${version}, ${transport}`}>
        {duration(uptime_seconds)}
      </Tile>
      <Tile title="Snapshot age" note={snapshot !== null && <code title={snapshot.file}>{snapshot.id}</code>}>
        {snapshot === null ? 'None is loaded' : <Age since={snapshot.built_at} />}
      </Tile>
    </dl>
  );
}

function Omissions({ omitted = [], log_dropped }: OperationsDocument) {
  return (
    <>
      {omitted.length > 0 && (
        <p class="soft">Left out, because the answer would have been too large: {omitted.join(', ')}.</p>
      )}
      {log_dropped > 0 && (
        <p class="soft">{counted(log_dropped, 'log line')} dropped: their reader was too slow.</p>
      )}
    </>
  );
}
