// One key's quota over several threads: exactly the promised number is admitted, and Retry-After is accurate.

import assert from 'node:assert/strict';
import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../support/folder.ts';
import { Builds, MARKER_SLUG } from '../support/load/builds.ts';
import { describeFailures, Load } from '../support/load/load.ts';
import { get } from '../support/load/mix.ts';
import { writeAccess } from '../support/process/access.ts';
import { HttpSocket, headerOf } from '../support/process/http-socket.ts';
import { ServerProcess } from '../support/process/server-process.ts';
import { scaled, sleep } from './support/scale.ts';

const THREADS = 4;
const REQUESTS = scaled(20_000, 5_000);
const PATH = `/product/plugin/${MARKER_SLUG}/1.0.0/exists`;
const PATIENCE_MS = 5_000;

test('four threads admit exactly the burst plus what refills during it', async (t) => {
  const folder = temporaryFolder(t);
  const snapshots = join(folder, 'snapshots');
  mkdirSync(snapshots);
  const build = await new Builds(join(folder, 'builds'), 500, 34).compile(1);
  renameSync(build.path, join(snapshots, '1.vdx'));
  const access = writeAccess(join(folder, 'keys.json'), {
    fast: { limit: 1000, window_seconds: 60 },
    slow: { limit: 10, window_seconds: 60, burst: 1 }, // one request in 6 s
  });
  const server = await ServerProcess.start(t, { snapshots, keys: access.file, workers: THREADS });

  await t.test('20,000 requests at once', async (t) => {
    let admitted = 0;
    let withoutRetryAfter = 0;
    const startMs = performance.now();
    const load = new Load({
      port: server.port,
      connections: 64,
      requests: REQUESTS,
      next: () => get(PATH, access.limited.fast as string),
      judge: ({ reply: { status, head } }) => {
        if (status === 200) admitted++;
        if (status === 429 && !(Number(headerOf(head, 'Retry-After')) >= 1)) withoutRetryAfter++;
        return status === 200 || status === 429 ? undefined : `status ${status}`;
      },
    });
    const times = await load.finished();
    const tookMs = performance.now() - startMs;
    const refill = tookMs / 60;
    t.diagnostic(`${times.summary()}, ${(REQUESTS / (tookMs / 1000)).toFixed(0)} a second`);
    t.diagnostic(`${admitted} admitted, expected ${(1000 + refill).toFixed(1)}`);
    assert.equal(load.failures.length, 0, describeFailures(load.failures));
    assert.equal(withoutRetryAfter, 0, 'every refusal says when to retry');
    assert.ok(Math.abs(admitted - (1000 + refill)) <= THREADS, `${admitted}, expected ${1000 + refill}`);
    const socket = new HttpSocket(server.port);
    const ask = () => socket.request(get(PATH, access.limited.fast as string), PATIENCE_MS);
    // A few may have refilled since the last refusal, 17 a second; far fewer than are requested here.
    let last = await ask();
    for (let turn = 0; turn < 200 && last.status === 200; turn++) last = await ask();
    assert.equal(last.status, 429, 'the refill is used up in the end');
    const waitSeconds = Number(headerOf(last.head, 'Retry-After'));
    assert.ok(waitSeconds >= 1, `Retry-After is ${waitSeconds} s`);
    await sleep(waitSeconds * 1000);
    assert.equal((await ask()).status, 200, `admitted after the ${waitSeconds} s of Retry-After`);
    socket.close();
  });

  await t.test('Retry-After is the time after which the next request is admitted', async (t) => {
    const ask = async () => {
      const socket = new HttpSocket(server.port); // a new one each time: any thread may answer
      const { status, head } = await socket.request(get(PATH, access.limited.slow as string), PATIENCE_MS);
      socket.close();
      return { status, waitSeconds: Number(headerOf(head, 'Retry-After') ?? 0) };
    };
    assert.equal((await ask()).status, 200);
    const startMs = performance.now();
    const told: number[] = [];
    for (let turn = 0; turn < 8; turn++) {
      const { status, waitSeconds } = await ask();
      assert.equal(status, 429);
      const leftSeconds = 6 - (performance.now() - startMs) / 1000;
      assert.ok(
        Math.abs(waitSeconds - Math.ceil(leftSeconds)) <= 1,
        `${waitSeconds} s with ${leftSeconds} s left`,
      );
      told.push(waitSeconds);
      await sleep(500);
    }
    const { status, waitSeconds } = await ask();
    assert.equal(status, 429);
    await sleep(waitSeconds * 1000);
    assert.equal((await ask()).status, 200, `admitted after the ${waitSeconds} s of Retry-After`);
    assert.equal((await ask()).status, 429, 'and only that one');
    t.diagnostic(`Retry-After: ${told.join(', ')} and ${waitSeconds} s`);
  });
  assert.equal(await server.stop(), 0);
});
