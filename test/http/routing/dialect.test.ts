// A dialect of two routes and a few files, added beside the contract as one value: what it gets over each
// transport without any other change, and what stays with the contract.

import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { parseKeysFile } from '../../../src/access/keys-file.ts';
import { patchstack } from '../../../src/dialects/patchstack/patchstack.ts';
import { openApiDocument } from '../../../src/http/openapi/document.ts';
import type {
  Components,
  Description,
  OpenApiDocument,
  OpenApiPart,
} from '../../../src/http/openapi/model.ts';
import { type Dialect, endpointsOf, labelsOf } from '../../../src/http/routing/dialect.ts';
import { RouteTable } from '../../../src/http/routing/routes.ts';
import { pluck } from '../../support/pluck.ts';
import { ORIGIN, serveToy, type ToyReply, toy } from '../../support/serving/toy-dialect.ts';
import { TRANSPORTS } from '../../support/serving/transports.ts';
import { words } from '../../support/words.ts';

const GOOD = { 'toy-key': 'good' };
const both = [patchstack, toy];

const { '/counts/{platform}': counts, '/echo': echo } = toy.openApi.describe().paths;
const COUNT = counts.get ?? assert.fail();
const ECHO = echo.post ?? assert.fail();

/** The toy with another description. */
function describedAs(
  paths: Description['paths'],
  schemas: Components['schemas'] = {},
  words: NonNullable<OpenApiPart['words']> = {},
): Dialect {
  const describe = (): Description => ({ ...toy.openApi.describe(), paths, components: { schemas } });
  return { ...toy, openApi: { ...toy.openApi, describe, words } };
}

const lineOf = ({ status, body }: ToyReply): string => `${status} ${body}`;

for (const { kind, skip } of TRANSPORTS) {
  suite(`over ${kind}`, { skip }, () => {
    test('its routes answer below each of its mounts, with their variables, and nowhere else', async (t) => {
      const ask = await serveToy(t, kind);
      assert.equal(lineOf(await ask('GET', '/toy/v1/counts/npm', GOOD)), '200 {"npm":2}');
      assert.equal(lineOf(await ask('GET', '/old-toy//counts/', GOOD)), '200 {"":2}');
      const head = await ask('HEAD', '/old-toy//counts/', GOOD);
      assert.match(head.head, /\r\nContent-Length: 6(\r\n|$)/);
      assert.equal(lineOf(head), '200 ');
      const elsewhere = ['/counts/npm', '/toy/counts/npm', '/toy/v1', '/database/api/npm/toy/v1/counts/npm'];
      for (const path of elsewhere) {
        assert.match(lineOf(await ask('GET', path, GOOD)), /^404 .*"code":"not_found"/, path);
      }
    });

    test('it reads keys its own way, and a tier must have the endpoint', async (t) => {
      const ask = await serveToy(t, kind);
      const path = '/toy/v1/counts/npm';
      assert.equal(lineOf(await ask('GET', path)), '403 missing_key (made-up): Bring a Toy-Key.');
      const challenged = await ask('GET', path, { pskey: 'good' }); // the contract's header
      assert.match(challenged.head, /\r\nWWW-Authenticate: Toy(\r\n|$)/);
      assert.match(lineOf(await ask('GET', path, { 'toy-key': 'bad' })), /^403 invalid_key/);
      assert.match(
        lineOf(await ask('GET', path, { 'toy-key': 'poor' })),
        /^403 forbidden_endpoint .*"counts"/,
      );
      assert.match(lineOf(await ask('GET', '/all', GOOD)), /^401 .*"code":"missing_key"/);
    });

    test('its requests count against the quota of the key, and bodies by item if the tier says so', async (t) => {
      const ask = await serveToy(t, kind);
      assert.equal(lineOf(await ask('POST', '/toy/v1/echo?q', GOOD, 'ab')), '200 "q ab"');
      const last = await ask('GET', '/toy/v1/counts/npm', GOOD);
      assert.match(last.head, /\r\nRateLimit: "all";r=0/);
      const refused = await ask('GET', '/toy/v1/counts/npm', GOOD);
      assert.match(lineOf(refused), /^429 rate_limited \(made-up\): /);
      // One quota for both dialects.
      assert.match(lineOf(await ask('GET', '/all', { pskey: 'good' })), /^429 .*"code":"rate_limited"/);
    });

    test('its error for a body that is too long is in its own format', async (t) => {
      const ask = await serveToy(t, kind);
      assert.equal(
        lineOf(await ask('POST', '/toy/v1/echo', GOOD, '123456789')),
        '413 body_too_large (made-up): Eight bytes at most.',
      );
    });

    test('its errors are in its own format, even if no route answers', async (t) => {
      const ask = await serveToy(t, kind);
      const reply = await ask('GET', '/toy/v1/nowhere', { 'x-request-id': 'mine' });
      assert.equal(lineOf(reply), '404 not_found (mine): No endpoint has this path; see /openapi.json.');
      assert.match(reply.head, /\r\nContent-Type: text\/plain\r\nCache-Control: no-store\r\n/);
    });

    test('another method gets 405 with Allow, and a preflight gets the headers of its key', async (t) => {
      const ask = await serveToy(t, kind);
      for (const [path, allow] of [
        ['/toy/v1/counts/npm', 'GET, HEAD'],
        ['/old-toy/echo', 'POST'],
        ['/toy/v1/page/parts/toy.js', 'GET, HEAD'],
      ]) {
        const reply = await ask('DELETE', path, GOOD);
        assert.equal(lineOf(reply), `405 method_not_allowed (made-up): This path answers ${allow} only.`);
        assert.ok(reply.head.includes(`\r\nAllow: ${allow}\r\n`), reply.head);
        const asked = { origin: ORIGIN, 'access-control-request-method': 'GET' };
        const preflight = await ask('OPTIONS', path, asked);
        assert.equal(preflight.status, 204);
        assert.ok(preflight.head.includes(`\r\nAccess-Control-Allow-Methods: ${allow}\r\n`));
        assert.match(preflight.head, /\r\nAccess-Control-Allow-Headers: Toy-Key, Content-Type, /);
      }
    });

    test('its requests are counted under its own labels, and those without a route as other', async (t) => {
      const ask = await serveToy(t, kind);
      const labels: string[] = [];
      for (const path of ['/toy/v1/counts/npm', '/all', '/toy/v1/page', '/toy/v1/echo', '/toy/v1/page/x']) {
        labels.push((await ask('GET', path, GOOD)).label);
      }
      assert.deepEqual(labels, ['toy-counts', 'all', 'toy-page', 'other', 'other']);
    });

    test('the document is encoded once: it has a tag, and a client that has it gets 304', async (t) => {
      const ask = await serveToy(t, kind);
      const plain = await ask('GET', '/openapi.json');
      const packed = await ask('GET', '/openapi.json', { 'accept-encoding': 'gzip, br' });
      assert.match(packed.head, /\r\nContent-Encoding: gzip\r\n/);
      assert.deepEqual(gunzipSync(packed.body), plain.body);
      const [tag, packedTag] = [plain, packed].map(({ head }) => /\r\nETag: ("\w+")/.exec(head)?.[1] ?? '');
      assert.notEqual(tag, packedTag);
      assert.equal((await ask('GET', '/openapi.json', { 'if-none-match': tag })).status, 304);
    });

    test('the document describes its API but not its files, and leaves the contract unchanged', async (t) => {
      const alone = openApiDocument([patchstack]);
      const ask = await serveToy(t, kind);
      const document: OpenApiDocument = JSON.parse((await ask('GET', '/openapi.json')).body.toString());
      const { '/toy/v1/counts/{platform}': counts, '/toy/v1/echo': echo, ...contract } = document.paths;
      assert.deepEqual(contract, alone.paths);
      assert.deepEqual(document.servers, alone.servers);
      assert.deepEqual(
        [counts.get?.operationId, counts.get?.security, counts.servers?.map(({ url }) => url)],
        ['countToys', [{ ToyKey: [] }], ['/']],
      );
      assert.equal(echo.post?.operationId, 'echoToys');
      assert.equal(document.info.description, `${alone.info.description}\n\nAnd toys.`);
      assert.deepEqual(Object.keys(document.components.securitySchemes), ['PSKey', 'Bearer', 'ToyKey']);
      assert.equal(document.tags.at(-1)?.name, 'toys');
    });
  });
}

test('its endpoint can be granted in a keys file', () => {
  const counting = { endpoints: ['counts'], rate: null };
  const text = JSON.stringify({ tiers: { counting }, keys: [] });
  assert.deepEqual(parseKeysFile(text, 'keys.json', endpointsOf(both)).tiers, { counting });
  assert.throws(() => parseKeysFile(text, 'keys.json', endpointsOf([patchstack])), /"counts" is not one of/);
});

test('its labels are listed after those of the contract, each once', () => {
  const labels = labelsOf(both);
  assert.deepEqual(
    labels.slice(labelsOf([patchstack]).length - 1),
    words('toy-counts toy-echo toy-page toy-album other'),
  );
  assert.equal(new Set(labels).size, labels.length);
});

test('an operation has what routes of its kind have, and its own wins', () => {
  const responses = { '200': { description: 'The count.' }, '304': { description: 'Its own.' } };
  const { paths } = openApiDocument([
    describedAs({ '/counts/{platform}': { get: { ...COUNT, responses } }, '/echo': { post: ECHO } }),
  ]);
  const read = paths['/counts/{platform}'].get ?? assert.fail();
  assert.equal(Object.keys(read.responses).join(' '), '200 304 401 403 405 412 422 429 500 503');
  assert.equal((read.responses[304] as { description: string }).description, 'Its own.');
  assert.deepEqual(pluck(read.parameters as readonly { $ref: string }[], '$ref'), [
    '#/components/parameters/Snapshot',
    '#/components/parameters/IfNoneMatch',
    '#/components/parameters/RequestId',
  ]);
  assert.ok('ETag' in (read.responses[200] as { headers: object }).headers);
  const post = paths['/echo'].post ?? assert.fail();
  assert.equal(Object.keys(post.responses).join(' '), '200 401 403 405 412 422 429 500 503');
  assert.ok(!('ETag' in (post.responses[200] as { headers: object }).headers));
});

test('an object schema that says nothing else is closed and has all its members', () => {
  const properties = { a: { type: 'string' }, b: { type: 'object', properties: { c: { type: 'string' } } } };
  const schemas = {
    Told: { type: 'object', properties, 'x-optional': ['a'] },
    Open: { type: 'object', properties, additionalProperties: true },
    Listed: { type: 'string' },
    Counted: { type: 'object', additionalProperties: { type: 'integer' } },
  };
  const refs = Object.keys(schemas).map((name) => ({ $ref: `#/components/schemas/${name}` }));
  const responses = {
    '200': { description: '', content: { 'application/json': { schema: { oneOf: refs } } } },
  };
  const { components } = openApiDocument([
    describedAs({ '/counts/{platform}': { get: { ...COUNT, responses } } }, schemas, {
      Listed: ['x', 'y'],
      Counted: ['x'],
    }),
  ]);
  const closed = {
    type: 'object',
    properties: { c: { type: 'string' } },
    required: ['c'],
    additionalProperties: false,
  };
  const members = { a: { type: 'string' }, b: closed };
  assert.deepEqual(components.schemas, {
    SnapshotId: components.schemas.SnapshotId, // of the parameter `snapshot`
    Told: { type: 'object', properties: members, required: ['b'], additionalProperties: false },
    Open: { type: 'object', properties: members, additionalProperties: true },
    Listed: { type: 'string', enum: ['x', 'y'] },
    Counted: {
      type: 'object',
      properties: { x: { type: 'integer' } },
      required: ['x'],
      additionalProperties: false,
    },
  });
});

test('a reference that leads nowhere is refused', () => {
  const responses = { '200': { $ref: '#/components/responses/Nowhere' } };
  assert.throws(
    () => openApiDocument([describedAs({ '/counts/{platform}': { get: { ...COUNT, responses } } })]),
    {
      message: 'responses/Nowhere is referred to, and no dialect has it',
    },
  );
});

test('two routes for the same method and path, or two components with the same name, are refused', () => {
  const [counts, echo, page] = toy.routes;
  assert.ok(counts.kind === 'read');
  assert.throws(
    () => new RouteTable([{ ...toy, routes: [counts, { ...counts, pattern: '/counts/{id}' }] }]),
    { message: /toy \/counts\/\{id\}: GET, HEAD is answered already/ },
  );
  assert.throws(() => new RouteTable([{ ...toy, routes: [page, page] }]), {
    message: /toy \/page: there are files already/,
  });
  const schemas = { Page: { type: 'object' } };
  const second = describedAs({}, schemas);
  assert.throws(() => openApiDocument([patchstack, second]), { message: /two components are called Page/ });
  const shared = { ...echo, pattern: '/counts/{id}' };
  const found = new RouteTable([{ ...toy, routes: [counts, shared] }]).find('PUT', '/old-toy/counts/1');
  assert.equal(found.kind === 'wrong-method' && found.allow, 'GET, HEAD, POST');
});
