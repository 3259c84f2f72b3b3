// The bodies of this dialect's answers, as schemas. Who fills them is up to the server.

import type { Schema } from '../../http/openapi/model.ts';
import { ORDERS } from '../../http/operations-view.ts';
import { PRODUCT_TYPES } from '../../index/product-type.ts';
import { closedObject, closedObjectOrNull, schemaRef } from '../openapi-parts.ts';

const text: Schema = { type: 'string' };
const count: Schema = { type: 'integer', minimum: 0 };
const amount: Schema = { type: 'number', minimum: 0 };
const flag: Schema = { type: 'boolean' };
const share: Schema = { type: ['number', 'null'], minimum: 0, maximum: 1 };
const instant: Schema = {
  type: 'string',
  pattern: '^[+-]?\\d{4,6}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
};
const snapshotId: Schema = { type: 'string', pattern: '^[0-9a-f]{16}$' };

export const SNAPSHOT_FILE: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  description: 'A file in the folder of snapshots, by its name.',
};

function list(items: Schema, maxItems?: number): Schema {
  return { type: 'array', items, ...(maxItems === undefined ? {} : { maxItems }) };
}

const condition = closedObject({ condition: text, since: instant, answered: text, reason: text }, ['reason']);

const snapshot = closedObjectOrNull({
  id: snapshotId,
  format: count,
  built_at: instant,
  loaded_at: instant,
  age_seconds: { type: 'integer' },
  advisories: closedObject(Object.fromEntries(PRODUCT_TYPES.map((type) => [type, count]))),
  file: text,
  file_bytes: count,
});

const rollBack: Schema = {
  ...closedObject(
    {
      state: { type: 'string', enum: ['pending', 'held', 'over'] },
      file: text,
      id: snapshotId,
      newer_than: closedObject({ id: snapshotId, built_at: instant }),
      ordered_at: instant,
      problem: text,
    },
    ['problem'],
  ),
  type: ['object', 'null'],
};

const lastReload: Schema = {
  ...closedObject(
    {
      at: instant,
      outcome: { type: 'string', enum: ['loaded', 'refused'] },
      file: text,
      id: snapshotId,
      error: closedObject({ code: text, message: text }),
    },
    ['id', 'error'],
  ),
  type: ['object', 'null'],
};

const worker = closedObject({
  index: count,
  state: { type: 'string', enum: ['starting', 'serving', 'replacing'] },
  restarts: count,
  connections: count,
  cpu: { ...share, description: 'Of one core, over the last second; null where the system does not tell.' },
  requests_per_second: amount,
  lag_ms: { ...amount, description: 'The longest delay of its event loop in the last half second.' },
});

const keyLimits = closedObject({
  id: text,
  tier: text,
  limits: list(closedObject({ limit: count, window_seconds: count, remaining: count })),
});

const hottest = closedObject({
  type: { type: 'string', enum: [...PRODUCT_TYPES] },
  name: text,
  requests_per_minute: amount,
  share: { type: 'number', minimum: 0, maximum: 1 },
});

const slowest = closedObject({
  at: instant,
  method: text,
  label: text,
  path: {
    type: ['string', 'null'],
    description: 'Without the query, cut off where it is long; null if no route has it.',
  },
  status: count,
  took_ms: amount,
  request_id: { type: ['string', 'null'] },
  key_id: { type: ['string', 'null'] },
});

const Operations = closedObject({
  now: { ...instant, description: 'When this was written.' },
  version: text,
  transport: { type: 'string', enum: ['uws', 'node'] },
  uptime_seconds: count,
  draining: flag,
  conditions: list(condition),
  snapshot,
  kept: list(snapshotId),
  prepared: closedObjectOrNull({ id: snapshotId, files: count, bytes: count, ready_at: instant }),
  roll_back: rollBack,
  last_reload: lastReload,
  last_order: {
    ...closedObject({
      order: { type: 'string', enum: [...ORDERS] },
      at: instant,
      outcome: { type: 'string', enum: ['pending', 'done', 'failed'] },
      detail: text,
    }),
    type: ['object', 'null'],
  },
  refused: closedObject({
    counts: { type: 'object', additionalProperties: { type: 'integer', minimum: 1 } },
    recent: list(closedObject({ file: text, code: text, message: text, at: instant }), 20),
  }),
  snapshots: list(
    closedObject({ file: text, id: snapshotId, built_at: instant, bytes: count, live: flag }),
    50,
  ),
  workers: list(worker),
  supervisor: closedObject({ cpu: share }),
  memory: closedObject({ rss_bytes: count, heap_bytes: count, shared_bytes: count }),
  keys: closedObject({ total: count, shown: list(keyLimits, 100) }),
  hottest: list(hottest, 20),
  slowest: list(slowest, 20),
  log_dropped: count,
  omitted: {
    ...list(text),
    description: 'Lists that are shown empty because the document would have been too large.',
  },
});

const column: Schema = list({ type: ['number', 'null'] });

const Series = closedObject({
  at: list({ type: 'integer' }),
  requests: column,
  p50_ms: column,
  p99_ms: column,
  s2xx: column,
  s3xx: column,
  s4xx: { ...column, description: 'Without 429.' },
  s429: column,
  s5xx: column,
  rss_bytes: column,
  in_flight: column,
  connections: column,
  pending_bytes: column,
  lag_ms: column,
  cpu: { ...list(column), description: 'A column for each worker.' },
});

export const schemas: { readonly [name: string]: Schema } = {
  Operations,
  OperationsSeries: Series,
  OperationsHistory: closedObject({
    now: { type: 'integer', description: 'The second in which the last point was taken.' },
    seconds: schemaRef('OperationsSeries'),
    minutes: schemaRef('OperationsSeries'),
  }),
  Ordered: closedObject({ ordered: { type: 'string', enum: [...ORDERS] } }),
};
