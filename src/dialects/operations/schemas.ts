// The bodies of this dialect's answers, as schemas. Who fills them is up to the server.

import type { Schema } from '../../http/openapi/model.ts';
import { ORDERS } from '../../http/operations-view.ts';
import { PRODUCT_TYPES } from '../../index/product-type.ts';
import * as s from '../schema-words.ts';

const amount: Schema = { type: 'number', minimum: 0 };
const share: Schema = { type: ['number', 'null'], minimum: 0, maximum: 1 };
const instant = s.matching('^[+-]?\\d{4,6}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$');
const instantOrNull: Schema = { ...instant, type: ['string', 'null'] };

export const SNAPSHOT_FILE: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  description: 'A file in the folder of snapshots, by its name.',
};

const condition = s.object({ condition: s.text, since: instant, answered: s.text, reason: s.text }, [
  'reason',
]);

const snapshot = s.objectOrNull({
  id: s.snapshotId,
  format: s.count,
  built_at: instant,
  loaded_at: instant,
  age_seconds: s.integer,
  advisories: s.object(s.membersOf(PRODUCT_TYPES, s.count)),
  file: s.text,
  file_bytes: s.count,
});

const rollBack = s.objectOrNull(
  {
    state: s.oneOfWords(['pending', 'held', 'over']),
    file: s.text,
    id: s.snapshotId,
    newer_than: s.object({ id: s.snapshotId, built_at: instant }),
    ordered_at: instant,
    problem: s.text,
  },
  ['problem'],
);

const lastReload = s.objectOrNull(
  {
    at: instant,
    outcome: s.oneOfWords(['loaded', 'refused']),
    file: s.text,
    id: s.snapshotId,
    error: s.object({ code: s.text, message: s.text }),
  },
  ['id', 'error'],
);

const manifest = s.objectOrNull(
  {
    sequence: s.positive,
    id: s.snapshotId,
    state: s.oneOfWords(['fetching', 'prepared', 'live', 'refused']),
    reason: s.object({ code: s.text, message: s.text }),
    published_at: s.text,
    expires: s.text,
    activate_at: s.described('When all replicas switch to it; null: as soon as it is there.', s.nullableText),
    bytes: s.count,
    arrived_bytes: s.count,
  },
  ['reason'],
);

const source = s.objectOrNull({
  url: s.described('Without credentials and query.', s.text),
  last_poll: instantOrNull,
  last_success: s.described('When it last said what it has.', instantOrNull),
  sequence: { type: ['integer', 'null'], minimum: 1 },
  manifest: s.described('The last that was accepted.', manifest),
  problem: s.described(
    'Since the last poll that had none.',
    s.objectOrNull(
      {
        kind: s.oneOfWords(['store', 'system', 'refused']),
        code: s.text,
        sequence: { type: ['integer', 'null'] },
        message: s.text,
        since: instant,
      },
      ['code', 'sequence'],
    ),
  ),
  clock_ahead_seconds: { type: ['integer', 'null'] },
});

const STARTED_LIMITS = {
  replicas: s.described('0: none has been heard of.', s.count),
  keys_in_use: s.count,
  calls: s.count,
  failures: s.count,
  granted: s.count,
  granted_locally: s.count,
  returned: s.count,
  lost_keys: s.count,
  lost_states: s.count,
  clock_offset_ms: s.integer,
  eviction_policy: s.nullableText,
};

const limits = s.objectOrNull(
  {
    engine: s.described('Without credentials.', s.text),
    replica: s.text,
    mode: s.oneOfWords(['starting', 'fleet', 'local']),
    problem: s.object({ code: s.text, message: s.text }),
    ...STARTED_LIMITS,
  },
  ['problem', ...Object.keys(STARTED_LIMITS)],
);

const worker = s.object({
  index: s.count,
  state: s.oneOfWords(['starting', 'serving', 'replacing']),
  restarts: s.count,
  connections: s.count,
  cpu: s.described('Of one core, over the last second; null where the system does not tell.', share),
  requests_per_second: amount,
  lag_ms: s.described('The longest delay of its event loop in the last half second.', amount),
});

const keyLimits = s.object({
  id: s.text,
  tier: s.text,
  limits: s.list(s.object({ limit: s.count, window_seconds: s.count, remaining: s.count })),
});

const hottest = s.object({
  type: s.oneOfWords(PRODUCT_TYPES),
  name: s.text,
  requests_per_minute: amount,
  share: { type: 'number', minimum: 0, maximum: 1 },
});

const slowest = s.object({
  at: instant,
  method: s.text,
  label: s.text,
  path: s.described('Without the query, cut off where it is long; null if no route has it.', s.nullableText),
  status: s.count,
  took_ms: amount,
  request_id: s.nullableText,
  key_id: s.nullableText,
});

const Operations = s.object({
  now: s.described('When this was written.', instant),
  version: s.text,
  transport: s.oneOfWords(['uws', 'node']),
  uptime_seconds: s.count,
  draining: s.flag,
  conditions: s.list(condition),
  snapshot,
  kept: s.list(s.snapshotId),
  prepared: s.objectOrNull({ id: s.snapshotId, files: s.count, bytes: s.count, ready_at: instant }),
  roll_back: rollBack,
  last_reload: lastReload,
  last_order: s.objectOrNull({
    order: s.oneOfWords(ORDERS),
    at: instant,
    outcome: s.oneOfWords(['pending', 'done', 'failed']),
    detail: s.text,
  }),
  source: s.described('What --source names; null without it.', source),
  limits: s.described('Quotas over a fleet, with --limits; null without it.', limits),
  refused: s.object({
    counts: { type: 'object', additionalProperties: { type: 'integer', minimum: 1 } },
    recent: s.list(s.object({ file: s.text, code: s.text, message: s.text, at: instant }), {
      maxItems: 20,
    }),
  }),
  snapshots: s.list(
    s.object({ file: s.text, id: s.snapshotId, built_at: instant, bytes: s.count, live: s.flag }),
    { maxItems: 50 },
  ),
  workers: s.list(worker),
  supervisor: s.object({ cpu: share }),
  memory: s.object({ rss_bytes: s.count, heap_bytes: s.count, shared_bytes: s.count }),
  keys: s.object({ total: s.count, shown: s.list(keyLimits, { maxItems: 100 }) }),
  hottest: s.list(hottest, { maxItems: 20 }),
  slowest: s.list(slowest, { maxItems: 20 }),
  log_dropped: s.count,
  omitted: s.described(
    'Lists that are shown empty because the document would have been too large.',
    s.list(s.text),
  ),
});

const column = s.list(s.nullableNumber);

const Series = s.object({
  at: s.list(s.integer),
  requests: column,
  p50_ms: column,
  p99_ms: column,
  s2xx: column,
  s3xx: column,
  s4xx: s.described('Without 429.', column),
  s429: column,
  s5xx: column,
  rss_bytes: column,
  in_flight: column,
  connections: column,
  pending_bytes: column,
  lag_ms: column,
  cpu: s.described('A column for each worker.', s.list(column)),
});

export const schemas: { readonly [name: string]: Schema } = {
  Operations,
  OperationsSeries: Series,
  OperationsHistory: s.object({
    now: s.described('The second in which the last point was taken.', s.integer),
    seconds: s.ref('OperationsSeries'),
    minutes: s.ref('OperationsSeries'),
  }),
  Ordered: s.object({ ordered: s.oneOfWords(ORDERS) }),
};
