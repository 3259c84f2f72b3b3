// Bodies that take long, many at once, and a small request behind them, which does not wait for all of them.
// The full form, with figures, is test/soak/flood.soak.ts.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { DEFAULT_LIMITS } from '../../src/http/transport/transport.ts';
import { feedRecord, npmProduct, span } from '../support/feeds/advisories.ts';
import { handleInProcess } from '../support/serving/in-process.ts';
import { startServer } from '../support/serving/server.ts';
import { TRANSPORTS } from '../support/serving/transports.ts';
import { HOST, open } from '../support/serving/wire.ts';

const BODIES = 30;

interface Flood {
  readonly name: string;
  readonly path: string;
  readonly body?: string;
  /** How often it lets others be answered, at least. */
  readonly pauses: number;
  /** Whether its replies are so short that they tell when the work was done. */
  readonly isTerse: boolean;
}

const KEYS = Array.from({ length: 20_000 }, (_, i) => `"k${i}":"1"`).join(',');
const PRERELEASES = Array.from({ length: 3_000 }, (_, i) => `${i % 9}.${i % 7}.0-alpha.${i}`);

/** Each takes several milliseconds. */
const FLOODS: readonly Flood[] = [
  {
    name: 'trees with many keys in one object',
    path: '/-/npm/v1/security/audits/quick',
    body: `{"dependencies":{"a":{"version":"1.0.0","requires":{${KEYS}}}}}`,
    pauses: 10,
    isTerse: true,
  },
  {
    name: 'audits of many pre-releases',
    path: '/-/npm/v1/security/advisories/bulk',
    body: JSON.stringify(Object.fromEntries(['lodash', 'next'].map((name) => [name, PRERELEASES]))),
    pauses: 2 * (3_000 / 256),
    isTerse: true,
  },
  {
    name: 'batches of OSV with whole records',
    path: '/osv/v1/querybatch?full=1',
    body: JSON.stringify({ queries: Array(100).fill({ package: { ecosystem: 'npm', name: 'lodash' } }) }),
    pauses: 400,
    isTerse: false,
  },
  {
    name: 'flat batches of any version',
    path: '/database/api/v2/batch',
    body: JSON.stringify(
      Array.from({ length: 50 }, (_, i) => ({ name: `large-${i}`, version: '*', type: 'plugin' })),
    ),
    pauses: 500,
    isTerse: false,
  },
  {
    name: 'explanations of a product with many ranges',
    path: '/explain/plugin/ranged/5.0',
    pauses: 40,
    isTerse: false,
  },
];

const RECORDS = [
  feedRecord(1),
  ...['lodash', 'next'].flatMap((name, n) =>
    Array.from({ length: 30 }, (_, i) =>
      feedRecord(100 + 100 * n + i, {
        product: npmProduct(name),
        affected: Array.from({ length: 10 }, (_, at) => span(`${at}.0.0`, `${at}.${i % 9}.9`)),
        details: `All about it, number ${i}. `.repeat(200),
      }),
    ),
  ),
  ...Array.from({ length: 50 }, (_, i) =>
    Array.from({ length: 10 }, (_, at) =>
      feedRecord(1_000 + 10 * i + at, {
        product: { id: 9, type: 'plugin', slug: `large-${i}`, name: 'Large' },
      }),
    ),
  ).flat(),
  ...Array.from({ length: 40 }, (_, i) =>
    feedRecord(2_000 + i, {
      product: { id: 8, type: 'plugin', slug: 'ranged', name: 'Ranged' },
      affected: Array.from({ length: 60 }, (_, at) =>
        span(`${at}.${i}`, `${at}.${i}.9`, 'exclusive', `${at}.${i}.9`),
      ),
    }),
  ),
];

function requestOf({ path, body }: Flood): Buffer {
  if (body === undefined) return Buffer.from(`GET ${path} HTTP/1.1\r\n${HOST}\r\n`);
  const sent = path.includes('/batch') ? Buffer.from(body) : gzipSync(body);
  const coding = path.includes('/batch') ? '' : 'Content-Encoding: gzip\r\n';
  const head = `POST ${path} HTTP/1.1\r\n${HOST}${coding}Content-Length: ${sent.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), sent]);
}

for (const { kind, skip } of TRANSPORTS) {
  for (const flood of FLOODS.filter(({ isTerse }) => isTerse)) {
    test(`over ${kind}, a small request does not wait for ${flood.name}`, { skip }, async (t) => {
      const server = await startServer(t, {
        records: RECORDS,
        transport: kind,
        limits: { turnMs: DEFAULT_LIMITS.turnMs },
      });
      const request = requestOf(flood);
      const wires = Array.from({ length: BODIES + 1 }, () => open(t, server.port));
      for (const wire of wires) {
        wire.get('/healthz');
        await wire.reply();
      }
      const small = wires.pop() ?? assert.fail();
      let answered = 0;
      // All of them have arrived when the server reads next.
      for (const wire of wires) wire.socket.write(request);
      small.get('/product/plugin/gallery/1.0/exists');
      const floods = wires.map(async (wire) => {
        const { status } = await wire.reply();
        answered++;
        return status;
      });
      assert.equal((await small.reply()).body, '{"vulnerable":true}');
      const before = answered;
      assert.deepEqual(new Set(await Promise.all(floods)), new Set([200]));
      assert.ok(before < BODIES / 2, `${before} of ${BODIES} were answered before it`);
    });
  }
}

test('what takes long pauses often', async (t) => {
  const server = await startServer(t, { records: RECORDS });
  const handle = handleInProcess(server.swap.current() ?? assert.fail());
  for (const { name, path, body, pauses } of FLOODS) {
    const handled = handle(path, body === undefined ? 'GET' : 'POST');
    assert.ok('kind' in handled);
    const work = handled.kind === 'work' ? handled : handled.work(Buffer.from(body ?? ''));
    const count = [...work.steps()].length;
    assert.ok(count >= pauses, `${name}: ${count}`);
  }
});
