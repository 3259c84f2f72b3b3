import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { choosePort, ListenError, listenError } from '../../src/serve/ports.ts';

const HOST = '127.0.0.1';

async function takenPort(t: TestContext): Promise<number> {
  const server = createServer().listen(0, HOST);
  t.after(() => server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const choose = (port: number, opsPort: number) => choosePort({ host: HOST, port, opsHost: HOST, opsPort });

test('a free port is picked for 0', async () => {
  assert.ok((await choose(0, 0)) > 0);
});

test('a port in use is refused by name: the service port, the operations port, or both in one message', async (t) => {
  const [port, opsPort] = [await takenPort(t), await takenPort(t)];
  const [service, operations] = [`on ${HOST}:${port}`, `for operations on ${HOST}:${opsPort}`];
  await assert.rejects(choose(port, 0), {
    message: `cannot listen ${service}: the port is in use; choose another --port or --host`,
  });
  await assert.rejects(choose(0, opsPort), {
    message: `cannot listen ${operations}: the port is in use; choose another --ops-port or --ops-host`,
  });
  await assert.rejects(choose(port, opsPort), {
    name: 'ListenError',
    message:
      `cannot listen ${service}: the port is in use; nor ${operations}: the port is in use; ` +
      'choose another --port or --host, and another --ops-port or --ops-host',
  });
});

test('any other refusal shows the name that the system gives it', () => {
  const error = listenError({ service: { host: HOST, port: 80, code: 'EACCES' } });
  assert.ok(error instanceof ListenError);
  assert.equal(
    error.message,
    `cannot listen on ${HOST}:80: the system refused (EACCES); choose another --port or --host`,
  );
});
