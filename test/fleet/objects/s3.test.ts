import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { wholeOf } from '../../../src/fleet/objects/body.ts';
import type { ObjectContent, ObjectSource, ObjectTarget } from '../../../src/fleet/objects/objects.ts';
import { openS3, type S3Options } from '../../../src/fleet/objects/s3.ts';
import { type FolderOwner, temporaryFolder } from '../../support/folder.ts';
import { freePort } from '../../support/process/ports.ts';
import { startSwift, whyNoSwift } from '../../support/process/swift.ts';
import {
  S3_KEYS,
  type S3Server,
  type S3ServerOptions,
  startS3Server,
} from '../../support/serving/s3-server.ts';

const { signal } = new AbortController();

interface Scene {
  readonly server: S3Server;
  readonly store: ObjectTarget;
  readonly waits: readonly number[];
}

async function sceneOf(
  t: FolderOwner,
  serverOptions: S3ServerOptions = {},
  environment: Record<string, string> = S3_KEYS,
  options: S3Options = {},
): Promise<Scene> {
  const server = await startS3Server(t, serverOptions);
  const waits: number[] = [];
  const store = openS3(server.location, {
    environment: { AWS_ENDPOINT_URL: server.url.href, HOME: '/nonexistent', ...environment },
    wait: async (ms) => {
      waits.push(ms);
    },
    ...options,
  });
  t.after(() => {
    void store.close();
  });
  return { server, store, waits };
}

function bytesOf(text: string): ObjectContent {
  return { kind: 'bytes', bytes: Buffer.from(text), type: 'application/json', cacheControl: 'no-cache' };
}

/** All that is asked of a store, one after the other. */
async function useStore(
  t: FolderOwner,
  store: ObjectTarget,
  conditional: 'changed' | 'unable',
): Promise<void> {
  assert.equal((await store.get('latest.json', { signal })).kind, 'absent');
  const names = ['history/1.json', 'history/2.json', "history/a b+c'(1)&<é>.json", 'latest.json'];
  for (const name of names) assert.equal(await store.put(name, bytesOf(name), signal), 'stored');
  for (const name of names) assert.equal(await textOf(store, name), name);
  const listed = await store.list('history/', signal);
  assert.deepEqual(listed?.map(({ name }) => name).sort(), names.slice(0, 3).sort());
  assert.equal(listed?.[0].bytes, Buffer.byteLength(listed?.[0].name ?? ''));
  assert.ok((listed?.[0].changedAtMs ?? 0) > Date.parse('2026-01-01'));

  const found = await store.get('latest.json', { signal });
  assert.ok(found.kind === 'found' && found.etag !== undefined && found.bytes === 11);
  await wholeOf(found.body, 100, 'latest.json');
  assert.equal((await store.get('latest.json', { etag: found.etag, signal })).kind, 'unchanged');
  const rest = await store.get('latest.json', { from: 7, rangeOf: found.etag, signal });
  assert.ok(rest.kind === 'found' && rest.from === 7 && rest.bytes === 11);
  assert.equal((await wholeOf(rest.body, 100, 'latest.json')).toString(), 'json');
  const other = await store.get('latest.json', { from: 7, rangeOf: '"another"', signal });
  assert.ok(other.kind === 'found' && other.from === 0);
  await wholeOf(other.body, 100, 'latest.json');

  for (const condition of [{ kind: 'absent' }, { kind: 'unchanged', etag: '"another"' }] as const) {
    assert.equal(await store.put('latest.json', bytesOf('x'), signal, condition), conditional);
  }
  assert.equal(await textOf(store, 'latest.json'), 'latest.json');

  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, i) => i % 251));
  const path = join(temporaryFolder(t), 'snapshot');
  writeFileSync(path, bytes);
  const file = { kind: 'file', path, bytes: bytes.length, type: 'a/b', cacheControl: 'no-cache' } as const;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  assert.equal(await store.put('snapshots/x', { ...file, sha256 }, signal), 'stored');
  const sent = await store.get('snapshots/x', { signal });
  assert.ok(sent.kind === 'found' && (await wholeOf(sent.body, 1e6, 'x')).equals(bytes));
  const isRefused = { name: 'ObjectError', isPassing: true };
  const lying = { ...file, sha256: '0'.repeat(64) };
  await assert.rejects(store.put('snapshots/y', lying, signal), isRefused);
  assert.equal(await textOf(store, 'snapshots/y'), undefined);

  await store.remove('latest.json', signal);
  await store.remove('latest.json', signal);
  assert.equal(await textOf(store, 'latest.json'), undefined);
}

async function textOf(store: ObjectSource, name: string): Promise<string | undefined> {
  const reply = await store.get(name, { signal });
  return reply.kind === 'found' ? (await wholeOf(reply.body, 1000, name)).toString() : undefined;
}

test('a bucket is read, written, listed and emptied', async (t) => {
  const { server, store } = await sceneOf(t);
  await useStore(t, store, 'changed');
  assert.equal(
    server.asked.some(({ headers }) => headers.authorization === undefined),
    false,
  );
  assert.deepEqual(server.objects.get('fleet/history/1.json')?.headers, {
    'cache-control': 'no-cache',
    'content-type': 'application/json',
  });
});

test('so is a bucket of OpenStack Swift, which knows no conditions', { skip: whyNoSwift() }, async (t) => {
  const { location, environment } = await startSwift(t);
  const store = openS3(location, { environment });
  t.after(() => store.close());
  await useStore(t, store, 'unable');
  const wrong = openS3(location, { environment: { ...environment, AWS_SECRET_ACCESS_KEY: 'wrong' } });
  t.after(() => wrong.close());
  await assert.rejects(wrong.get('latest.json', { signal }), /SignatureDoesNotMatch/);
  const elsewhere = openS3('s3://nowhere', { environment });
  t.after(() => elsewhere.close());
  await assert.rejects(elsewhere.get('latest.json', { signal }), /NoSuchBucket/);
});

test('a condition that does not hold leaves the object as it is', async (t) => {
  const { store } = await sceneOf(t);
  assert.equal(await store.put('one', bytesOf('a'), signal, { kind: 'absent' }), 'stored');
  assert.equal(await store.put('one', bytesOf('b'), signal, { kind: 'absent' }), 'changed');
  const first = await store.get('one', { signal });
  assert.ok(first.kind === 'found' && first.etag !== undefined);
  await wholeOf(first.body, 10, 'one');
  const condition = { kind: 'unchanged', etag: first.etag } as const;
  assert.equal(await store.put('one', bytesOf('c'), signal, condition), 'stored');
  assert.equal(await store.put('one', bytesOf('d'), signal, condition), 'changed');
  assert.equal(await textOf(store, 'one'), 'c');
});

test('without keys requests are anonymous', async (t) => {
  const { server, store } = await sceneOf(t, { isPublic: true }, {});
  server.objects.set('fleet/one', { bytes: Buffer.from('open'), headers: {}, changedAtMs: 0 });
  assert.equal(await textOf(store, 'one'), 'open');
  assert.equal(server.asked[0].headers.authorization, undefined);
});

test('a refusal is told with its code and what to do, and never with a key or a token', async (t) => {
  const sessionToken = 'a-session-token-that-nobody-may-see';
  const cases: readonly (readonly [S3ServerOptions, Record<string, string>, RegExp, boolean])[] = [
    [{}, { ...S3_KEYS, AWS_SECRET_ACCESS_KEY: 'wrong-secret' }, /SignatureDoesNotMatch.*AWS_SECRET/, false],
    [{}, { ...S3_KEYS, AWS_ACCESS_KEY_ID: 'other' }, /InvalidAccessKeyId.*AWS_ACCESS_KEY_ID/, false],
    [{}, { ...S3_KEYS, AWS_REGION: 'eu-other-1' }, /AuthorizationHeaderMalformed.*AWS_REGION/, false],
    [{}, {}, /AccessDenied.*s3:ListBucket/, false],
    [{ nowMs: () => 0 }, S3_KEYS, /RequestTimeTooSkewed.*clock/, true],
    [{ sessionToken }, { ...S3_KEYS, AWS_SESSION_TOKEN: `${sessionToken}-old` }, /InvalidToken/, false],
  ];
  for (const [serverOptions, environment, message, isPassing] of cases) {
    const { store } = await sceneOf(t, serverOptions, environment);
    await assert.rejects(store.get('latest.json', { signal }), (error: Error & { isPassing?: boolean }) => {
      assert.match(error.message, message);
      assert.match(error.message, /s3:\/\/data\/fleet\/latest\.json/);
      for (const secret of [sessionToken, 'wrong-secret', S3_KEYS.AWS_SECRET_ACCESS_KEY]) {
        assert.equal(error.message.includes(secret), false, error.message);
      }
      assert.equal(error.isPassing, isPassing);
      return true;
    });
  }
  const { server } = await sceneOf(t);
  const environment = { AWS_ENDPOINT_URL: server.url.href, ...S3_KEYS };
  const elsewhere = openS3('s3://nowhere', { environment });
  t.after(() => elsewhere.close());
  await assert.rejects(elsewhere.get('latest.json', { signal }), /NoSuchBucket/);
});

test('a session token is sent and signed', async (t) => {
  const sessionToken = 'a-session-token';
  const { store } = await sceneOf(t, { sessionToken }, { ...S3_KEYS, AWS_SESSION_TOKEN: sessionToken });
  assert.equal(await store.put('one', bytesOf('a'), signal), 'stored');
});

test('an answer that breaks off, and one that nobody waits for any more, is an error that can pass', async (t) => {
  const { server, store } = await sceneOf(t, {
    instead: ({ url }, response) => {
      response.writeHead(200, { 'content-length': 1000 }).write('the beginning');
      if (url.includes('half')) setImmediate(() => response.destroy());
      return true;
    },
  });
  const half = await store.get('half', { signal });
  assert.ok(half.kind === 'found');
  await assert.rejects(wholeOf(half.body, 1000, 'half'), { name: 'ObjectError', isPassing: true });

  const ending = new AbortController();
  const slow = await store.get('slow', { signal: ending.signal });
  assert.ok(slow.kind === 'found');
  const rest = wholeOf(slow.body, 1000, 'slow');
  ending.abort(new Error('it took too long'));
  await assert.rejects(rest, /it took too long/);
  assert.equal(server.asked.length, 2);

  const nobody = openS3(server.location, {
    environment: { ...S3_KEYS, AWS_ENDPOINT_URL: `http://127.0.0.1:${await freePort()}` },
  });
  t.after(() => nobody.close());
  await assert.rejects(nobody.get('one', { signal }), { name: 'ObjectError', isPassing: true });
});

test('what is not S3 is named as that', async (t) => {
  const { store } = await sceneOf(t, {
    instead: ({ url }, response) => {
      const isList = url.includes('list-type');
      response.writeHead(isList ? 200 : 403, { 'content-type': 'text/html' }).end('<h1>Log in</h1>');
      return true;
    },
  });
  await assert.rejects(
    store.get('latest.json', { signal }),
    /status 403 \(text\/html\): <h1>Log in.*AWS_ENDPOINT/,
  );
  await assert.rejects(store.list('history/', signal), /the answer is not a list; check AWS_ENDPOINT_URL/);
});

test('an answer that is not S3 and repeats the request is shown without what is secret in it', async (t) => {
  const sessionToken = `IQoJb3JpZ2luX2VjE${'/a+b'.repeat(60)}==`;
  for (const status of [403, 400, 418, 500]) {
    for (const shown of [String, encodeURIComponent, (text: string) => text.replaceAll('/', '&#x2F;')]) {
      const { store } = await sceneOf(
        t,
        {
          instead: ({ headers, url }, response) => {
            const seen = [url, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
            const page = `<html>\x1b[31mDenied\n<pre>${shown(sessionToken)} ${shown(seen.join('\n'))}</pre>`;
            response.writeHead(status, { 'content-type': 'text/html' }).end(page);
            return true;
          },
        },
        { ...S3_KEYS, AWS_SESSION_TOKEN: sessionToken },
      );
      const [get, remove] = [
        () => store.get('latest.json', { signal }),
        () => store.remove('latest.json', signal),
      ];
      for (const ask of [get, remove]) {
        await assert.rejects(ask, ({ message }: Error) => {
          assert.match(message, new RegExp(`status ${status} \\(text/html\\): <html> ?.*Denied`));
          for (const secret of ['IQoJb3JpZ2', '/a+b', 'a%2Bb', '&#x2F;a', 'Signature=']) {
            assert.equal(message.includes(secret), false, `${secret} in ${message}`);
          }
          assert.ok(message.length < 700 && !/\p{Cc}/u.test(message), message);
          return true;
        });
      }
    }
  }
});

test('a write is tried again while the store is busy, with a new signature each time', async (t) => {
  const { server, store, waits } = await sceneOf(t, {
    instead: (_, response, number) => {
      if (number < 3) response.writeHead(503).end();
      return number < 3;
    },
  });
  assert.equal(await store.put('one', bytesOf('a'), signal), 'stored');
  assert.equal(waits.length, 2);
  assert.equal(server.asked.length, 3);

  const busy = await sceneOf(t, {
    instead: (_, response) => {
      response.writeHead(503).end('<Error><Code>SlowDown</Code></Error>');
      return true;
    },
  });
  await assert.rejects(busy.store.put('one', bytesOf('a'), signal), {
    message: /attempt 5/,
    isPassing: true,
  });
});

test('names that would leave the prefix are refused', async (t) => {
  const { server, store } = await sceneOf(t);
  for (const name of ['', '../other', 'a/../../b', './a']) {
    await assert.rejects(store.get(name, { signal }), /is not the name of an object in it/, name);
  }
  assert.equal(server.asked.length, 0);
});
