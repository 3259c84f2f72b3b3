import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileNameOf } from '../../../src/fleet/source-memory.ts';
import { describeSource, sourceMetrics } from '../../../src/serve/ops/source-status.ts';
import { SourceRecord } from '../../../src/serve/snapshots/source-record.ts';
import { publishTo } from '../../support/fleet/memory-store.ts';

const NOW_MS = Date.parse('2026-01-10T12:00:00Z');
const ID = 'a'.repeat(16);
const BYTES = Buffer.alloc(1000);

function sceneOf() {
  const live: { id: string | undefined } = { id: undefined };
  const record = new SourceRecord(
    'https://x/latest.json',
    () => live.id,
    () => NOW_MS,
  );
  const manifest = publishTo({ objects: new Map() }, { sequence: 7, id: ID, bytes: BYTES });
  return { live, record, manifest, status: () => record.state().status.kind };
}

test('a manifest is fetched, prepared and live', () => {
  const { live, record, manifest, status } = sceneOf();
  record.take({ kind: 'manifest', manifest });
  record.take({ kind: 'bytes', bytes: 400, added: 400 });
  assert.equal(status(), 'fetching');
  assert.equal(record.state().arrivedBytes, 400);
  record.take({ kind: 'fetched', manifest });
  record.prepared(ID);
  assert.equal(status(), 'prepared');
  live.id = ID;
  assert.equal(status(), 'live');
});

test('a manifest is refused by its follower or the loader, until it is followed after all', () => {
  const { record, manifest, status } = sceneOf();
  record.take({ kind: 'manifest', manifest });
  const wrong = { kind: 'refused', code: 'wrong-hash', message: 'no', sequence: undefined } as const;
  record.take({ kind: 'problem', problem: wrong });
  assert.deepEqual(record.state().status, { kind: 'refused', code: 'wrong-hash', message: 'no' });
  const other = { ...wrong, code: 'wrong-id' } as const;
  record.take({ kind: 'problem', problem: other });
  assert.deepEqual(record.state().status, { kind: 'refused', code: 'wrong-id', message: 'no' });
  record.take({ kind: 'problem', problem: undefined });
  record.refused('another.vdx', 'shrunk', 'not this one');
  assert.equal(status(), 'fetching');
  record.prepared(ID);
  record.refused(fileNameOf(ID), 'bad-record', 'a fault');
  assert.equal(status(), 'refused');
  record.prepared(ID);
  assert.equal(status(), 'prepared');
});

test('another manifest that is refused changes nothing about the one that is followed', () => {
  const { live, record, manifest, status } = sceneOf();
  record.take({ kind: 'manifest', manifest });
  live.id = ID;
  const older = { kind: 'refused', code: 'older-sequence', message: 'older', sequence: 6 } as const;
  record.take({ kind: 'problem', problem: older });
  record.take({ kind: 'polled', atMs: NOW_MS, isAnswered: true });
  assert.equal(status(), 'live');
  assert.deepEqual(record.state().polls, { done: 0, refused: 1, failed: 0 });
  assert.deepEqual(describeSource(record.state()), {
    url: 'https://x/latest.json',
    last_poll: '2026-01-10T12:00:00.000Z',
    last_success: '2026-01-10T12:00:00.000Z',
    sequence: 7,
    manifest: {
      sequence: 7,
      id: ID,
      state: 'live',
      published_at: '2026-01-10T12:00:00.000Z',
      expires: '2026-02-10T12:00:00.000Z',
      activate_at: null,
      bytes: 1000,
      arrived_bytes: 1000,
    },
    problem: {
      kind: 'refused',
      code: 'older-sequence',
      sequence: 6,
      message: 'older',
      since: '2026-01-10T12:00:00.000Z',
    },
    clock_ahead_seconds: null,
  });
});

test('the metrics tell the sequence, the state, and how long the source has been silent', () => {
  const { record, manifest } = sceneOf();
  record.take({ kind: 'manifest', manifest });
  record.take({ kind: 'polled', atMs: NOW_MS - 5000, isAnswered: true });
  record.take({ kind: 'clock', aheadMs: 600_000 });
  const metrics = sourceMetrics(
    'vulndex_',
    () => record.state(),
    () => NOW_MS,
  );
  const values = new Map(metrics.map(({ name, read }) => [name, read().map(({ value }) => value)]));
  assert.deepEqual(values.get('vulndex_source_sequence'), [7]);
  assert.deepEqual(values.get('vulndex_source_silence_seconds'), [5]);
  assert.deepEqual(values.get('vulndex_source_manifest_state'), [1, 0, 0, 0]);
  assert.deepEqual(values.get('vulndex_source_manifest_ends_seconds'), [31 * 86_400]);
  assert.deepEqual(values.get('vulndex_source_clock_ahead_seconds'), [600]);
});
