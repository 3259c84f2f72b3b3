import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LeaserState } from '../../../src/fleet/leases/leaser.ts';
import type { Manifest } from '../../../src/fleet/manifest.ts';
import { type DocumentParts, renderOperations } from '../../../src/serve/operations/document.ts';
import { SourceRecord } from '../../../src/serve/snapshots/source-record.ts';
import { complaintsOf, openApiDocument } from '../../support/serving/openapi.ts';
import { typeCounts } from '../../support/snapshots/type-counts.ts';

const NOW_MS = Date.UTC(2026, 0, 2);
const ID = '0123456789abcdef';
const MUCH = 1 << 20;

const PARTS: DocumentParts = {
  nowMs: NOW_MS,
  state: {
    version: '1.2.3',
    transport: 'node',
    mounts: [],
    startedAtMs: NOW_MS - 61_900,
    isDraining: false,
    snapshot: {
      id: ID,
      format: 3,
      builtAtMs: NOW_MS - 5_000,
      loadedAtMs: NOW_MS,
      file: 'a.vdx',
      fileBytes: 9,
      typeCounts: typeCounts({ plugin: 4, theme: 3, wordpress: 2, npm: 1 }),
    },
    keptIds: [ID],
    prepared: undefined,
    workers: [
      { state: 'serving', restarts: 0 },
      { state: 'replacing', restarts: 2 },
    ],
    lastReload: { kind: 'refused', atMs: NOW_MS, file: 'b.vdx', code: 'truncated', message: 'm' },
    rollBack: undefined,
    conditions: [],
  },
  source: undefined,
  lastOrder: { kind: 'reload', atMs: NOW_MS, outcome: 'done', detail: 'd' },
  refusals: {
    counts: new Map([['truncated', 1]]),
    recent: [{ file: 'b.vdx', code: 'truncated', message: 'm', atMs: NOW_MS }],
  },
  listed: [
    { file: 'a.vdx', id: ID, builtAtMs: NOW_MS - 5_000, bytes: 9 },
    { file: 'o.vdx', id: 'fedcba9876543210', builtAtMs: NOW_MS - 9_000, bytes: 8 },
  ],
  workers: [
    { cpu: 0.12345, requestsPerSecond: 10.123, connections: 3, lagMs: 1.234 },
    { cpu: undefined, requestsPerSecond: 0, connections: 0, lagMs: 0 },
  ],
  supervisorCpu: 0.01,
  memory: { rssBytes: 100, heapBytes: 50, sharedBytes: 70 },
  keys: {
    total: 1,
    shown: [{ id: 'k', tier: 't', limits: [{ limit: 5, window_seconds: 60, remaining: 2 }] }],
  },
  hottest: [{ type: 'npm', name: 'a', requests_per_minute: 3.5, share: 0.5 }],
  slowest: [
    {
      at: new Date(NOW_MS).toISOString(),
      method: 'GET',
      label: 'all',
      path: '/all',
      status: 200,
      took_ms: 3,
      request_id: null,
      key_id: 'k',
    },
  ],
  logDropped: 4,
};

const MANIFEST: Manifest = {
  format: 1,
  sequence: 7,
  published_at: '2026-01-01T00:00:00Z',
  expires: '2026-01-08T00:00:00Z',
  min_server_version: '0.1.0',
  snapshot: {
    url: 'snapshots/a.vdx',
    size: 900,
    sha256: 'a'.repeat(64),
    id: 'fedcba9876543210',
    built_at: '2026-01-01T00:00:00Z',
  },
  objects: [],
};

const LEASER: LeaserState = {
  mode: 'fleet',
  problem: undefined,
  replicas: 3,
  keys: 1,
  calls: 9,
  failures: 0,
  granted: 5,
  returned: 1,
  grantedLocally: 0,
  lostKeys: 0,
  lostStates: 0,
  clockOffsetMs: -1.5,
  evictionPolicy: 'noeviction',
};

function shown(parts: DocumentParts, mostBytes = MUCH) {
  const bytes = renderOperations(parts, mostBytes);
  return bytes === undefined ? undefined : JSON.parse(Buffer.from(bytes).toString());
}

test('the document has all that is known, in the form of its schema', () => {
  const document = shown(PARTS);
  assert.deepEqual(complaintsOf(openApiDocument.components.schemas.Operations, document), []);
  assert.equal(document.now, '2026-01-02T00:00:00.000Z');
  assert.deepEqual(document.workers, [
    {
      index: 0,
      state: 'serving',
      restarts: 0,
      connections: 3,
      cpu: 0.123,
      requests_per_second: 10.12,
      lag_ms: 1.23,
    },
    {
      index: 1,
      state: 'replacing',
      restarts: 2,
      connections: 0,
      cpu: null,
      requests_per_second: 0,
      lag_ms: 0,
    },
  ]);
  assert.deepEqual(
    document.snapshots.map(({ file, live }: { file: string; live: boolean }) => [file, live]),
    [
      ['a.vdx', true],
      ['o.vdx', false],
    ],
  );
  assert.deepEqual(document.last_order, {
    order: 'reload',
    at: '2026-01-02T00:00:00.000Z',
    outcome: 'done',
    detail: 'd',
  });
  assert.ok(!('mounts' in document));
  assert.deepEqual(document.omitted, []);
});

test('before the first snapshot there are nulls and empty lists, in the same form', () => {
  const { state } = PARTS;
  const document = shown({
    ...PARTS,
    state: { ...state, snapshot: undefined, keptIds: [], lastReload: undefined },
    lastOrder: undefined,
    listed: [],
    supervisorCpu: undefined,
  });
  assert.deepEqual(complaintsOf(openApiDocument.components.schemas.Operations, document), []);
  assert.deepEqual([document.snapshot, document.last_order, document.supervisor.cpu], [null, null, null]);
});

test('the source shows its manifest and what is wrong with it, in the form of the schema', () => {
  const record = new SourceRecord(
    'https://data.example/latest.json',
    () => ID,
    () => NOW_MS,
  );
  const { schemas } = openApiDocument.components;
  const document = () => shown({ ...PARTS, source: record.state() });
  assert.equal(shown(PARTS).source, null);
  assert.deepEqual(complaintsOf(schemas.Operations, document()), []);
  record.take({ kind: 'polled', atMs: NOW_MS, isAnswered: true });
  record.take({ kind: 'clock', aheadMs: -61_000 });
  record.take({ kind: 'manifest', manifest: { ...MANIFEST, activate_at: '2026-01-02T01:00:00Z' } });
  record.prepared(MANIFEST.snapshot.id);
  const problem = { kind: 'refused', code: 'expired', message: 'it ended', sequence: 8 } as const;
  record.take({ kind: 'problem', problem });
  const { source } = document();
  assert.deepEqual(complaintsOf(schemas.Operations, document()), []);
  assert.deepEqual(
    [source.url, source.last_poll, source.manifest.state, source.manifest.activate_at],
    ['https://data.example/latest.json', '2026-01-02T00:00:00.000Z', 'prepared', '2026-01-02T01:00:00Z'],
  );
  assert.deepEqual(source.problem, { ...problem, since: '2026-01-02T00:00:00.000Z' });
  record.refused(`fleet-${MANIFEST.snapshot.id}.vdx`, 'shrunk', 'it lost its data');
  record.take({ kind: 'problem', problem: { kind: 'store', message: 'status 403' } });
  assert.deepEqual(complaintsOf(schemas.Operations, document()), []);
  assert.deepEqual(document().source.manifest.reason, { code: 'shrunk', message: 'it lost its data' });
});

test('quotas over a fleet show their mode and their problem, in the form of the schema', () => {
  const shownLimits = (leaser: LeaserState | undefined) => {
    const limits = { engine: 'valkey://v.example:6379', replica: 'r', leaser };
    const document = shown({ ...PARTS, state: { ...PARTS.state, limits } });
    assert.deepEqual(complaintsOf(openApiDocument.components.schemas.Operations, document), []);
    return document.limits;
  };
  assert.equal(shown(PARTS).limits, null);
  assert.equal(shownLimits(undefined).mode, 'starting');
  const problem = { code: 'full', message: 'its memory is full' } as const;
  const leaser = { ...LEASER, mode: 'local', problem } as const;
  assert.deepEqual([shownLimits(leaser).mode, shownLimits(leaser).problem], ['local', problem]);
  assert.equal(shownLimits({ ...LEASER, evictionPolicy: undefined }).eviction_policy, null);
});

test('what does not fit is left out list by list, and named', () => {
  const whole = Buffer.byteLength(JSON.stringify(shown(PARTS)));
  const smaller = shown(PARTS, whole - 1);
  assert.deepEqual([smaller.omitted, smaller.keys], [['keys.shown'], { total: 1, shown: [] }]);
  assert.deepEqual(complaintsOf(openApiDocument.components.schemas.Operations, smaller), []);
  assert.equal(smaller.hottest.length, 1);
  const slowest = Array.from({ length: 20 }, () => ({ ...PARTS.slowest[0], path: 'x'.repeat(1_000) }));
  const least = shown({ ...PARTS, slowest }, whole);
  assert.deepEqual(least.omitted, ['keys.shown', 'hottest', 'slowest']);
  assert.equal(renderOperations(PARTS, 100), undefined);
});
