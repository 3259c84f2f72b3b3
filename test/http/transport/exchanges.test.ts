import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { type TestContext, test } from 'node:test';
import { Exchanges, LEAST_BYTES_PER_SECOND } from '../../../src/http/transport/exchanges.ts';

const TIMEOUT_MS = 10_000;

/** Exchanges under a clock that the test moves, and a download whose client takes what the test says. */
function scene(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let nowMs = 1_000_000;
  t.mock.method(performance, 'now', () => nowMs);
  let reliefs = 0;
  const exchanges = new Exchanges(TIMEOUT_MS, () => {
    reliefs++;
  });
  const reply = {
    takenBytes: 0,
    retries: 0,
    closedAtMs: undefined as number | undefined,
    retry: () => {
      reply.retries++;
    },
    close: () => {
      reply.closedAtMs ??= nowMs - 1_000_000;
      exchanges.forgetDownload(download, 0);
    },
  };
  const download = exchanges.openDownload(reply);
  const pass = (seconds: number, bytesPerSecond: number): void => {
    for (let second = 0; second < seconds; second++) {
      nowMs += 1_000;
      reply.takenBytes += bytesPerSecond;
      t.mock.timers.tick(1_000);
    }
  };
  return { exchanges, reply, download, pass, reliefs: () => reliefs };
}

/** What a transport does when its response is closed: the abort handler forgets the exchange. */
function openExchange(exchanges: Exchanges, bytes: number) {
  const res = {
    closes: 0,
    close: () => {
      res.closes++;
      exchanges.forget(exchange);
    },
  };
  const exchange = exchanges.open(res);
  exchanges.hold(exchange, bytes);
  return { res, exchange };
}

test('what is held for an exchange counts until it is forgotten, which happens once', (t) => {
  const { exchanges } = scene(t);
  const { exchange: first } = openExchange(exchanges, 1_000);
  const { exchange: second } = openExchange(exchanges, 30);
  exchanges.hold(second, 4);
  assert.deepEqual([exchanges.size, exchanges.heldBytes], [3, 1_034]); // with the download
  assert.equal(exchanges.forget(first), true);
  assert.deepEqual([exchanges.has(first), exchanges.has(second)], [false, true]);
  assert.deepEqual([exchanges.size, exchanges.heldBytes], [2, 34]);
  assert.equal(exchanges.forget(first), false);
  assert.deepEqual([exchanges.size, exchanges.heldBytes], [2, 34]);
  assert.equal(exchanges.forget(second), true);
  assert.deepEqual([exchanges.size, exchanges.heldBytes], [1, 0]);
});

test('an exchange is closed once, at its time limit, and a forgotten one never', (t) => {
  const { exchanges, pass } = scene(t);
  const { res: closed } = openExchange(exchanges, 1_000);
  const { res: left, exchange } = openExchange(exchanges, 1_000);
  pass(5, 0);
  const { res: later } = openExchange(exchanges, 7);
  exchanges.forget(exchange);
  pass(4, 0);
  assert.deepEqual([closed.closes, left.closes, later.closes], [0, 0, 0]);
  pass(1, 0);
  assert.deepEqual([closed.closes, left.closes, later.closes], [1, 0, 0]);
  assert.equal(exchanges.heldBytes, 7);
  pass(60, 0);
  assert.deepEqual([closed.closes, left.closes, later.closes], [1, 0, 1]);
  assert.deepEqual([exchanges.size, exchanges.heldBytes], [0, 0]); // the download, too, is overdue
});

test('relief is due once when much was released and traffic is quiet', (t) => {
  const { exchanges, pass, reliefs } = scene(t);
  const { exchange: small } = openExchange(exchanges, (16 << 20) - 1);
  exchanges.forget(small);
  pass(3, 0);
  assert.equal(reliefs(), 0);
  const { exchange: last } = openExchange(exchanges, 1);
  exchanges.forget(last);
  pass(3, 0);
  assert.equal(reliefs(), 1);
});

test('a download at the least rate has all the time it needs, and is tried at each check', (t) => {
  const { reply, pass } = scene(t);
  pass(600, LEAST_BYTES_PER_SECOND);
  assert.equal(reply.closedAtMs, undefined);
  assert.equal(reply.retries, 600);
});

test('a download of which nothing is taken is closed after the time limit, whatever was taken before', (t) => {
  const { reply, pass } = scene(t);
  pass(30, 100 * LEAST_BYTES_PER_SECOND);
  pass(60, 0);
  assert.equal(reply.closedAtMs, 40_000);
});

test('a download below the least rate is closed, although something is taken all the time', (t) => {
  const { reply, pass } = scene(t);
  pass(60, LEAST_BYTES_PER_SECOND / 2);
  assert.equal(reply.closedAtMs, 20_000); // its bytes earned 10 s
});

test('downloads count as open, not as held, and are limited like other exchanges once the process ends', (t) => {
  const { exchanges, reply, pass } = scene(t);
  assert.deepEqual([exchanges.size, exchanges.heldBytes], [1, 0]);
  pass(100, LEAST_BYTES_PER_SECOND);
  exchanges.limitDownloads();
  pass(5, LEAST_BYTES_PER_SECOND);
  exchanges.limitDownloads();
  pass(10, LEAST_BYTES_PER_SECOND);
  assert.equal(reply.closedAtMs, 110_000);
  assert.equal(exchanges.size, 0);
});

test('the end of a large download is a reason for relief: its file may have been released', (t) => {
  const { exchanges, download, pass, reliefs } = scene(t);
  pass(1, 0);
  assert.equal(exchanges.forgetDownload(download, 100 << 20), true);
  assert.equal(exchanges.forgetDownload(download, 100 << 20), false);
  pass(3, 0);
  assert.equal(reliefs(), 1);
});
