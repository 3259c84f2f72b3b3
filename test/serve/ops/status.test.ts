import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allocateCounters, CountersView, WorkerCounters } from '../../../src/serve/counters.ts';
import { renderStatus, type SupervisorState } from '../../../src/serve/ops/status.ts';
import { typeCounts } from '../../support/snapshots/type-counts.ts';

const NOW_MS = Date.UTC(2026, 9, 2, 12);

const STARTING: SupervisorState = {
  version: '1.2.3',
  transport: 'node',
  mounts: [
    { dialect: 'patchstack', paths: ['/', '/database/api/npm'], anonymous: false },
    { dialect: 'osv', paths: ['/osv'], anonymous: true },
  ],
  startedAtMs: NOW_MS - 61_900,
  isDraining: false,
  snapshot: undefined,
  keptIds: [],
  prepared: undefined,
  workers: [
    { state: 'serving', restarts: 0 },
    { state: 'replacing', restarts: 2 },
  ],
  lastReload: undefined,
  rollBack: undefined,
  conditions: [],
};

function statusOf(state: SupervisorState, counters = allocateCounters(2)): unknown {
  return JSON.parse(renderStatus(state, new CountersView(counters), NOW_MS));
}

test('before the first snapshot there are workers and an uptime, and null for everything else', () => {
  const counters = allocateCounters(2);
  new WorkerCounters(counters, 0).connected();
  assert.deepEqual(statusOf(STARTING, counters), {
    version: '1.2.3',
    transport: 'node',
    mounts: STARTING.mounts,
    uptime_seconds: 61,
    draining: false,
    conditions: [],
    snapshot: null,
    kept: [],
    prepared: null,
    workers: [
      { index: 0, state: 'serving', restarts: 0, connections: 1 },
      { index: 1, state: 'replacing', restarts: 2, connections: 0 },
    ],
    last_reload: null,
    roll_back: null,
    source: null,
  });
});

test('a snapshot shows its id, its age and its contents', () => {
  const status = statusOf({
    ...STARTING,
    isDraining: true,
    workers: [],
    snapshot: {
      id: '0123456789abcdef',
      format: 3,
      builtAtMs: NOW_MS - 3_600_500,
      loadedAtMs: NOW_MS - 30_000,
      file: 'today.vdx',
      fileBytes: 4_096,
      typeCounts: typeCounts({ plugin: 4, theme: 3, wordpress: 2, npm: 1 }),
    },
    keptIds: ['0123456789abcdef', 'fedcba9876543210'],
    prepared: { id: 'fedcba9876543210', fileCount: 2, bytes: 5_000, atMs: NOW_MS - 60_000 },
    lastReload: { kind: 'loaded', atMs: NOW_MS - 30_000, file: 'today.vdx', id: '0123456789abcdef' },
  });
  assert.deepEqual(status, {
    version: '1.2.3',
    transport: 'node',
    mounts: STARTING.mounts,
    uptime_seconds: 61,
    draining: true,
    conditions: [],
    snapshot: {
      id: '0123456789abcdef',
      format: 3,
      built_at: '2026-10-02T10:59:59.500Z',
      loaded_at: '2026-10-02T11:59:30.000Z',
      age_seconds: 3600,
      advisories: typeCounts({ plugin: 4, theme: 3, wordpress: 2, npm: 1 }),
      file: 'today.vdx',
      file_bytes: 4096,
    },
    kept: ['0123456789abcdef', 'fedcba9876543210'],
    prepared: { id: 'fedcba9876543210', files: 2, bytes: 5_000, ready_at: '2026-10-02T11:59:00.000Z' },
    workers: [],
    last_reload: {
      at: '2026-10-02T11:59:30.000Z',
      outcome: 'loaded',
      file: 'today.vdx',
      id: '0123456789abcdef',
    },
    roll_back: null,
    source: null,
  });
});

test('a refused file is the last reload, with its error, while the previous snapshot stays live', () => {
  const message =
    'snapshot rejected: truncated in "file" at byte 500 (expected 1320 bytes, got 500); fetch it again';
  const status = statusOf({
    ...STARTING,
    lastReload: { kind: 'refused', atMs: NOW_MS, file: 'half.vdx', code: 'truncated', message },
  });
  assert.deepEqual((status as { last_reload: unknown }).last_reload, {
    at: '2026-10-02T12:00:00.000Z',
    outcome: 'refused',
    file: 'half.vdx',
    error: { code: 'truncated', message },
  });
});

test('a condition says since when it lasts and what is answered meanwhile', () => {
  const status = statusOf({
    ...STARTING,
    conditions: [
      {
        name: 'snapshot_folder_unreadable',
        sinceMs: NOW_MS,
        answered: 'from the live snapshot',
        reason: 'EACCES',
      },
      {
        name: 'keys_file_refused',
        sinceMs: NOW_MS,
        answered: 'with the keys read before',
        reason: undefined,
      },
    ],
  });
  assert.deepEqual((status as { conditions: unknown }).conditions, [
    {
      condition: 'snapshot_folder_unreadable',
      since: '2026-10-02T12:00:00.000Z',
      answered: 'from the live snapshot',
      reason: 'EACCES',
    },
    {
      condition: 'keys_file_refused',
      since: '2026-10-02T12:00:00.000Z',
      answered: 'with the keys read before',
    },
  ]);
});

test('a roll-back shows what is served, what must arrive to end it, and why it is not followed', () => {
  const newerThan = { id: 'fedcba9876543210', builtAtMs: NOW_MS - 60_000 };
  const order = { file: 'old.vdx', id: '0123456789abcdef', newerThan, orderedAtMs: NOW_MS };
  const status = statusOf({
    ...STARTING,
    rollBack: {
      text: '',
      order,
      from: newerThan,
      phase: { kind: 'pending', problem: 'there is no old.vdx' },
    },
  });
  assert.deepEqual((status as { roll_back: unknown }).roll_back, {
    state: 'pending',
    file: 'old.vdx',
    id: '0123456789abcdef',
    newer_than: { id: 'fedcba9876543210', built_at: '2026-10-02T11:59:00.000Z' },
    ordered_at: '2026-10-02T12:00:00.000Z',
    problem: 'there is no old.vdx',
  });
});
