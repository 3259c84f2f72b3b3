import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { feedRecord, span } from '../support/feeds/advisories.ts';
import { startServer } from '../support/serving/server.ts';

const NAMES = [
  ['composer', 'symfony/http-kernel'],
  ['golang', 'github.com/Masterminds/goutils'],
  ['golang', 'github.com/cosmos/ibc-go/v5'],
  ['golang', 'stdlib'],
  ['maven', 'org.apache.logging.log4j:log4j-core'],
  ['npm', '@scope/pkg'],
  ['pypi', 'zope-interface'],
  ['nuget', 'newtonsoft.json'],
  ['cargo', 'abi_stable'],
  ['gem', 'Arabic-Prawn'],
] as const;

const records = NAMES.map(([type, slug], i) =>
  feedRecord(i + 1, {
    product: { id: i + 1, type, slug, name: slug },
    affected: [span(null, '2.0.0', 'exclusive', '2.0.0')],
  }),
);
const server = await startServer({ after }, { records });

async function ids(path: string): Promise<unknown> {
  const response = await server.request(`/product/${path}`);
  const body = response.json();
  return response.status === 200
    ? body.vulnerabilities.map(({ id }: { readonly id: number }) => id)
    : response.status;
}

async function exists(path: string): Promise<unknown> {
  const response = await server.request(`/product/${path}/exists`);
  return response.status === 200 ? response.json().vulnerable : response.status;
}

test('a name is found encoded and, where it has slashes, bare', async () => {
  for (const [i, [type, name]] of NAMES.entries()) {
    for (const part of [encodeURIComponent(name), name]) {
      assert.deepEqual(await ids(`${type}/${part}/1.0.0`), [i + 1], `${type} ${part}`);
      assert.equal(await exists(`${type}/${part}/1.0.0`), true, `${type} ${part}`);
      assert.equal(await exists(`${type}/${part}/2.0.0`), false, `${type} ${part}`);
    }
  }
});

test('a name is found by the other spellings of its ecosystem', async () => {
  assert.deepEqual(await ids('composer/Symfony/HTTP-Kernel/1.0.0'), [1]);
  assert.deepEqual(await ids('maven/org.apache.logging.log4j/log4j-core/1.0.0'), [5]);
  assert.deepEqual(await ids('maven/org.apache.logging.log4j%2Flog4j-core/1.0.0'), [5]);
  assert.deepEqual(await ids('maven/org.apache.logging.log4j%3Alog4j-core/1.0.0'), [5]);
  assert.deepEqual(await ids('pypi/Zope.Interface/1.0.0'), [7]);
  assert.deepEqual(await ids('pypi/zope__-interface/1.0.0'), [7]);
  assert.deepEqual(await ids('nuget/Newtonsoft.Json/1.0.0'), [8]);
  assert.deepEqual(await ids('cargo/abi-stable/1.0.0'), [9]);
  assert.deepEqual(await ids('golang/github.com/masterminds/goutils/1.0.0'), [2]);
});

test('where case counts, another case is another product', async () => {
  assert.deepEqual(await ids('gem/arabic-prawn/1.0.0'), []);
});

const INCOMPLETE = [
  ['maven', 'bctls-jdk14', 'must be group:artifact or group/artifact'],
  ['maven', 'a:b:c', 'must be group:artifact or group/artifact'],
  ['composer', 'adodb', 'must be vendor/package'],
] as const;

test('a Maven coordinate without a group and a package without a vendor are refused with the form', async () => {
  for (const [type, name, message] of INCOMPLETE) {
    const path = `${type}/${name}/1.61`;
    for (const asked of [`/product/${path}`, `/product/${path}/exists`, `/explain/${path}`]) {
      const { status, text } = await server.request(asked);
      assert.equal(status, 422, asked);
      assert.deepEqual(JSON.parse(text).errors, [{ parameter: 'name', message }], asked);
    }
    const flat = await server.request(`/database/api/v2/product/${path}`);
    assert.equal(flat.status, 422, path);
    const body = JSON.stringify([{ type, name, version: '1.61' }]);
    const batch = await server.request('/batch', { method: 'POST', body });
    assert.equal(batch.status, 422);
    assert.deepEqual(batch.json().errors, [{ parameter: 'items[0].name', message }]);
  }
});

test('a version that its ecosystem does not know is refused, whether the product is known or not', async () => {
  for (const [path] of [
    ['cargo/abi_stable/1.2'],
    ['cargo/unknown/v1.2.3'],
    ['pypi/zope-interface/dev'],
    ['nuget/a/b'],
  ]) {
    assert.equal(await ids(path), 422, path);
  }
});
