import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { DownloadCache } from '../../../src/cli/refresh/download-cache.ts';
import { HttpClient } from '../../../src/download/client.ts';
import { temporaryFolder } from '../../support/folder.ts';

type Answering = (request: IncomingMessage, response: ServerResponse) => void;

interface Scene {
  readonly folder: string;
  readonly url: URL;
  readonly requests: IncomingMessage[];
  answer: Answering;
  /** The file, which is then imported unless told otherwise. */
  get(
    path?: string,
    key?: string,
    isImported?: boolean,
  ): Promise<{ text: string; path: string; isNew: boolean; sha256: string }>;
}

async function makeScene(t: TestContext, answer: Answering): Promise<Scene> {
  const folder = join(temporaryFolder(t), 'cache');
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    scene.answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = new HttpClient({ environment: {}, retries: { attempts: 2, firstDelayMs: 1 } });
  t.after(async () => {
    await client.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  // It listens on a port, so the address is not a path.
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/data/all.zip`);
  const scene: Scene = {
    ...{ folder, url, requests, answer },
    get: async (path = '', key, isImported = true) => {
      const cache = new DownloadCache(folder, 1000);
      const file = await cache.get(new URL(path, url), key, client, () => {});
      if (isImported) cache.confirm();
      return { ...file, text: readFileSync(file.path, 'utf8') };
    },
  };
  return scene;
}

/** As fast as it is read, without a length. */
function sendForever(response: ServerResponse): void {
  while (!response.destroyed && response.write('x'.repeat(10_000)));
  response.once('drain', () => sendForever(response));
}

/** Answers `text`, or 304 to a request that has its entity tag or its date. */
function conditional(text: string, headers: Readonly<Record<string, string>>): Answering {
  return (request, response) => {
    const isSame =
      request.headers['if-none-match'] === (headers.etag ?? '-') ||
      request.headers['if-modified-since'] === (headers['last-modified'] ?? '-');
    response.writeHead(isSame ? 304 : 200, headers).end(isSame ? '' : text);
  };
}

test('a file is fetched once, and again when its entity tag has changed', async (t) => {
  const scene = await makeScene(t, conditional('one', { etag: '"1"' }));
  const first = await scene.get();
  assert.deepEqual([first.text, first.isNew], ['one', true]);
  assert.match(first.sha256, /^[0-9a-f]{64}$/);
  assert.deepEqual(await scene.get(), { ...first, isNew: false });
  scene.answer = conditional('two', { etag: '"2"' });
  const third = await scene.get();
  assert.deepEqual([third.text, third.isNew], ['two', true]);
  assert.notEqual(third.sha256, first.sha256);
  assert.deepEqual(
    scene.requests.map(({ headers }) => headers['if-none-match']),
    [undefined, '"1"', '"1"'],
  );
});

test('a server without entity tags is asked by date', async (t) => {
  const date = 'Sat, 10 Jan 2026 00:00:00 GMT';
  const scene = await makeScene(t, conditional('one', { 'last-modified': date }));
  assert.equal((await scene.get()).isNew, true);
  assert.equal((await scene.get()).isNew, false);
  assert.equal(scene.requests[1].headers['if-modified-since'], date);
});

test('without either it is fetched each time, with the same fingerprint', async (t) => {
  const scene = await makeScene(t, conditional('one', {}));
  const first = await scene.get();
  assert.deepEqual(await scene.get(), first);
});

test('behind a redirect to another server it is asked for by its entity tag, and the key stays behind', async (t) => {
  const store = await makeScene(t, conditional('one', { etag: '"1"' }));
  const scene = await makeScene(t, (_, response) =>
    response.writeHead(302, { location: store.url.href }).end(),
  );
  assert.equal((await scene.get('', 'the-key')).isNew, true);
  assert.equal((await scene.get('', 'the-key')).isNew, false);
  assert.deepEqual(
    store.requests.map(({ headers }) => [headers['if-none-match'], headers.authorization]),
    [
      [undefined, undefined],
      ['"1"', undefined],
    ],
  );
});

test('a file that was not imported is fetched again, and so is one that release 0.1 kept before it was', async (t) => {
  const scene = await makeScene(t, conditional('one', { etag: '"1"' }));
  for (let run = 0; run < 2; run++) assert.equal((await scene.get('', undefined, false)).isNew, true);
  await scene.get();
  assert.equal((await scene.get()).isNew, false);
  const note = readdirSync(scene.folder).find((name) => name.endsWith('.note.json')) ?? '';
  const { format, ...old } = JSON.parse(readFileSync(join(scene.folder, note), 'utf8'));
  assert.equal(format, 2);
  writeFileSync(join(scene.folder, note), JSON.stringify(old));
  assert.equal((await scene.get()).isNew, true);
});

test('two URLs that end alike are two files', async (t) => {
  const scene = await makeScene(t, (request, response) => response.end(request.url));
  assert.equal((await scene.get('/npm/all.zip')).text, '/npm/all.zip');
  assert.equal((await scene.get('/pypi/all.zip')).text, '/pypi/all.zip');
  assert.equal((await scene.get('/npm/all.zip?x')).text, '/npm/all.zip?x');
  assert.equal(readdirSync(scene.folder).length, 6);
});

test('a key is sent, and is not in any file; nor is a query', async (t) => {
  const scene = await makeScene(t, (_, response) => response.writeHead(200, { etag: '"1"' }).end('x'));
  await scene.get('?token=the-key', 'the-key');
  assert.equal(scene.requests[0].headers.authorization, 'Bearer the-key');
  for (const name of readdirSync(scene.folder)) {
    assert.ok(!`${name} ${readFileSync(join(scene.folder, name), 'utf8')}`.includes('the-key'));
  }
});

test('a download that fails leaves the previous file, and nothing else', async (t) => {
  const scene = await makeScene(t, conditional('one', { etag: '"1"' }));
  await scene.get();
  const before = readdirSync(scene.folder).toSorted();
  const failures: readonly (readonly [title: string, answer: Answering, message: RegExp])[] = [
    ['an error', (_, response) => response.writeHead(404).end('not here'), /status 404/],
    [
      'a connection that breaks in the middle',
      (_, response) => {
        response.writeHead(200, { 'content-length': '500' }).write('half', () => response.destroy());
      },
      /no answer/,
    ],
    [
      'more than is allowed',
      (_, response) => sendForever(response),
      /all\.zip: larger than max_download_bytes \(1,000 bytes.*raise it in the configuration$/,
    ],
  ];
  for (const [title, answer, message] of failures) {
    scene.answer = answer;
    await assert.rejects(scene.get(), (error: Error) => {
      assert.match(error.message, message, title);
      return true;
    });
    assert.deepEqual(readdirSync(scene.folder).toSorted(), before, title);
  }
  scene.answer = conditional('one', { etag: '"1"' });
  assert.deepEqual((await scene.get()).isNew, false);
});

test('a file that is missing, cut short or has a damaged note is fetched again', async (t) => {
  const scene = await makeScene(t, conditional('one', { etag: '"1"' }));
  await scene.get();
  const names = readdirSync(scene.folder);
  const file = join(scene.folder, names.find((name) => name.endsWith('.zip')) ?? '');
  const note = `${file}.note.json`;
  const text = readFileSync(note, 'utf8');
  const damages: readonly (() => void)[] = [
    () => rmSync(file),
    () => truncateSync(file, 2),
    () => rmSync(note),
    () => writeFileSync(note, text.slice(0, 20)),
    () => writeFileSync(note, text.replace('"bytes":3', '"bytes":"3"')),
    () => writeFileSync(note, text.replace(/"sha256":"\w/, '"sha256":"?')),
    () => writeFileSync(note, text.replace('"\\"1\\""', '1')),
  ];
  for (const damage of damages) {
    damage();
    const again = await scene.get();
    assert.deepEqual([again.text, again.isNew], ['one', true], damage.toString());
  }
});

test('a file that the server encodes is kept decoded, and the server is asked not to', async (t) => {
  const scene = await makeScene(t, (_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('one'));
  });
  const plain = await makeScene(t, conditional('one', {}));
  const file = await scene.get();
  assert.deepEqual([file.text, file.sha256], ['one', (await plain.get()).sha256]);
  assert.equal(scene.requests[0].headers['accept-encoding'], 'identity');
  const gzip = gzipSync('two');
  scene.answer = (_, response) => response.end(gzip);
  const { path } = await scene.get();
  assert.deepEqual(readFileSync(path), gzip, 'a file that is gzip itself stays as it is');
});

test('an encoding that cannot be undone is refused, and the previous file stays', async (t) => {
  const scene = await makeScene(t, conditional('one', { etag: '"1"' }));
  await scene.get();
  const before = readdirSync(scene.folder).toSorted();
  const encoded = (coding: string, content: string | Uint8Array): Answering => {
    return (_, response) => response.writeHead(200, { 'content-encoding': coding }).end(content);
  };
  const emptyForever: Answering = (_, response) => {
    const empty = Buffer.concat(Array.from({ length: 500 }, () => gzipSync('')));
    response.writeHead(200, { 'content-encoding': 'gzip' });
    const send = (): void => {
      while (!response.destroyed && response.write(empty));
      response.once('drain', send);
    };
    send();
  };
  for (const [answer, message] of [
    [
      encoded('br', 'x'),
      /all\.zip: the answer is encoded as br, which was not asked for; expected gzip or no/,
    ],
    [encoded('gzip', 'plain'), /all\.zip: the gzip content is damaged/],
    [encoded('gzip', gzipSync('cut short').subarray(0, -9)), /all\.zip: the gzip content is damaged/],
    [encoded('gzip', gzipSync('x'.repeat(2_000))), /all\.zip: larger than max_download_bytes/],
    [emptyForever, /all\.zip: larger than max_download_bytes/],
  ] as const) {
    scene.answer = answer;
    await assert.rejects(scene.get(), { message });
    assert.deepEqual(readdirSync(scene.folder).toSorted(), before);
  }
});

test('a connection that breaks in an encoded file is tried again', async (t) => {
  const gzip = gzipSync('one');
  const scene = await makeScene(t, (_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': gzip.length });
    if (scene.requests.length > 1) response.end(gzip);
    else response.write(gzip.subarray(0, 12), () => response.destroy());
  });
  assert.equal((await scene.get()).text, 'one');
  assert.equal(scene.requests.length, 2);
});
