// The pages for operators against the program: what they list is what there is.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { shippedTiers } from '../src/access/keys-file.ts';
import * as statuses from '../src/cli/command-error.ts';
import { DEFAULT_LOSS_LIMITS } from '../src/cli/guards/loss-limits.ts';
import { DEFAULT_MAX_REJECT_PERCENT } from '../src/cli/sources/reject-limit.ts';
import { ENDPOINTS } from '../src/dialects/dialects.ts';
import { SNAPSHOT_ERROR_CODES } from '../src/loader/errors.ts';
import { CONDITION_NAMES } from '../src/serve/conditions.ts';
import { allocateCounters, CountersView } from '../src/serve/counters.ts';
import { Metrics } from '../src/serve/ops/metrics.ts';
import type { SupervisorState } from '../src/serve/ops/status.ts';
import { SourceRecord } from '../src/serve/snapshots/source-record.ts';

const STARTING: SupervisorState = {
  version: '1.2.3',
  transport: 'uws',
  mounts: [],
  startedAtMs: 0,
  isDraining: false,
  snapshot: undefined,
  keptIds: [],
  prepared: undefined,
  workers: [],
  rollBack: undefined,
  conditions: [],
  lastReload: undefined,
};

/** The lines below a heading, up to the next one. */
function section(page: string, heading: string): readonly string[] {
  const lines = readFileSync(new URL(`../docs/${page}`, import.meta.url), 'utf8').split('\n');
  const start = lines.indexOf(heading);
  assert.ok(start >= 0, `${page} has no heading "${heading}"`);
  const length = lines.slice(start + 1).findIndex((line) => line.startsWith('#'));
  return lines.slice(start + 1, length < 0 ? undefined : start + 1 + length);
}

/** The texts in backticks in a column of the section's table. */
function listed(lines: readonly string[], column = 0): readonly string[] {
  const cells = lines.filter((line) => line.startsWith('|')).map((line) => line.split(' | ')[column] ?? '');
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1]));
}

test('docs/health.md lists every condition', () => {
  assert.deepEqual(listed(section('health.md', '## Conditions')), CONDITION_NAMES);
});

test('docs/health.md lists every metric', async () => {
  const metrics = new Metrics(new CountersView(allocateCounters(1)), () => STARTING);
  metrics.exposeLog(() => 0);
  metrics.exposeMaxConnections(1);
  metrics.exposeSource(() => new SourceRecord('https://x/latest.json', () => undefined).state());
  const text = await metrics.render();
  const names = [...text.matchAll(/^# HELP vulndex_(\w+) /gm)].map((match) => match[1]);
  assert.ok(names.length > 20);
  const page = new Set(listed(section('health.md', '## Metrics'), 1));
  assert.deepEqual(
    names.filter((name) => !page.has(name)),
    [],
  );
});

test('docs/feeding.md lists every code of a refused snapshot', () => {
  const codes = [...SNAPSHOT_ERROR_CODES, 'internal'];
  const page = listed(section('feeding.md', '## When a snapshot is refused'));
  assert.deepEqual([...page].sort(), codes.sort());
});

test('docs/feeding.md names the guards with their defaults', () => {
  const { maxWithdrawn, maxShrink } = DEFAULT_LOSS_LIMITS;
  const guards = section('feeding.md', '## Guards against losing data').join('\n');
  const found = [...guards.matchAll(/^- `(--max-\w+)` \((\d+)\)/gm)].map((match) => match.slice(1));
  assert.deepEqual(found, [
    ['--max-withdrawn', String(maxWithdrawn)],
    ['--max-shrink', String(maxShrink)],
    ['--max-reject', String(DEFAULT_MAX_REJECT_PERCENT)],
  ]);
});

test('docs/keys.md lists the endpoints of tiers and the shipped tiers', () => {
  const lines = section('keys.md', '## The file');
  const [endpoints] = lines.filter((line) => line.startsWith('| `endpoints` |'));
  assert.deepEqual(listed([endpoints], 1), ENDPOINTS);
  const tiers = lines.flatMap(
    (line) => /^\| `(\w+)` \| [^|]+ \| (?:[\d,]+ a day|no limit) \|$/.exec(line)?.[1] ?? [],
  );
  assert.deepEqual(tiers, Object.keys(shippedTiers(ENDPOINTS)));
});

test('docs/commands.md lists every exit status', () => {
  const page = section('commands.md', '## Exit statuses').flatMap(
    (line) => /^\| (\d) \|/.exec(line)?.[1] ?? [],
  );
  const known = Object.entries(statuses).flatMap(([name, value]) => (name.startsWith('EXIT_') ? value : []));
  assert.deepEqual(page.map(Number), [...new Set([0, ...known])].sort());
});
