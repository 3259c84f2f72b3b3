import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { HttpClient } from '../../../src/download/client.ts';
import { wholeOf } from '../../../src/fleet/objects/body.ts';
import { type AskedObject, ObjectError, type ObjectReply } from '../../../src/fleet/objects/objects.ts';
import { logIn } from '../../../src/fleet/objects/oci/registry-login.ts';
import { openOci } from '../../../src/fleet/objects/oci.ts';
import { MemoryStore, publishTo } from '../../support/fleet/memory-store.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { hasRegistry, REGISTRY_PASSWORD, REGISTRY_USER, Registry } from '../../support/process/registry.ts';
import { type Answer, startWebServer } from '../../support/serving/web-server.ts';
import { words } from '../../support/words.ts';

const skip = hasRegistry() ? false : 'docker-registry is not installed';
const REPOSITORY = 'team/vulndex';
const BYTES = Buffer.alloc(300_000, 'snapshot');
const ID = 'a'.repeat(16);
const { signal } = new AbortController();

type Found = Extract<ObjectReply, { kind: 'found' }>;

async function found(reply: ObjectReply | Promise<ObjectReply>): Promise<Found & { readonly text: Buffer }> {
  const settled = await reply;
  assert.equal(settled.kind, 'found');
  return { ...settled, text: await wholeOf(settled.body, 1 << 20, 'it') };
}

/** `config.json` in a folder of its own. */
function dockerConfig(t: TestContext, config: object): { DOCKER_CONFIG: string; PATH: string | undefined } {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  return { DOCKER_CONFIG: folder, PATH: process.env.PATH };
}

const auth = (user: string, password: string): string =>
  Buffer.from(`${user}:${password}`).toString('base64');

test('a tag of a real registry is read as a store: manifest, signature, snapshot, from any byte', {
  skip,
}, async (t) => {
  const registry = await Registry.start(t);
  const store = new MemoryStore();
  const manifest = publishTo(store, { sequence: 1, id: ID, bytes: BYTES, signedBy: 'k1' });
  await registry.push(REPOSITORY, 'stable', store.objects);
  const source = openOci(`oci://${registry.host}/${REPOSITORY}:stable`, { environment: {} });
  t.after(() => source.close());
  const latest = await found(source.get('latest.json', { signal }));
  assert.deepEqual(JSON.parse(latest.text.toString()), manifest);
  assert.ok(Math.abs((latest.storeTimeMs ?? 0) - Date.now()) < 3_600_000);
  assert.equal((await source.get('latest.json', { signal, etag: latest.etag ?? '' })).kind, 'unchanged');

  const { url } = manifest.snapshot;
  const whole = await found(source.get(url, { signal }));
  assert.ok(whole.text.equals(BYTES));
  assert.equal(whole.bytes, BYTES.length);
  const rest: AskedObject = { signal, from: 100_000, rangeOf: whole.etag ?? '' };
  const part = await found(source.get(url, rest));
  assert.equal(part.from, 100_000);
  assert.ok(part.text.equals(BYTES.subarray(100_000)));
  const other = await found(source.get(url, { ...rest, rangeOf: '"another"' }));
  assert.equal(other.from, 0);
  const signature = [...store.objects.keys()].find((name) => name.startsWith('signatures/')) ?? '';
  assert.match((await found(source.get(signature, { signal }))).text.toString(), /^k1 /);
  assert.equal((await source.get('signatures/none', { signal })).kind, 'absent');

  const second = publishTo(store, { sequence: 2, id: ID, bytes: BYTES });
  await registry.push(REPOSITORY, 'stable', store.objects);
  const moved = await found(source.get('latest.json', { signal, etag: latest.etag ?? '' }));
  assert.equal(JSON.parse(moved.text.toString()).sequence, second.sequence);
  const absent = openOci(`oci://${registry.host}/${REPOSITORY}:none`, { environment: {} });
  t.after(() => absent.close());
  assert.equal((await absent.get('latest.json', { signal })).kind, 'absent');
});

test('a real registry with users takes the login of docker, and names what is missing', {
  skip,
}, async (t) => {
  const registry = await Registry.start(t, { hasUsers: true });
  const store = new MemoryStore();
  publishTo(store, { sequence: 1, id: ID, bytes: BYTES });
  await registry.push(REPOSITORY, 'stable', store.objects);
  const ask = async (config: object): Promise<ObjectReply> => {
    const location = `oci://${registry.host}/${REPOSITORY}:stable`;
    const source = openOci(location, { environment: dockerConfig(t, config) });
    t.after(() => source.close());
    return source.get('latest.json', { signal });
  };
  const login = { auth: auth(REGISTRY_USER, REGISTRY_PASSWORD) };
  await found(ask({ auths: { [registry.host]: login } }));
  await found(ask({ auths: { [`http://${registry.host}/v1/`]: login } }));
  await assert.rejects(ask({}), /the registry asks for a login; run `docker login` for it/);
  const wrong = { auth: auth(REGISTRY_USER, 'a wrong password') };
  await assert.rejects(ask({ auths: { [registry.host]: wrong } }), (error: Error) => {
    assert.match(error.message, /the registry does not accept the login; run `docker login 127/);
    assert.doesNotMatch(error.message, /wrong password/);
    return error instanceof ObjectError;
  });
});

/** A registry that wants tokens, which it gives to those who have what `entitled` says. */
async function tokenRegistry(t: TestContext, entitled: (asked: Parameters<Answer>[0]) => boolean) {
  const store = new MemoryStore();
  publishTo(store, { sequence: 1, id: ID, bytes: BYTES });
  const layers = Array.from(store.objects, ([title, bytes]) => ({
    digest: digestOf(bytes),
    size: bytes.length,
    annotations: { 'org.opencontainers.image.title': title },
  }));
  const artifact = Buffer.from(JSON.stringify({ schemaVersion: 2, layers }));
  let token = '';
  let tokens = 0;
  const server = await startWebServer(t, (asked, response) => {
    const url = new URL(asked.url, server.url);
    if (url.pathname === '/token') {
      if (!entitled(asked)) {
        response.writeHead(401).end('{"errors":[]}');
        return;
      }
      token = `token-${++tokens}`;
      response.end(JSON.stringify({ token, expires_in: 300 }));
      return;
    }
    if (token === '' || asked.headers.authorization !== `Bearer ${token}`) {
      const realm = `${server.url.href}token`;
      const challenge = `Bearer realm="${realm}",service="registry",scope="repository:${REPOSITORY}:pull"`;
      response.writeHead(401, { 'www-authenticate': challenge }).end();
      return;
    }
    const [, kind, reference] = /\/v2\/team\/vulndex\/(manifests|blobs)\/(.+)$/.exec(url.pathname) ?? [];
    const blob = [...store.objects.values()].find((bytes) => digestOf(bytes) === reference);
    const body = kind === 'manifests' ? artifact : blob;
    if (body === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'docker-content-digest': digestOf(body) }).end(body);
  });
  const forget = (): void => {
    token = '';
  };
  return { server, forget };
}

const digestOf = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

test('a password is exchanged for a token, and again when the token is over', async (t) => {
  const entitled: Parameters<typeof tokenRegistry>[1] = ({ url, headers }) => {
    const { searchParams } = new URL(url, 'http://x');
    const isRight = headers.authorization === `Basic ${auth('me', 'pass:word')}`;
    return (
      isRight &&
      searchParams.get('service') === 'registry' &&
      searchParams.get('scope') === `repository:${REPOSITORY}:pull`
    );
  };
  const { server, forget } = await tokenRegistry(t, entitled);
  const environment = dockerConfig(t, { auths: { [server.url.host]: { auth: auth('me', 'pass:word') } } });
  const source = openOci(`oci://${server.url.host}/${REPOSITORY}`, { environment });
  t.after(() => source.close());
  await found(source.get('latest.json', { signal }));
  forget();
  await found(source.get('latest.json', { signal }));
  assert.equal(server.asked.filter(({ url }) => url.startsWith('/token')).length, 2);
  assert.ok(server.asked.every(({ url }) => !url.includes('pass')));
});

test('an identity token is exchanged by POST', async (t) => {
  const { server } = await tokenRegistry(t, ({ method, body }) => {
    const sent = new URLSearchParams(body);
    return (
      method === 'POST' && sent.get('grant_type') === 'refresh_token' && sent.get('refresh_token') === 'ID'
    );
  });
  const { host } = server.url;
  const location = `oci://${host}/${REPOSITORY}`;
  const plain = dockerConfig(t, { auths: { [host]: { auth: auth('x', ''), identitytoken: 'ID' } } });
  const source = openOci(location, { environment: plain });
  t.after(() => source.close());
  await found(source.get('latest.json', { signal }));
});

test('logins that cannot be used are named without what is secret in them', async (t) => {
  const { server } = await tokenRegistry(t, () => false);
  const { host } = server.url;
  const refusal = async (config: object): Promise<string> => {
    const source = openOci(`oci://${host}/${REPOSITORY}`, { environment: dockerConfig(t, config) });
    t.after(() => source.close());
    const error = await source.get('latest.json', { signal }).then(
      () => assert.fail('it was let in'),
      (thrown: Error) => thrown,
    );
    assert.ok(error instanceof ObjectError);
    assert.doesNotMatch(error.message, /hunter2/);
    return error.message;
  };
  assert.match(await refusal({}), /no token without a login \(status 401\)/);
  assert.match(
    await refusal({ auths: { [host]: { auth: auth('me', 'hunter2') } } }),
    /no token for these credentials/,
  );
  assert.match(
    await refusal({ auths: { [host]: { auth: 'hunter2' } } }),
    /"auth" of .* is not base64 of USER:PASSWORD/,
  );
  assert.match(await refusal({ credsStore: 'vault' }), /no token without a login/);
  for (const config of [{ credsStore: 'vault', auths: { [host]: {} } }, { credHelpers: { [host]: 'vault' } }])
    assert.match(
      await refusal(config),
      /is kept by the helper "vault", which is not asked; write it into "auths"/,
    );
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'config.json'));
  const source = openOci(`oci://${host}/${REPOSITORY}`, { environment: { DOCKER_CONFIG: folder } });
  t.after(() => source.close());
  await assert.rejects(source.get('latest.json', { signal }), /config\.json: it cannot be read \(EISDIR\)/);
});

test('credentials are not sent for a token without encryption', async (t) => {
  const client = new HttpClient({ environment: {} });
  t.after(() => client.close());
  const credentials = { kind: 'password', user: 'me', password: 'hunter2' } as const;
  const about = { client, shownAs: 'oci://x', repository: 'r', credentials, mayBeHttp: false, signal };
  await assert.rejects(
    logIn({ ...about, challenge: 'Bearer realm="http://tokens.example/token",service="x"' }),
    /sends for tokens to http:\/\/tokens\.example\/token, not to an https URL/,
  );
  await assert.rejects(logIn({ ...about, challenge: 'Negotiate' }), /a login of an unknown kind/);
});

test('what is not an artifact with files, or another than its hash, is named', async (t) => {
  let artifact = Buffer.from('{"manifests":[]}');
  const server = await startWebServer(t, ({ url }, response) => {
    const digest = url.endsWith(':wrong') ? 'x' : digestOf(artifact);
    response.writeHead(200, { 'docker-content-digest': digest }).end(artifact);
  });
  const source = openOci(`oci://${server.url.host}/${REPOSITORY}`, { environment: {} });
  t.after(() => source.close());
  const ask = (): Promise<ObjectReply> => source.get('latest.json', { signal });
  await assert.rejects(ask(), /this is not an artifact with files; name the tag/);
  artifact = Buffer.from('<html>');
  await assert.rejects(ask(), /this is not an artifact with files/);
  const lying = { digest: digestOf(Buffer.from('x')), size: 1 };
  const annotations = { 'org.opencontainers.image.title': 'latest.json' };
  artifact = Buffer.from(JSON.stringify({ layers: [{ ...lying, annotations }] }));
  await assert.rejects(ask(), /latest\.json is sha256:\w{64} and not sha256:/);
});

test('a location is a registry, a repository and a tag', () => {
  for (const location of words(`
    oci://host oci://user:secret@host/repo oci://host/repo@sha256:00 oci:///x oci://host:99999/x
  `)) {
    assert.throws(
      () => openOci(location),
      (error: Error) => error instanceof ObjectError && !error.message.includes('secret'),
      location,
    );
  }
  assert.equal(openOci('oci://ghcr.io/team/data:v1').shownAs, 'oci://ghcr.io/team/data:v1');
  assert.equal(openOci('oci://[::1]:5000/data').shownAs, 'oci://[::1]:5000/data:latest');
});
