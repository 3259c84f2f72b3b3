// The files in deploy/ against the program: what they name exists, what they set is an option, their time
// limits add up. No image is built and no unit is started here; HAProxy is, on loopback.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Command } from 'commander';
import { addServeOptions } from '../../src/cli/serve.ts';
import { ROUTE_LABELS } from '../../src/dialects/dialects.ts';
import { PROBLEM_CODES, type ProblemCode } from '../../src/dialects/patchstack/problems.ts';
import { PROBLEMS } from '../../src/dialects/request-problems.ts';
import { typeOf } from '../../src/http/replies/problems.ts';
import type { SupervisorState } from '../../src/serve/ops/status.ts';
import { exportedMetrics, metricsIn } from '../support/exported-metrics.ts';
import { feedRecord } from '../support/feeds/advisories.ts';
import { Haproxy, hasHaproxy } from '../support/process/haproxy.ts';
import { freePort } from '../support/process/ports.ts';
import { RudeSocket } from '../support/process/rude-socket.ts';
import { PARTNER_KEY, startServer } from '../support/serving/server.ts';
import { typeCounts } from '../support/snapshots/type-counts.ts';
import { until } from '../support/until.ts';

const read = (file: string): string => readFileSync(new URL(`../../deploy/${file}`, import.meta.url), 'utf8');

/** Without comments and blank lines, and with continued lines joined. */
function linesOf(file: string): string[] {
  return read(file)
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

const LOADED: SupervisorState = {
  version: '1.2.3',
  transport: 'uws',
  mounts: [],
  startedAtMs: 0,
  isDraining: false,
  snapshot: {
    id: '0123456789abcdef',
    format: 3,
    builtAtMs: 0,
    loadedAtMs: 0,
    file: 'today.vdx',
    fileBytes: 4_096,
    typeCounts: typeCounts({ plugin: 1, theme: 1, wordpress: 1, npm: 1 }),
  },
  keptIds: ['0123456789abcdef'],
  prepared: undefined,
  workers: [],
  rollBack: undefined,
  conditions: [],
  lastReload: undefined,
};

const OPTIONS = addServeOptions(new Command()).options;
const VARIABLES = new Set(OPTIONS.map(({ envVar }) => envVar));
const dockerfile = linesOf('Dockerfile');
const unit = linesOf('vulndex.service');

/** The paths that COPY takes from the build context. */
const copied = dockerfile
  .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
  .flatMap((line) => line.split(/\s+/).slice(1, -1));

function settingOf(key: string): string {
  const line = unit.find((candidate) => candidate.startsWith(`${key}=`));
  assert.ok(line !== undefined, `the unit has no ${key}`);
  return line.slice(key.length + 1);
}

test('every path that the image copies from the repository exists and is let into the build', () => {
  assert.ok(copied.length > 0);
  const ignore = linesOf('Dockerfile.dockerignore');
  assert.equal(ignore[0], '*', 'everything is excluded unless named');
  for (const path of copied) {
    assert.ok(existsSync(new URL(`../../${path}`, import.meta.url)), `${path} does not exist`);
    assert.ok(ignore.includes(`!${path}`), `${path} is kept out of the build`);
  }
  assert.deepEqual(
    ignore
      .slice(1)
      .map((line) => line.slice(1))
      .sort(),
    copied.map((path) => path.replace(/^\.\//, '')).sort(),
  );
});

test('the image runs as an ordinary user and stops with the signal that drains', () => {
  const from = dockerfile.findLastIndex((line) => line.startsWith('FROM '));
  const last = dockerfile.slice(from);
  assert.ok(last.includes('USER node'));
  assert.ok(last.includes('STOPSIGNAL SIGTERM'));
  assert.ok(last.some((line) => line.startsWith('HEALTHCHECK ') && line.includes('/healthz')));
});

test('the variables set by image and unit are variables of serve', () => {
  const set = [
    ...read('Dockerfile').matchAll(/\b(VULNDEX_\w+)=/g),
    ...unit.join('\n').matchAll(/=(VULNDEX_\w+)=/g),
  ];
  assert.ok(set.length > 3);
  for (const [, name] of set) assert.ok(VARIABLES.has(name), `${name} is not a variable of serve`);
});

test('the stop timeout of the unit exceeds the drain plus the time for requests in flight', () => {
  const drainSeconds = Number(OPTIONS.find(({ envVar }) => envVar === 'VULNDEX_DRAIN_SECONDS')?.defaultValue);
  const exchangeSeconds = 60; // the longest a reply may take to be sent; http/transport/transport.ts
  assert.ok(Number(settingOf('TimeoutStopSec')) > drainSeconds + exchangeSeconds);
  assert.equal(settingOf('ExecReload'), '/bin/kill -HUP $MAINPID');
});

test('the unit allows the descriptors that the default cap on connections needs', () => {
  const perWorker = Number(OPTIONS.find(({ envVar }) => envVar === 'VULNDEX_MAX_CONNECTIONS')?.defaultValue);
  assert.ok(Number(settingOf('LimitNOFILE')) > 3 * perWorker);
});

test('the unit waits for readiness, and listens to the program that tells it', () => {
  assert.deepEqual(['Type', 'TimeoutStartSec', 'NotifyAccess'].map(settingOf), ['notify', 'infinity', 'all']);
});

test('systemd finds nothing wrong with the unit', (t) => {
  // Missing here: the program's folder and its user, so only complaints about the file itself count.
  const { error, stderr } = spawnSync('systemd-analyze', ['verify', 'deploy/vulndex.service'], {
    encoding: 'utf8',
  });
  if (error !== undefined) return t.skip('systemd-analyze is not installed');
  assert.deepEqual(
    stderr
      .split('\n')
      .filter((line) => line.includes('vulndex.service') && !line.includes('is not executable')),
    [],
  );
});

test('every metric used by an alert is exposed by the server, and every alert is explained where it is and on the page', async () => {
  const alerts = linesOf('prometheus-alerts.yml');
  const expressions = alerts.filter((line) => line.startsWith('expr: '));
  assert.ok(expressions.length > 10);
  const exposed = await exportedMetrics(LOADED);
  const asked = metricsIn(alerts.join('\n'));
  assert.ok(asked.length >= expressions.length - 1, 'only `up` is not one of our metrics');
  assert.deepEqual(
    asked.filter((name) => !exposed.has(name)),
    [],
  );
  const names = alerts.flatMap((line) => /^- alert: (\w+)$/.exec(line)?.[1] ?? []);
  assert.equal(names.length, expressions.length);
  const rules = alerts.join('\n').split('- alert: ').slice(1);
  for (const rule of rules)
    assert.match(rule, /^\w+\n(?:.*\n)*annotations:\nsummary: ".+"\naction: ".+"\s*$/);
  const page = readFileSync(new URL('../../docs/health.md', import.meta.url), 'utf8');
  const groups = page.split('\n').filter((line) => line.startsWith('|') && line.includes('`Vulndex'));
  for (const group of groups)
    assert.match(group, /^\| [A-Z][^|`]+[^|]* \| `Vulndex/, 'a group says what it means');
  const grouped = groups.flatMap((line) => [...line.matchAll(/`(Vulndex\w+)`/g)].map((match) => match[1]));
  assert.deepEqual(grouped.sort(), names.sort());
});

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly refId: string; readonly expr: string }[];
}

test('every metric on the dashboard is exposed by the server, and every panel has its place and says what it shows', async () => {
  const text = read('grafana-dashboard.json');
  const exposed = await exportedMetrics(LOADED);
  const { panels }: { readonly panels: readonly Panel[] } = JSON.parse(text);
  assert.deepEqual(
    metricsIn(text).filter((name) => !exposed.has(name)),
    [],
  );
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) => {
    assert.ok(x + w <= 24);
    return Array.from({ length: w * h }, (_, i) => `${x + (i % w)} ${y + Math.floor(i / w)}`);
  });
  assert.equal(new Set(cells).size, cells.length, 'no panel covers another');
  const shown = panels.filter(({ type }) => type !== 'row');
  for (const { title, description, targets = [] } of shown) {
    assert.ok(description !== undefined && targets.length > 0, title);
    for (const { expr } of targets) assert.ok(expr.includes('job="$job",instance=~"$instance"'), title);
    assert.equal(new Set(targets.map(({ refId }) => refId)).size, targets.length, title);
  }
});

test('alerts about durations exclude health probes', () => {
  const durations = linesOf('prometheus-alerts.yml').filter((line) =>
    line.includes('duration_seconds_bucket'),
  );
  assert.ok(durations.length > 0);
  for (const line of durations) assert.ok(line.includes('{endpoint!~"healthz|readyz"}'), line);
  for (const probe of ['healthz', 'readyz']) assert.ok(ROUTE_LABELS.includes(probe));
});

test('the scrape configuration targets the operations listener and names the alerts file', () => {
  const scrape = linesOf('prometheus.yml');
  const port = OPTIONS.find(({ envVar }) => envVar === 'VULNDEX_OPS_PORT')?.defaultValue;
  assert.ok(scrape.some((line) => line.startsWith('- targets:') && line.includes(`"127.0.0.1:${port}"`)));
  assert.ok(scrape.includes('- prometheus-alerts.yml'));
  assert.ok(scrape.includes('- job_name: vulndex'));
});

test('Prometheus accepts its files', (t) => {
  const { error, status, stdout, stderr } = spawnSync(
    'promtool',
    ['check', 'config', 'deploy/prometheus.yml'],
    { encoding: 'utf8' },
  );
  if (error !== undefined) return t.skip('promtool is not installed');
  assert.equal(status, 0, stdout + stderr);
});

test('the Docker example publishes the port on loopback only', () => {
  const docs = new URL('../../docs/', import.meta.url);
  const pages = readdirSync(docs)
    .filter((name) => name.endsWith('.md'))
    .map((name) => readFileSync(new URL(name, docs), 'utf8'));
  const published = [...pages.join('\n').matchAll(/\s(?:-p|--publish)[ =](\S+:\d+)\s/g)].map(
    (match) => match[1],
  );
  assert.deepEqual(published, ['127.0.0.1:8080:8080']);
});

test('the unit explains where the first snapshot comes from and how to refresh the data', () => {
  const comments = read('vulndex.service')
    .split('\n')
    .filter((line) => line.startsWith('#'))
    .join('\n');
  const folder = settingOf('Environment=VULNDEX_SNAPSHOTS');
  for (const words of ['First snapshot', 'Refresh', 'compile --feed', `--out ${folder}/`]) {
    assert.ok(comments.includes(words), words);
  }
});

const needsHaproxy = { skip: hasHaproxy() ? false : 'haproxy is not installed' };

test('HAProxy accepts its file', needsHaproxy, () => {
  const { status, stderr } = spawnSync('haproxy', ['-c', '-f', 'deploy/haproxy.cfg'], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
});

/** Checks an error of HAProxy itself; a code that the server also has must look the same there. */
async function assertProblem(response: Response, status: number, code: string): Promise<void> {
  const text = await response.text();
  assert.equal(response.status, status, text);
  assert.equal(response.headers.get('content-type'), 'application/problem+json', text);
  assert.equal(response.headers.get('cache-control'), 'no-store');
  const body = JSON.parse(text);
  assert.deepEqual(Object.keys(body), ['type', 'title', 'status', 'detail', 'code', 'request_id']);
  assert.equal(body.status, status);
  assert.equal(body.code, code);
  assert.equal(body.type, `urn:vulndex:problem:${code.replaceAll('_', '-')}`);
  assert.match(body.request_id, /^[\w-]{36}$/);
  if (!(PROBLEM_CODES as readonly string[]).includes(code)) return;
  const known = code as ProblemCode; // looked up above
  assert.deepEqual(
    [body.type, body.title, status],
    [typeOf(known), PROBLEMS[known].title, PROBLEMS[known].status],
  );
}

test("HAProxy's own errors have the same form as the server's", needsHaproxy, async (t) => {
  const server = await startServer(t, { records: [feedRecord(1)] });
  const { port } = await Haproxy.start(t, [server.port, await freePort()]);
  const at = `http://127.0.0.1:${port}`;
  const refused = await fetch(`${at}/all`, { method: 'DELETE' });
  assert.equal(refused.headers.get('allow'), 'GET, HEAD, POST, OPTIONS');
  await assertProblem(refused, 405, 'method_not_allowed');
  const body = 'x'.repeat(65_537);
  await assertProblem(await fetch(`${at}/batch`, { method: 'POST', body }), 413, 'body_too_large');
  const stream = new Blob(['[]']).stream(); // without a length, and so in chunks
  const chunked = { method: 'POST', body: stream, duplex: 'half' as const };
  await assertProblem(await fetch(`${at}/batch`, chunked), 411, 'length_required');
});

test('without a replica HAProxy answers 503, and when to retry', needsHaproxy, async (t) => {
  const haproxy = await Haproxy.start(t, [await freePort(), await freePort()], { isForwarding: false });
  const response = await fetch(`http://127.0.0.1:${haproxy.port}/all`);
  assert.equal(response.headers.get('retry-after'), '5');
  await assertProblem(response, 503, 'unavailable');
});

test(
  "HAProxy's log has no client address, no path, no method and no key, and no probes",
  needsHaproxy,
  async (t) => {
    const server = await startServer(t, { records: [feedRecord(1)] });
    const haproxy = await Haproxy.start(t, [server.port, await freePort()]);
    const at = `http://127.0.0.1:${haproxy.port}`;
    const headers = { PSKey: PARTNER_KEY };
    assert.equal((await fetch(`${at}/product/plugin/gallery/1.0?x=secret`, { headers })).status, 200);
    assert.equal((await fetch(`${at}/product/plugin/gallery`, { method: 'PURGE', headers })).status, 405);
    assert.equal((await fetch(`${at}/healthz`)).status, 200);
    const broken = await RudeSocket.open(haproxy.port);
    broken.send(`GET /product/plugin/gallery/1.0 HTTP/1.1\r\nHost : x\r\nPSKey: ${PARTNER_KEY}\r\n\r\n`);
    await broken.closed;
    await until('three lines in the log', () => haproxy.requestLines.length >= 3);
    const log = haproxy.requestLines.join('\n');
    // Sorted: it has several threads, and which of them writes its line first is chance.
    const statuses = [...log.matchAll(/status=(\d+)/g)].map((match) => match[1]);
    assert.deepEqual(statuses.sort(), ['200', '400', '405'], log);
    assert.doesNotMatch(log, /127\.0\.0\.1|\[::|gallery|product|GET|PURGE|secret|healthz|readyz/);
    assert.ok(!log.includes(PARTNER_KEY));
  },
);
