import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { HttpClient, type HttpClientOptions } from '../../src/download/client.ts';
import { Connections } from '../../src/download/connect.ts';
import { type FolderOwner, temporaryFolder } from '../support/folder.ts';
import { AUTHORITY_FILE, startProxy, startWebServer } from '../support/serving/web-server.ts';

const KEY = 'a-very-secret-key';

async function ask(t: FolderOwner, url: URL, options: HttpClientOptions): Promise<string> {
  const client = new HttpClient({ retries: { attempts: 1 }, ...options });
  t.after(() => {
    void client.close();
  });
  const { body } = await client.fetch(url, 1000, { headers: { pskey: KEY } });
  return body.toString();
}

test('TLS needs a certificate of a known authority', async (t) => {
  const server = await startWebServer(t, (_, response) => void response.end('well'), { tls: true });
  await assert.rejects(ask(t, server.url, { environment: {} }), {
    code: 'untrusted',
    message:
      /the certificate is not trusted \(.+\); if the certificate is right, name the file of its authority with --ca$/,
  });
  assert.deepEqual(server.asked, []);
  assert.equal(await ask(t, server.url, { environment: {}, caFile: AUTHORITY_FILE }), 'well');
});

test('TLS needs a certificate for the host', async (t) => {
  const server = await startWebServer(t, (_, response) => void response.end('well'), { tls: true });
  const other = new URL(server.url);
  other.hostname = '127.0.0.2';
  const asking = ask(t, other, { environment: {}, caFile: AUTHORITY_FILE });
  // Where only 127.0.0.1 is a loopback address, nothing answers.
  await assert.rejects(
    asking,
    ({ code }: { code: string }) => code === 'untrusted' || code === 'unreachable',
  );
});

test('TLS trusts the certificates of NODE_EXTRA_CA_CERTS besides those of the file', async (t) => {
  const server = await startWebServer(t, (_, response) => void response.end('well'), { tls: true });
  const other = join(temporaryFolder(t), 'other.pem');
  writeFileSync(other, '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n');
  const environment = { NODE_EXTRA_CA_CERTS: AUTHORITY_FILE };
  assert.equal(await ask(t, server.url, { environment, caFile: other }), 'well');
});

test('TLS refuses a file without certificates before it asks anything', (t) => {
  const file = join(temporaryFolder(t), 'key.pem');
  assert.throws(() => new Connections(file, {}), {
    name: 'SourceError',
    message: /key.pem: the certificates cannot be read \(.*ENOENT.*\); check the path/,
  });
  writeFileSync(file, '-----BEGIN PRIVATE KEY-----');
  assert.throws(() => new Connections(file, {}), { message: /key.pem: this file has no certificate in PEM/ });
});

test('a proxy gets plain requests whole', async (t) => {
  const server = await startWebServer(t, (_, response) => void response.end('well'));
  const proxy = await startProxy(t);
  assert.equal(await ask(t, server.url, { environment: { HTTP_PROXY: proxy.url } }), 'well');
  assert.deepEqual(proxy.lines, [`GET ${server.url.href}`]);
  assert.equal(server.asked[0].headers.pskey, KEY);
});

test('a proxy tunnels TLS, so it does not see the key', async (t) => {
  const server = await startWebServer(t, (_, response) => void response.end('well'), { tls: true });
  const proxy = await startProxy(t);
  const environment = { HTTPS_PROXY: proxy.url };
  assert.equal(await ask(t, server.url, { environment, caFile: AUTHORITY_FILE }), 'well');
  assert.deepEqual(proxy.lines, [`CONNECT ${server.url.host}`]);
  assert.equal(server.asked[0].headers.pskey, KEY);
  await assert.rejects(ask(t, server.url, { environment }), { code: 'untrusted' });
});

test('a proxy is not asked for what NO_PROXY names', async (t) => {
  const server = await startWebServer(t, (_, response) => void response.end('well'));
  const proxy = await startProxy(t);
  const environment = { HTTP_PROXY: proxy.url, NO_PROXY: '127.0.0.1' };
  assert.equal(await ask(t, server.url, { environment }), 'well');
  assert.deepEqual(proxy.lines, []);
});

test('a proxy must be an http or https URL, which the message does not show', async (t) => {
  const url = new URL('http://127.0.0.1:9/');
  for (const proxy of ['socks5://ada:secret@p.example', 'http://']) {
    await assert.rejects(ask(t, url, { environment: { HTTP_PROXY: proxy } }), (error: Error) => {
      assert.match(error.message, /the proxy in HTTPS_PROXY or HTTP_PROXY is not an http or https URL/);
      return !error.message.includes('secret');
    });
  }
});
