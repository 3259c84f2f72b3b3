// Bodies that ask for much work, all at once, on one worker: none of them may be felt by who asks for little,
// none may be taken for a hang, and each is answered. VULNDEX_SOAK_ENTRY names the entry of another build, to
// compare.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { compileFeeds } from '../../src/cli/sources/compile-feeds.ts';
import { realDataOptions, realFeedPath } from '../support/feeds/real-data.ts';
import { figure } from '../support/figure.ts';
import { temporaryFolder } from '../support/folder.ts';
import { describeFailures, Load } from '../support/load/load.ts';
import { get } from '../support/load/mix.ts';
import { writeAccess } from '../support/process/access.ts';
import { RudeSocket } from '../support/process/rude-socket.ts';
import { ServerProcess } from '../support/process/server-process.ts';
import { TRANSPORTS } from '../support/serving/transports.ts';
import { mebibytes, residentBytes } from './support/process-figures.ts';
import { isQuick, sleep } from './support/scale.ts';

const COUNTS = isQuick ? [40] : [40, 400];
const MOST_MEDIAN_MS = 50;
/** Beside 400, the heads and first pieces of all of them may come before a request. */
const MOST_WORST_MS: Readonly<Record<number, number>> = { 40: 250, 400: 1_000 };
const PATIENCE_MS = 150_000;
const PROBE_PAUSE_MS = 5;

/** Of packages with many advisories, so that versions are compared and not only names. */
const NPM_NAMES = ['next', 'electron', 'lodash', 'directus', 'parse-server', 'undici', 'vite', 'axios'];

interface Attack {
  readonly name: string;
  readonly path: string;
  /** Undefined for GET. */
  readonly body?: Buffer;
}

const ATTACKS: readonly Attack[] = [
  {
    name: 'OSV bodies with a million brackets',
    path: '/osv/v1/query',
    body: Buffer.from(`{"queries":[],"z":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`),
  },
  { name: 'trees of 60,000 levels', path: '/-/npm/v1/security/audits/quick', body: deepTree(60_000) },
  {
    name: 'flat trees with 180,000 keys in one object',
    path: '/-/npm/v1/security/audits/quick',
    body: wideTree(180_000),
  },
  {
    name: 'audits of 100 names with 500 pre-releases each',
    path: '/-/npm/v1/security/advisories/bulk',
    body: prereleases(100, 500),
  },
  {
    name: 'flat batches of 50 products in any version',
    path: '/database/api/v2/batch',
    body: anyVersions(50),
  },
  { name: 'explanations of WordPress', path: '/explain/wordpress/wordpress/5.0' },
];

function deepTree(depth: number): Buffer {
  const levels = Array.from(
    { length: depth },
    (_, i) => `"p${i % 1_000}":{"version":"1.0.${i}","dependencies":{`,
  );
  return Buffer.from(`{"dependencies":{${levels.join('')}${'}}'.repeat(depth)}}}`);
}

function wideTree(keys: number): Buffer {
  const requires = Array.from({ length: keys }, (_, i) => `"k${i.toString(36)}":"1"`);
  return Buffer.from(`{"dependencies":{"a":{"version":"1.0.0","requires":{${requires.join(',')}}}}}`);
}

/** The names that have no advisories are spellings of others. */
function prereleases(names: number, versions: number): Buffer {
  const list = Array.from({ length: versions }, (_, i) => `${i % 20}.${i % 7}.0-alpha.${i}`);
  const body = Array.from({ length: names }, (_, i) => {
    const name = NPM_NAMES[i % NPM_NAMES.length] as string;
    return [i < NPM_NAMES.length ? name : `${name}-${i}`, list] as const;
  });
  return Buffer.from(JSON.stringify(Object.fromEntries(body)));
}

function anyVersions(count: number): Buffer {
  const names = [
    'wordpress',
    'woocommerce',
    'elementor',
    'jetpack',
    'contact-form-7',
    'wp-statistics',
    'ninja-forms',
  ];
  const items = Array.from({ length: count }, (_, i) => {
    const name = names[i % names.length] as string;
    return { name, version: '*', type: name === 'wordpress' ? 'wordpress' : 'plugin' };
  });
  return Buffer.from(JSON.stringify(items));
}

/** Where a dialect takes it, the body is compressed: few bytes that stand for many. */
function requestOf({ path, body }: Attack): Buffer {
  if (body === undefined) return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: soak\r\n\r\n`);
  const isCompressed = !path.endsWith('/batch');
  const sent = isCompressed ? gzipSync(body) : body;
  const coding = isCompressed ? 'Content-Encoding: gzip\r\n' : '';
  const head = `POST ${path} HTTP/1.1\r\nHost: soak\r\n${coding}Content-Length: ${sent.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), sent]);
}

/** The status once the reply has arrived in full, or what came instead. */
async function outcome(socket: RudeSocket): Promise<string> {
  const startMs = performance.now();
  for (;;) {
    const headEnd = socket.received.indexOf('\r\n\r\n');
    if (headEnd > 0) {
      const length = Number(/\r\nContent-Length: (\d+)/i.exec(socket.received)?.[1]);
      if (socket.receivedBytes >= headEnd + 4 + length) return socket.received.slice(9, 12);
    }
    if (socket.isClosed) return 'closed';
    if (performance.now() - startMs > PATIENCE_MS) return 'no reply';
    await sleep(10);
  }
}

async function flood(t: TestContext, server: ServerProcess, key: string, request: Buffer, count: number) {
  const load = new Load({
    port: server.port,
    connections: 2,
    next: () => get('/product/plugin/woocommerce/1.0.0/exists', key),
    pauseMs: PROBE_PAUSE_MS,
    timeoutMs: PATIENCE_MS,
  });
  await sleep(500);
  const quiet = load.turn();
  const sockets = await Promise.all(Array.from({ length: count }, () => RudeSocket.open(server.port)));
  const startMs = performance.now();
  for (const socket of sockets) socket.send(request);
  const outcomes = await Promise.all(sockets.map(outcome));
  const tookMs = performance.now() - startMs;
  const beside = await load.stop();
  for (const socket of sockets) socket.hangUp();
  const tally = new Map<string, number>();
  for (const each of outcomes) tally.set(each, (tally.get(each) ?? 0) + 1);
  const replaced = server.logged('worker is replaced').length;
  const statuses = [...tally].map(([status, number]) => `${number} x ${status}`).join(', ');
  t.diagnostic(`${statuses}; answered in ${(tookMs / 1_000).toFixed(1)} s; ${replaced} workers replaced`);
  t.diagnostic(`exists before: ${quiet.summary()}; beside: ${beside.summary()}`);
  t.diagnostic(
    `memory ${server.hasExited ? 'gone: the process has ended' : mebibytes(residentBytes(server.pid))}`,
  );
  assert.equal(server.hasExited, false, 'the process lives');
  assert.equal(replaced, 0, 'no worker was replaced');
  assert.equal((tally.get('closed') ?? 0) + (tally.get('no reply') ?? 0), 0, statuses);
  assert.equal(load.failures.length, 0, describeFailures(load.failures));
  const about = { source: 'flood', unit: 'ms' };
  const worst = {
    name: `slowest exists beside ${t.name}`,
    value: beside.at(100),
    ceiling: MOST_WORST_MS[count],
  };
  figure(t, {
    ...about,
    name: `median of exists beside ${t.name}`,
    value: beside.at(50),
    ceiling: MOST_MEDIAN_MS,
  });
  figure(t, { ...about, ...worst });
}

test('floods of dear requests', realDataOptions, async (t) => {
  const folder = temporaryFolder(t);
  const snapshots = join(folder, 'snapshots');
  const feeds = [realFeedPath('wordpress'), realFeedPath('npm')];
  await compileFeeds(
    { feeds, out: `${snapshots}/`, skipInvalid: false, builtAtMs: Date.UTC(2026, 0, 10) },
    () => {},
  );
  // No quota helps: callers without a key may ask for more than anybody can.
  const unlimited = { anonymous: { limit: 1_000_000, window_seconds: 100 } };
  const { file: keys, free } = writeAccess(join(folder, 'keys.json'), unlimited);
  for (const { kind, skip } of TRANSPORTS) {
    for (const attack of ATTACKS) {
      const request = requestOf(attack);
      for (const count of COUNTS) {
        await t.test(
          `${kind}: ${count} ${attack.name}, ${request.length} bytes each`,
          { skip },
          async (t) => {
            const server = await ServerProcess.start(t, {
              snapshots,
              keys,
              workers: 1,
              ...(process.env.VULNDEX_SOAK_ENTRY === undefined
                ? {}
                : { entry: process.env.VULNDEX_SOAK_ENTRY }),
              options: {
                transport: kind,
                mounts: 'all',
                anonymous: ['patchstack', 'npm-audit', 'osv', 'patchstack-flat'],
              },
            });
            await flood(t, server, free, request, count);
            assert.equal(await server.stop(), 0);
          },
        );
      }
    }
  }
});
