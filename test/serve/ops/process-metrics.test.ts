import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProcessMetrics } from '../../../src/serve/ops/process-metrics.ts';

const EVERYWHERE = [
  'process_cpu_user_seconds_total',
  'process_cpu_system_seconds_total',
  'process_cpu_seconds_total',
  'process_start_time_seconds',
  'process_resident_memory_bytes',
  'nodejs_eventloop_lag_seconds',
  'nodejs_eventloop_lag_min_seconds',
  'nodejs_eventloop_lag_max_seconds',
  'nodejs_eventloop_lag_mean_seconds',
  'nodejs_eventloop_lag_stddev_seconds',
  'nodejs_eventloop_lag_p50_seconds',
  'nodejs_eventloop_lag_p90_seconds',
  'nodejs_eventloop_lag_p99_seconds',
  'nodejs_active_resources',
  'nodejs_active_handles',
  'nodejs_active_requests',
  'nodejs_heap_size_total_bytes',
  'nodejs_heap_size_used_bytes',
  'nodejs_external_memory_bytes',
  'nodejs_heap_space_size_total_bytes',
  'nodejs_heap_space_size_used_bytes',
  'nodejs_heap_space_size_available_bytes',
  'nodejs_version_info',
  'nodejs_gc_duration_seconds',
];
const ON_LINUX = [
  'process_virtual_memory_bytes',
  'process_heap_bytes',
  'process_open_fds',
  'process_max_fds',
];

test('the metrics have the names that dashboards for Node expect, in their order', () => {
  const names = new ProcessMetrics().read().map(({ name }) => name);
  assert.deepEqual(
    names.filter((name) => !ON_LINUX.includes(name)),
    EVERYWHERE,
  );
  if (process.platform === 'linux')
    assert.deepEqual(
      names.filter((name) => ON_LINUX.includes(name)),
      ON_LINUX,
    );
});

test('figures of the process are those of the system', () => {
  const values = new Map(
    new ProcessMetrics().read().map(({ name, samples: [first] }) => [name, first?.value ?? 0]),
  );
  const resident = values.get('process_resident_memory_bytes') ?? 0;
  assert.ok(resident > 10e6 && resident < 10e9, String(resident));
  const startedAgo = Date.now() / 1000 - (values.get('process_start_time_seconds') ?? 0);
  assert.ok(Math.abs(startedAgo - process.uptime()) < 2, String(startedAgo));
  if (process.platform !== 'linux') return;
  assert.ok((values.get('process_open_fds') ?? 0) >= 3);
  assert.ok((values.get('process_max_fds') ?? 0) >= (values.get('process_open_fds') ?? 0));
});
