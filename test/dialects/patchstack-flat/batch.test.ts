// POST batch of the flat shape, as PHP clients use it: by slug, and with one request per plugin after
// anything but a non-empty object.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, test } from 'node:test';
import { MAX_OUTPUT_BYTES } from '../../../src/dialects/batch-request.ts';
import { handleBatch } from '../../../src/dialects/patchstack-flat/batch.ts';
import { MAX_BODY_ITEMS } from '../../../src/http/routing/dialect.ts';
import { OwnAddress } from '../../../src/http/transport/own-address.ts';
import { finish } from '../../../src/http/work/steps.ts';
import { ThreadMemory } from '../../../src/index/memory/thread-memory.ts';
import { type FeedJson, feedRecord, npmProduct, span } from '../../support/feeds/advisories.ts';
import { phpOptions } from '../../support/oracles/php-order.ts';
import { startServer, type TestResponse } from '../../support/serving/server.ts';

const product = (type: string, slug: string): FeedJson => ({ id: 5, type, slug, name: slug });

const server = await startServer(
  { after },
  {
    records: [
      feedRecord(1),
      feedRecord(2, { affected: [span('2.0', '2.4.1', 'inclusive', '2.4.2'), span('1.0', '1.9')] }),
      feedRecord(3, { product: product('theme', 'gallery'), affected: [span(null, '9.0')] }),
      feedRecord(4, { product: product('plugin', '404'), affected: [span(null, '1.0')] }),
      feedRecord(5, { product: product('plugin', '__proto__'), affected: [span(null, '1.0')] }),
      feedRecord(6, { product: npmProduct('tool'), affected: [span(null, '1.0.0')] }),
      feedRecord(7, {
        product: product('wordpress', 'wordpress'),
        affected: [span('6.0', '6.1', 'exclusive')],
      }),
      ...Array.from({ length: 600 }, (_, i) =>
        feedRecord(1000 + i, { product: product('plugin', `large-${i % 2}`), description: 'x'.repeat(9000) }),
      ),
    ],
  },
);

function send(items: unknown): Promise<TestResponse> {
  const body = typeof items === 'string' ? items : JSON.stringify(items);
  return server.request('/database/api/v2/batch', { method: 'POST', body });
}

/** Ids by slug, or the boolean. */
async function idsBySlug(items: unknown): Promise<Record<string, number[] | boolean>> {
  const { vulnerabilities } = (await send(items)).json();
  const entries = Object.entries(vulnerabilities as Record<string, { id: number }[] | boolean>);
  return Object.fromEntries(
    entries.map(([slug, found]) => [slug, Array.isArray(found) ? found.map(({ id }) => id) : found]),
  );
}

const plugin = (name: string, version: string, more: object = {}): object => ({
  type: 'plugin',
  name,
  version,
  exists: false,
  ...more,
});

test('each slug has a list, empty when clean or unknown, or with exists a boolean', async () => {
  const found = await idsBySlug([
    plugin('gallery', '1.2'),
    plugin('unknown', '1.0'),
    plugin('404', '0.9', { exists: true }),
    { type: 'wordpress', name: 'wordpress', version: '6.1', exists: true },
    { type: 'npm', name: 'tool', version: '2.0.0' },
  ]);
  assert.deepEqual(found, { gallery: [2, 1], unknown: [], '404': true, wordpress: false, tool: [] });
});

test('an item is the same as in the answer to a single lookup', async () => {
  const batch = (await send([plugin('gallery', '1.2')])).json();
  const single = (await server.request('/database/api/v2/product/plugin/gallery/1.2')).json();
  assert.deepEqual(batch.vulnerabilities.gallery, single.vulnerabilities);
});

test('slugs keep the order of the request, also those that look like numbers or like members of every object', async () => {
  const items = ['zebra', '404', 'gallery', '7', '__proto__', 'constructor', '12'].map((name) =>
    plugin(name, '0.5', { exists: true }),
  );
  const { text } = await send(items);
  assert.equal(
    text,
    '{"vulnerabilities":{"zebra":false,"404":true,"gallery":true,"7":false,"__proto__":true,"constructor":false,"12":false}}',
  );
});

test('a slug as it was sent is the key, in any case', async () => {
  assert.deepEqual(await idsBySlug([plugin('Gallery', '1.2')]), { Gallery: [2, 1] });
});

test('a plugin and a theme of one name share a list, and a header names them', async () => {
  const response = await send([
    plugin('gallery', '1.2'),
    { type: 'theme', name: 'gallery', version: '1.0' },
    plugin('404', '1.0'),
    plugin('404', '1.0'),
  ]);
  const { vulnerabilities } = response.json();
  assert.deepEqual(
    vulnerabilities.gallery.map((item: { id: number }) => item.id),
    [3, 2, 1],
  );
  assert.equal(vulnerabilities['404'].length, 1);
  assert.equal(response.headers.get('vulndex-ambiguous-slugs'), 'gallery');
});

test('of two versions of a plugin the list has what applies to either; a boolean beside a list becomes part of it', async () => {
  const response = await send([
    plugin('gallery', '0.9'),
    plugin('gallery', '2.2', { exists: true }),
    plugin('404', '9.0', { exists: true }),
    { type: 'theme', name: '404', version: '1.0', exists: true },
  ]);
  const { vulnerabilities } = response.json();
  assert.deepEqual(
    vulnerabilities.gallery.map((item: { id: number; fixed_in: string }) => [item.id, item.fixed_in]),
    [
      [2, '2.4.2'],
      [1, '1.5.0'],
    ],
  );
  assert.equal(vulnerabilities['404'], false);
  assert.equal(response.headers.get('vulndex-ambiguous-slugs'), 'gallery, 404');
});

test('without a type, every WordPress product of the name is meant, and no npm package', async () => {
  assert.deepEqual(
    await idsBySlug([
      { name: 'gallery', version: '1.2' },
      { name: 'tool', version: '0.1.0' },
    ]),
    { gallery: [3, 2, 1], tool: [] },
  );
});

test('a version that cannot be read counts as any version, which a header says: never as clean', async () => {
  for (const version of ['', '-', 'x'.repeat(300)]) {
    const response = await send([plugin('gallery', version), plugin('404', version, { exists: true })]);
    const { vulnerabilities } = response.json();
    assert.deepEqual(
      vulnerabilities.gallery.map((item: object) => ['id' in item && item.id, 'matched_range' in item]),
      [
        [2, false],
        [1, false],
      ],
    );
    assert.equal(vulnerabilities['404'], true);
    assert.equal(response.headers.get('vulndex-unread-versions'), 'gallery, 404');
  }
  const npm = await send([{ type: 'npm', name: 'tool', version: '^1.0.0' }]);
  assert.equal(npm.json().vulnerabilities.tool.length, 1);
  const any = await send([plugin('gallery', '*')]);
  assert.equal(any.json().vulnerabilities.gallery.length, 2);
  assert.equal(any.headers.get('vulndex-unread-versions'), null);
});

test('an empty batch is an object, not a list', async () => {
  assert.equal((await send([])).text, '{"vulnerabilities":{}}');
});

test('a bad body is refused in the shape of this dialect', async () => {
  const cases: readonly (readonly [body: unknown, status: number, code: string, parameters?: string[]])[] = [
    ['{"a":', 400, 'invalid_body'],
    ['', 400, 'invalid_body'],
    [{ items: [] }, 422, 'invalid_batch', ['items']],
    [Array(MAX_BODY_ITEMS + 1).fill(plugin('gallery', '1.0')), 422, 'invalid_batch', ['items']],
    [[plugin('gallery', '1.0'), null, ['x']], 422, 'invalid_batch', ['items[1]', 'items[2]']],
    [
      [{ type: 'widget', name: '', version: 1, exists: 'yes' }],
      422,
      'invalid_batch',
      ['items[0].type', 'items[0].name', 'items[0].version', 'items[0].exists'],
    ],
    [' '.repeat(64 * 1024 + 1), 413, 'body_too_large'],
  ];
  for (const [body, status, code, parameters] of cases) {
    const response = await send(body);
    const answer = response.json();
    assert.deepEqual([response.status, answer.code, typeof answer.error], [status, code, 'string']);
    assert.deepEqual(
      answer.errors?.map(({ parameter }: { parameter: string }) => parameter),
      parameters,
    );
  }
});

test('as many items as allowed are answered, and an answer beyond the limit is refused as a whole', async () => {
  const most = Array.from({ length: MAX_BODY_ITEMS }, (_, i) => plugin(`p-${i}`, '1.0'));
  assert.equal(Object.keys(await idsBySlug(most)).length, MAX_BODY_ITEMS);
  const one = await send([plugin('large-0', '1.0')]);
  assert.equal(one.json().vulnerabilities['large-0'].length, 300);
  // 300 items of 9.5 KB each, under eight spellings of two slugs.
  const names = ['large-0', 'LARGE-0', 'Large-0', 'lArge-0', 'large-1', 'LARGE-1', 'Large-1', 'lArge-1'];
  const refused = await send(names.map((name) => plugin(name, '1.0')));
  assert.deepEqual([refused.status, refused.json().code], [422, 'invalid_batch']);
  assert.equal((await send([plugin('gallery', '1.2')])).status, 200);
});

test('the limit does not depend on how large an earlier answer was', () => {
  const generation = server.swap.current();
  assert.ok(generation !== undefined);
  const memory = new ThreadMemory(generation);
  memory.out.restart();
  memory.out.piece(new Uint8Array(3 * MAX_OUTPUT_BYTES));
  const names = ['large-0', 'LARGE-0', 'Large-0', 'lArge-0', 'large-1', 'LARGE-1', 'Large-1', 'lArge-1'];
  const body = Buffer.from(JSON.stringify(names.map((name) => plugin(name, '1.0'))));
  const context = {
    generation,
    kept: [],
    memory,
    prepared: undefined,
    nowMs: 0,
    own: new OwnAddress(),
    latestAnchor: 'clock',
  } as const;
  const answer = finish(handleBatch('', [], body, context, () => undefined));
  assert.equal(answer.kind, 'problem');
});

// The two ways in which PHP clients read the answer. They print what they would show.
const READ_AS_OBJECT = `
  $data = json_decode(stream_get_contents(STDIN));
  if (!isset($data->vulnerabilities)) { echo "fallback"; exit; }
  $bySlug = (array) $data->vulnerabilities;
  if (!is_array($bySlug) || empty($bySlug)) { echo "fallback"; exit; }
  foreach ($bySlug as $slug => $list) {
    $shown = [];
    foreach ($list as $item) {
      if (empty($item->fixed_in)) $shown[] = $item->id . " unfixed";
      elseif (version_compare($installed[$slug], $item->fixed_in, "<")) $shown[] = $item->id . " < " . $item->fixed_in;
    }
    echo $slug, ": ", implode(", ", $shown), "\\n";
  }`;
const READ_AS_ARRAY = `
  $data = json_decode(stream_get_contents(STDIN), true);
  foreach ($installed as $slug => $version) {
    $list = $data["vulnerabilities"][$slug];
    echo $slug, ": ", is_bool($list) ? var_export($list, true) : count($list), "\\n";
  }`;

function php(program: string, installed: object, input: string): string {
  const setUp = `$installed = json_decode('${JSON.stringify(installed)}', true);`;
  const { stdout, stderr, status } = spawnSync('php', ['-n', '-r', setUp + program], {
    input,
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  return stdout;
}

const INSTALLED = { gallery: '2.2', '404': '0.9', clean: '1.0', '7': '1.0' };

test('the loops that PHP clients run show what applies', phpOptions, async () => {
  const lists = await send(Object.entries(INSTALLED).map(([name, version]) => plugin(name, version)));
  assert.equal(
    php(READ_AS_OBJECT, INSTALLED, lists.text),
    '7: \n404: 4 unfixed\ngallery: 2 < 2.4.2\nclean: \n',
  );
  assert.equal(php(READ_AS_ARRAY, INSTALLED, lists.text), '7: 0\n404: 1\ngallery: 1\nclean: 0\n');
  const flags = await send(
    Object.entries(INSTALLED).map(([name, version]) => plugin(name, version, { exists: true })),
  );
  assert.equal(
    php(READ_AS_ARRAY, INSTALLED, flags.text),
    '7: false\n404: true\ngallery: true\nclean: false\n',
  );
});

test(
  'a PHP client asks for each plugin alone after an error and after an empty batch',
  phpOptions,
  async () => {
    for (const body of ['{', []]) {
      assert.equal(php(READ_AS_OBJECT, {}, (await send(body)).text), 'fallback');
    }
  },
);
