// The bodies of this dialect's answers, as schemas. Who fills them is up to the server.

import type { Schema } from '../../http/openapi/model.ts';
import { ORDERS } from '../../http/operations-view.ts';
import { PRODUCT_TYPES } from '../../index/product-type.ts';
import {
  closedObject,
  closedObjectOrNull,
  count,
  described,
  flag,
  integer,
  listOf,
  matching,
  membersOf,
  nullableNumber,
  nullableText,
  oneOfWords,
  schemaRef,
  snapshotId,
  text,
} from '../schema-words.ts';

const amount: Schema = { type: 'number', minimum: 0 };
const share: Schema = { type: ['number', 'null'], minimum: 0, maximum: 1 };
const instant = matching('^[+-]?\\d{4,6}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$');

export const SNAPSHOT_FILE: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  description: 'A file in the folder of snapshots, by its name.',
};

const condition = closedObject({ condition: text, since: instant, answered: text, reason: text }, ['reason']);

const snapshot = closedObjectOrNull({
  id: snapshotId,
  format: count,
  built_at: instant,
  loaded_at: instant,
  age_seconds: integer,
  advisories: closedObject(membersOf(PRODUCT_TYPES, count)),
  file: text,
  file_bytes: count,
});

const rollBack = closedObjectOrNull(
  {
    state: oneOfWords(['pending', 'held', 'over']),
    file: text,
    id: snapshotId,
    newer_than: closedObject({ id: snapshotId, built_at: instant }),
    ordered_at: instant,
    problem: text,
  },
  ['problem'],
);

const lastReload = closedObjectOrNull(
  {
    at: instant,
    outcome: oneOfWords(['loaded', 'refused']),
    file: text,
    id: snapshotId,
    error: closedObject({ code: text, message: text }),
  },
  ['id', 'error'],
);

const worker = closedObject({
  index: count,
  state: oneOfWords(['starting', 'serving', 'replacing']),
  restarts: count,
  connections: count,
  cpu: described('Of one core, over the last second; null where the system does not tell.', share),
  requests_per_second: amount,
  lag_ms: described('The longest delay of its event loop in the last half second.', amount),
});

const keyLimits = closedObject({
  id: text,
  tier: text,
  limits: listOf(closedObject({ limit: count, window_seconds: count, remaining: count })),
});

const hottest = closedObject({
  type: oneOfWords(PRODUCT_TYPES),
  name: text,
  requests_per_minute: amount,
  share: { type: 'number', minimum: 0, maximum: 1 },
});

const slowest = closedObject({
  at: instant,
  method: text,
  label: text,
  path: described('Without the query, cut off where it is long; null if no route has it.', nullableText),
  status: count,
  took_ms: amount,
  request_id: nullableText,
  key_id: nullableText,
});

const Operations = closedObject({
  now: described('When this was written.', instant),
  version: text,
  transport: oneOfWords(['uws', 'node']),
  uptime_seconds: count,
  draining: flag,
  conditions: listOf(condition),
  snapshot,
  kept: listOf(snapshotId),
  prepared: closedObjectOrNull({ id: snapshotId, files: count, bytes: count, ready_at: instant }),
  roll_back: rollBack,
  last_reload: lastReload,
  last_order: closedObjectOrNull({
    order: oneOfWords(ORDERS),
    at: instant,
    outcome: oneOfWords(['pending', 'done', 'failed']),
    detail: text,
  }),
  refused: closedObject({
    counts: { type: 'object', additionalProperties: { type: 'integer', minimum: 1 } },
    recent: listOf(closedObject({ file: text, code: text, message: text, at: instant }), { maxItems: 20 }),
  }),
  snapshots: listOf(
    closedObject({ file: text, id: snapshotId, built_at: instant, bytes: count, live: flag }),
    { maxItems: 50 },
  ),
  workers: listOf(worker),
  supervisor: closedObject({ cpu: share }),
  memory: closedObject({ rss_bytes: count, heap_bytes: count, shared_bytes: count }),
  keys: closedObject({ total: count, shown: listOf(keyLimits, { maxItems: 100 }) }),
  hottest: listOf(hottest, { maxItems: 20 }),
  slowest: listOf(slowest, { maxItems: 20 }),
  log_dropped: count,
  omitted: described(
    'Lists that are shown empty because the document would have been too large.',
    listOf(text),
  ),
});

const column = listOf(nullableNumber);

const Series = closedObject({
  at: listOf(integer),
  requests: column,
  p50_ms: column,
  p99_ms: column,
  s2xx: column,
  s3xx: column,
  s4xx: described('Without 429.', column),
  s429: column,
  s5xx: column,
  rss_bytes: column,
  in_flight: column,
  connections: column,
  pending_bytes: column,
  lag_ms: column,
  cpu: described('A column for each worker.', listOf(column)),
});

export const schemas: { readonly [name: string]: Schema } = {
  Operations,
  OperationsSeries: Series,
  OperationsHistory: closedObject({
    now: described('The second in which the last point was taken.', integer),
    seconds: schemaRef('OperationsSeries'),
    minutes: schemaRef('OperationsSeries'),
  }),
  Ordered: closedObject({ ordered: oneOfWords(ORDERS) }),
};
