import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpClient } from '../../../src/download/client.ts';
import { AnswerFolder } from '../../../src/importers/mirror/answer-folder.ts';
import { ProductTypes } from '../../../src/importers/mirror/product-types.ts';
import { ApiServer, MAX_ANSWER_BYTES } from '../../../src/importers/mirror/server.ts';
import { type FolderOwner, temporaryFolder } from '../../support/folder.ts';
import { pluck } from '../../support/pluck.ts';
import { startWebServer, type WebServer } from '../../support/serving/web-server.ts';

/** By type and name: the ids of advisories. */
type Data = Readonly<Record<string, readonly number[]>>;

/** A server of these products, and the questions that it gets; names in `large` do not fit into a batch. */
async function sceneOf(
  t: FolderOwner,
  data: Data,
  large: readonly string[] = [],
): Promise<{ readonly server: ApiServer; readonly front: WebServer }> {
  const found = (type: string, name: string): object => ({
    vulnerabilities: (data[`${type} ${name}`] ?? []).map((id) => ({ id })),
  });
  const front = await startWebServer(t, ({ url, body }, response) => {
    if (url === '/batch') {
      const items = JSON.parse(body) as readonly {
        readonly type: string;
        readonly name: string;
        readonly version: string;
      }[];
      assert.ok(items.length <= 50 && items.every(({ version }) => version === '*'));
      const results = items.map(({ type, name }) =>
        large.includes(name) ? { error: {} } : found(type, name),
      );
      response.end(JSON.stringify(results));
      return;
    }
    const [, , type, name, version] = url.split('/').map(decodeURIComponent);
    assert.equal(version, '*');
    response.end(JSON.stringify(found(type, name)));
  });
  const client = new HttpClient({ environment: {}, retries: { attempts: 1 } });
  t.after(() => {
    void client.close();
  });
  const answers = new AnswerFolder(temporaryFolder(t), MAX_ANSWER_BYTES, Date.now());
  return {
    server: new ApiServer(front.url.href.slice(0, -1), 'key', client, answers, MAX_ANSWER_BYTES),
    front,
  };
}

test('the types of products are found in batches, and only what is left is asked for again', async (t) => {
  const names = Array.from({ length: 120 }, (_, i) => `p${i}`);
  const data = Object.fromEntries(
    names.map((name, i) => [`${i % 60 === 0 ? 'theme' : 'plugin'} ${name}`, [i]]),
  );
  const { server, front } = await sceneOf(t, data);
  const types = new ProductTypes('wordpress');
  for (const name of names) types.note(name);
  assert.deepEqual(await types.ask(server, undefined), []);
  assert.equal(front.asked.length, 3 + 1);
  names.forEach((name, i) => {
    assert.equal(types.typeOf(name, i), i % 60 === 0 ? 'theme' : 'plugin');
  });
});

test('products of several types may share a name: then each advisory has its own type', async (t) => {
  const { server } = await sceneOf(t, { 'plugin a': [1, 4], 'theme a': [2], 'wordpress a': [3] });
  const types = new ProductTypes('wordpress');
  for (let i = 0; i < 4; i++) types.note('a');
  assert.deepEqual(await types.ask(server, undefined), []);
  assert.deepEqual(
    [1, 2, 3, 4, 5].map((id) => types.typeOf('a', id)),
    ['plugin', 'theme', 'wordpress', 'plugin', undefined],
  );
});

test('the types of products are asked for one by one if a batch cannot hold the answer', async (t) => {
  const { server, front } = await sceneOf(t, { 'plugin a b/c': [1], 'plugin d': [2] }, ['a b/c']);
  const types = new ProductTypes('wordpress');
  for (const name of ['a b/c', 'd']) types.note(name);
  assert.deepEqual(await types.ask(server, undefined), []);
  assert.equal(types.typeOf('a b/c', 1), 'plugin');
  assert.deepEqual(pluck(front.asked, 'url'), ['/batch', '/product/plugin/a%20b%2Fc/*']);
});

test('a product whose name has half a surrogate pair is not asked for', async (t) => {
  const { server, front } = await sceneOf(t, {}, ['\ud800']);
  const types = new ProductTypes('wordpress');
  types.note('\ud800');
  assert.deepEqual(await types.ask(server, undefined), []);
  assert.deepEqual([types.typeOf('\ud800', 1), front.asked.length], [undefined, 0]);
});

test('products that no lookup shows are named', async (t) => {
  const { server } = await sceneOf(t, { 'plugin a': [1] });
  const types = new ProductTypes('wordpress');
  for (const name of ['a', 'a', 'b']) types.note(name);
  assert.deepEqual(await types.ask(server, undefined), ['a', 'b']);
});

test('the type of a product is known on a platform that has only one', async (t) => {
  const { server, front } = await sceneOf(t, {});
  const types = new ProductTypes('npm');
  types.note('pkg');
  assert.deepEqual(await types.ask(server, undefined), []);
  assert.equal(types.typeOf('pkg', 1), 'npm');
  assert.equal(front.asked.length, 0);
});
