// A whole serving process: how it starts, what it survives, how it ends. Its parts have their own tests;
// long runs are in test/soak.

import assert from 'node:assert/strict';
import { mkdirSync, renameSync } from 'node:fs';
import { Agent, get as httpGet, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import type { TransportKind } from '../../src/http/transport/transport.ts';
import { canSharePort } from '../../src/http/transport/transports.ts';
import { feedRecord } from '../support/feeds/advisories.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type Access, writeAccess } from '../support/process/access.ts';
import { builtProgram } from '../support/process/built-program.ts';
import { HttpSocket, headerOf } from '../support/process/http-socket.ts';
import { freePort } from '../support/process/ports.ts';
import { type LogLine, type ServerPlan, ServerProcess } from '../support/process/server-process.ts';
import { skipAddon, TRANSPORTS, USUAL_TRANSPORTS } from '../support/serving/transports.ts';
import { compileRecords } from '../support/snapshots/snapshots.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

const PATH = '/product/plugin/gallery/1.0/exists';
/** The example of W3C Trace Context. */
const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const BUILT_AT_MS = Date.UTC(2026, 0, 10);
/**
 * In place of ten seconds, during which the worker loops; four heartbeats, so that one that is only slow is
 * not taken for hung.
 */
const HUNG_MS = 2_000;

const onLinux = process.platform === 'linux' ? {} : { skip: 'limits are read from /proc' };

const program = builtProgram();

/** Two where threads can share a port. */
const workersOf = (kind: TransportKind): number => (canSharePort(kind) ? 2 : 1);

interface Scene {
  readonly server: ServerProcess;
  readonly access: Access;
  readonly snapshots: string;
  readonly folder: string;
}

async function start(t: TestContext, plan: Partial<ServerPlan> = {}): Promise<Scene> {
  const folder = temporaryFolder(t);
  const snapshots = join(folder, 'snapshots');
  mkdirSync(snapshots);
  await compileRecords(snapshots, [feedRecord(1)], { name: '1.vdx', builtAtMs: BUILT_AT_MS });
  const access = writeAccess(join(folder, 'keys.json'));
  const server = await ServerProcess.start(t, {
    snapshots,
    keys: access.file,
    workers: 1,
    entry: program,
    ...plan,
  });
  return { server, access, snapshots, folder };
}

async function ask({ server, access }: Scene, path = PATH, headers = {}): Promise<Response> {
  return fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { PSKey: access.free, ...headers } });
}

/** The same, on a connection of its own: a process that ends waits a while for those that are kept. */
const askOnce = (scene: Scene, path = PATH): Promise<Response> => ask(scene, path, { Connection: 'close' });

async function isAnswering(scene: Scene): Promise<boolean> {
  return askOnce(scene).then(
    async (response) => (await response.text()) === '{"vulnerable":true}',
    () => false,
  );
}

/** The members of the first log line that the options decide. */
const pick = ({ msg, transport, workers }: LogLine): object => ({ msg, transport, workers });

suite('a serving process', { concurrency: 3 }, () => {
  test('by default the addon is the transport, or Node’s http with the reason in the first log line', async (t) => {
    const { server } = await start(t);
    const { msg, transport, reason, node } = server.log[0];
    assert.deepEqual([msg, node], ['starting', process.version]);
    assert.equal(JSON.parse((await server.ops('status')).text).transport, transport);
    if (skipAddon === false) {
      assert.deepEqual([transport, reason], ['uws', undefined]);
    } else {
      assert.equal(transport, 'node');
      assert.match(
        String(reason),
        /^uWebSockets\.js does not load: uws-pack \S+, installed under that name, has no binary for Node v/,
      );
    }
    assert.equal(await server.stop(), 0);
  });

  for (const { kind, skip } of USUAL_TRANSPORTS) {
    test(`over ${kind}, a process starts, replaces a worker that died, loads a new snapshot, drains and exits with 0`, {
      skip,
    }, async (t) => {
      const workers = workersOf(kind);
      const scene = await start(t, { workers, drainSeconds: 4, options: { transport: kind } });
      const { server, snapshots, folder } = scene;
      assert.deepEqual(pick(server.log[0]), { msg: 'starting', transport: kind, workers });
      assert.equal(JSON.parse((await server.ops('status')).text).transport, kind);
      const tag = (await askOnce(scene)).headers.get('etag');
      server.signal('SIGUSR1'); // by default Node opens the debugger
      server.signal('SIGUSR2'); // one worker throws
      assert.equal((await server.told('worker is replaced'))[0].reason, 'crashed');
      await until('all workers to serve', async () => {
        const { workers } = JSON.parse((await server.ops('status')).text);
        return workers.every(({ state }: { state: string }) => state === 'serving');
      });
      const second = await compileRecords(folder, [feedRecord(1), feedRecord(2)], {
        builtAtMs: BUILT_AT_MS + 1,
      });
      renameSync(second, join(snapshots, '2.vdx'));
      await until('the second snapshot to be loaded', () => server.logged('snapshot loaded').length === 2);
      await until('it to answer', async () => (await askOnce(scene)).headers.get('etag') !== tag);
      assert.equal((await server.ops('readyz')).status, 200);
      const stopped = server.stop();
      await until('the drain', async () => (await askOnce(scene, '/readyz')).status === 503);
      const last = await ask(scene);
      assert.equal(last.status, 200);
      assert.equal(last.headers.get('connection'), 'close');
      assert.equal(await stopped, 0);
      // The check of the second snapshot ends whenever it does.
      await server.told('stopped');
      const said = server.log.map(({ msg }) => msg).filter((msg) => msg !== 'snapshot checked');
      assert.deepEqual(said.slice(-3), ['draining', 'closing the port', 'stopped']);
      assert.equal((await server.told('SIGUSR1 is ignored: it would open the debugger')).length, 1);
      assert.equal(server.errors, '');
    });
  }

  test('a moved mount answers without a key, limited by address over all workers, and the log has no address', async (t) => {
    const folder = temporaryFolder(t);
    const access = writeAccess(join(folder, 'keys.json'), {
      anonymous: { limit: 20, window_seconds: 100_000 },
    });
    const { server } = await start(t, {
      keys: access.file,
      workers: workersOf(USUAL_TRANSPORTS[0].kind),
      options: {
        mounts: 'patchstack=/ps',
        anonymous: 'patchstack',
        'trusted-proxies': '127.0.0.0/8,::1',
        'access-log': 1,
      },
    });
    const statusFrom = async (address: string): Promise<number> => {
      const response = await fetch(`http://127.0.0.1:${server.port}/ps${PATH}`, {
        // Each on a worker that the kernel picks.
        headers: { 'X-Forwarded-For': address, Connection: 'close', traceparent: TRACEPARENT },
      });
      await response.arrayBuffer();
      return response.status;
    };
    assert.equal(await statusFrom('203.0.113.9'), 200);
    const statuses = await Promise.all(Array.from({ length: 24 }, () => statusFrom('203.0.113.9')));
    assert.deepEqual(statuses.sort(), [...Array(19).fill(200), ...Array(5).fill(429)]);
    assert.equal(await statusFrom('203.0.113.10'), 200);
    const health = await fetch(`http://127.0.0.1:${server.port}/healthz`);
    assert.equal(health.status, 200);
    const { mounts } = JSON.parse((await server.ops('status')).text);
    assert.deepEqual(mounts, [{ dialect: 'patchstack', paths: ['/ps'], anonymous: true }]);
    for (const line of await server.told('request', 26)) {
      assert.equal(line.keyId, 'anonymous');
      assert.equal(line.traceparent, TRACEPARENT);
      assert.ok(!JSON.stringify(line).includes('203.0.113'));
    }
    assert.equal(await server.stop(), 0);
  });

  test('the operations listener is ready only once the port is open, and not while the only worker is being replaced', async (t) => {
    const [port, opsPort] = [await freePort(), await freePort()];
    const starting = start(t, { port, opsPort, limits: { backOffMs: [3_600_000, 3_600_000] } });
    await until('it to be ready', async () => {
      const reply = await fetch(`http://127.0.0.1:${opsPort}/readyz`).catch(() => undefined);
      return reply?.status === 200;
    });
    const reply = await fetch(`http://127.0.0.1:${port}/readyz`, { headers: { Connection: 'close' } });
    assert.equal(reply.status, 200, 'the port is open');
    const { server } = await starting;
    server.signal('SIGUSR2');
    await until('the worker to die', () => server.logged('worker is replaced').length === 1);
    const { status, text } = await server.ops('readyz');
    assert.deepEqual([status, JSON.parse(text).code], [503, 'no_worker']);
    assert.equal(await server.stop(), 0);
  });

  test('a closed log pipe does not end the process', async (t) => {
    const scene = await start(t, { options: { 'access-log': 1 } });
    const { server } = scene;
    server.closeLog();
    for (let i = 0; i < 20; i++) {
      server.signal('SIGHUP');
      assert.ok(await isAnswering(scene));
    }
    await until('the lines to be counted', async () => {
      return (await server.metric('vulndex_log_lines_dropped_total')) >= 20;
    });
    assert.equal(await server.stop(), 0);
  });

  test('a log that is not read is dropped and counted, and blocks nothing', async (t) => {
    const scene = await start(t, { options: { 'access-log': 1 } });
    const { server } = scene;
    const flood = async (): Promise<void> => {
      const before = await server.metric('vulndex_log_lines_dropped_total');
      await until('lines to be dropped', async () => {
        for (let round = 0; round < 20; round++) await askInOneGo(scene, 50);
        return (await server.metric('vulndex_log_lines_dropped_total')) > before;
      });
    };
    server.stopReading();
    await flood();
    server.readAgain();
    const said = 'log lines were dropped: they came faster than they were read';
    assert.ok(((await server.told(said))[0].dropped as number) > 0);
    server.stopReading();
    await flood();
    assert.equal(await server.stop(), 0, 'SIGTERM does not wait for the log reader');
  });

  for (const { kind, skip } of USUAL_TRANSPORTS) {
    test(`over ${kind}, SIGTERM ends a process whose worker hangs`, { skip }, async (t) => {
      const { server } = await start(t, { limits: { hungMs: HUNG_MS }, options: { transport: kind } });
      server.signal('SIGPROF'); // the worker loops
      server.signal('SIGHUP');
      await until('the signals to arrive', () => server.logged('rescanning snapshots').length === 1);
      assert.equal(await server.stop(), 0);
    });
  }

  for (const { kind, skip } of USUAL_TRANSPORTS) {
    test(`over ${kind}, a worker that hangs in a request handler is replaced, and the process survives`, {
      skip,
    }, async (t) => {
      const scene = await start(t, { limits: { hungMs: HUNG_MS }, options: { transport: kind } });
      const { server } = scene;
      server.signal('SIGVTALRM'); // the worker loops in its next request
      await until('a request to be lost', async () => !(await isAnswering(scene)));
      assert.equal((await server.told('worker is replaced'))[0].reason, 'hung');
      await until('the next worker to answer', () => isAnswering(scene));
      assert.equal(server.errors, '');
      assert.equal(await server.stop(), 0);
    });
  }

  // Immediates have a place on the stack of async_hooks, which an interruption leaves behind: Node aborted
  // the process. What was interrupted also stays in their queue, unless it was the first of its turn: Node
  // then never ended the thread.
  for (const { kind, skip } of USUAL_TRANSPORTS) {
    test(`over ${kind}, a worker that hangs in work that it put off is replaced, and the process survives`, {
      skip,
    }, async (t) => {
      const scene = await start(t, { limits: { hungMs: HUNG_MS }, options: { transport: kind } });
      const { server, access } = scene;
      const explain = `GET /explain/plugin/gallery/1.0 HTTP/1.1\r\nHost: x\r\nPSKey: ${access.free}\r\n\r\n`;
      const idle = new HttpSocket(server.port);
      t.after(() => idle.close());
      assert.equal((await idle.request(explain, PATIENCE_MS)).status, 200);
      server.signal('SIGIO');
      await until('an explanation to be lost', async () => {
        const socket = new HttpSocket(server.port);
        return socket
          .request(explain, PATIENCE_MS)
          .then(
            () => false,
            () => true,
          )
          .finally(() => socket.close());
      });
      assert.equal((await server.told('worker is replaced'))[0].reason, 'hung');
      await until('the next worker to answer', () => isAnswering(scene));
      assert.equal(server.errors, '');
      assert.equal(await server.stop(), 0);
    });
  }

  for (const { kind, skip } of TRANSPORTS) {
    test(`over ${kind}, keep-alive clients of two libraries lose no request to a drain, and late requests get 503`, {
      skip,
    }, async (t) => {
      const scene = await start(t, {
        workers: workersOf(kind),
        drainSeconds: 3,
        options: { transport: kind },
      });
      const { server, access } = scene;
      const idle = Array.from({ length: 4 }, () => new HttpSocket(server.port));
      const late = `GET ${PATH} HTTP/1.1\r\nHost: x\r\nPSKey: ${access.free}\r\n\r\n`;
      for (const socket of idle) assert.equal((await socket.request(late, PATIENCE_MS)).status, 200);

      const counts: number[] = Array(16).fill(0);
      const clients = Promise.all(
        counts.map((_, i) => {
          const answered = (): number => ++counts[i];
          if (i < 8) return askUntilClosed(() => ask(scene), 'fetch', answered);
          const agent = new Agent({ keepAlive: true, maxSockets: 1 });
          return askUntilClosed(() => askAgent(scene, agent), 'node:http', answered).finally(() =>
            agent.destroy(),
          );
        }),
      );
      const kept = until('each client to keep its connection', () => counts.every((count) => count > 1));
      await Promise.race([kept, clients]); // a client that fails says why
      const stopped = server.stop();
      await clients;
      await until('the port to close', async () => server.logged('closing the port').length === 1);
      await until('the port to stop listening', () => {
        const socket = new HttpSocket(server.port);
        return socket.request(late, PATIENCE_MS).then(
          () => false,
          (error: Error) => error.message === 'ECONNREFUSED',
        );
      });
      for (const socket of idle) {
        const { status, head, body } = await socket.request(late, PATIENCE_MS);
        assert.equal(status, 503);
        assert.equal(JSON.parse(body.toString()).code, 'draining');
        assert.ok(Number(headerOf(head, 'Retry-After')) >= 1);
        assert.equal(headerOf(head, 'Connection'), 'close');
      }
      assert.equal(await stopped, 0);
    });
  }

  test(
    'connections are capped to the available file descriptors, and the log says so',
    onLinux,
    async (t) => {
      const scene = await start(t, { descriptors: 400 });
      const { server } = scene;
      const [line] = await server.told(
        '--max-connections lowered: the limit on open files (ulimit -n) allows no more',
      );
      assert.deepEqual([line?.maxConnections, line?.fitted, line?.descriptors], [20_000, 256, 400]);
      assert.equal(await server.metric('vulndex_connections_max'), 256);
      const idle = Array.from({ length: 600 }, () => connect(server.port, '127.0.0.1').on('error', () => {}));
      t.after(() => {
        for (const socket of idle) socket.destroy();
      });
      await until('the cap to be reached', async () => {
        return (await server.metric('vulndex_connections_open')) >= 250;
      });
      assert.equal((await server.ops('readyz')).status, 200);
      for (const socket of idle) socket.destroy();
      await until('the service to answer', () => isAnswering(scene));
      assert.equal(
        server.logged('out of file descriptors: new connections are refused until some are free').length,
        0,
      );
    },
  );
});

interface ClientReply {
  readonly status: number;
  readonly connection: string | null;
}

/** Sends requests one after another until a reply closes its connection. */
async function askUntilClosed(
  send: () => Promise<Response | ClientReply>,
  library: string,
  answered: () => number,
): Promise<void> {
  for (let count = 1; ; count = 1 + answered()) {
    const reply = await send().catch((error: Error) => {
      throw new Error(`${library}: request ${count} failed`, { cause: error });
    });
    assert.equal(reply.status, 200);
    if (reply instanceof Response) await reply.text();
    const connection = reply instanceof Response ? reply.headers.get('connection') : reply.connection;
    if (connection === 'close') return;
  }
}

/**
 * Sends so many requests at once over one connection, and waits for the last reply. Requires: fewer than the
 * server closes a connection for (`pipelines.ts`), and replies that the kernel keeps while nobody reads.
 */
function askInOneGo({ server, access }: Scene, count: number): Promise<void> {
  const head = `GET ${PATH} HTTP/1.1\r\nHost: x\r\nPSKey: ${access.free}\r\n`;
  return new Promise((resolve, reject) => {
    const socket = connect(server.port, '127.0.0.1', () => {
      socket.write(`${`${head}\r\n`.repeat(count - 1)}${head}Connection: close\r\n\r\n`);
    });
    socket
      .resume()
      .once('close', () => resolve())
      .once('error', reject);
  });
}

function askAgent({ server, access }: Scene, agent: Agent): Promise<ClientReply> {
  return new Promise((resolve, reject) => {
    const options = { port: server.port, path: PATH, agent, headers: { PSKey: access.free } };
    httpGet(options, (message: IncomingMessage) => {
      message.resume().once('end', () => {
        resolve({ status: message.statusCode ?? 0, connection: message.headers.connection ?? null });
      });
    }).once('error', reject);
  });
}
