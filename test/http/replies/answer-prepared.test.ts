// Prepared files as clients get them, over each transport.

import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { answerPrepared, notYetPrepared, prepareFiles } from '../../../src/http/replies/answer-prepared.ts';
import type { PreparedFile } from '../../../src/http/replies/prepared-files.ts';
import type { TransportKind } from '../../../src/http/transport/transport.ts';
import type { Generation } from '../../../src/index/generation.ts';
import { FILE_BYTES, serveToy, type ToyReply, toyWithFiles } from '../../support/serving/toy-dialect.ts';
import { TRANSPORTS } from '../../support/serving/transports.ts';

const GOOD = { 'toy-key': 'good' };
const PATH = '/toy/v1/file/all.txt';

async function serve(t: TestContext, kind: TransportKind) {
  let id = '';
  const prepared = (generation: Generation) => {
    id = generation.id;
    return { snapshot: id, files: prepareFiles([toyWithFiles], generation) };
  };
  const ask = await serveToy(t, kind, { dialect: toyWithFiles, prepared });
  return { ask, id: () => id };
}

function header({ head }: ToyReply, name: string): string | undefined {
  return new RegExp(`\\r\\n${name}: ([^\\r]*)`).exec(head)?.[1];
}

for (const { kind, skip } of TRANSPORTS) {
  suite(`over ${kind}`, { skip }, () => {
    test('a file is sent whole, in the coding that the client accepts', async (t) => {
      const { ask, id } = await serve(t, kind);
      const plain = await ask('GET', PATH, GOOD);
      assert.deepEqual([plain.status, plain.body.length, plain.label], [200, FILE_BYTES, 'toy-file']);
      const coded = await ask('GET', PATH, { ...GOOD, 'accept-encoding': 'br, gzip' });
      assert.ok(gunzipSync(coded.body).equals(plain.body));
      for (const [reply, coding, tag] of [
        [plain, undefined, `"${id()}.toy"`],
        [coded, 'gzip', `"${id()}.toy-gzip"`],
      ] as const) {
        assert.equal(header(reply, 'Content-Encoding'), coding);
        assert.equal(header(reply, 'Content-Length'), String(reply.body.length));
        assert.equal(header(reply, 'Content-Type'), 'text/plain');
        assert.equal(header(reply, 'ETag'), tag);
        assert.equal(header(reply, 'Vary'), 'Accept-Encoding');
        assert.equal(header(reply, 'X-Toys'), 'yes');
        assert.match(header(reply, 'RateLimit') ?? '', /^"all"/);
      }
    });

    test('a tag is that of one coding: a client that wants another one gets it', async (t) => {
      for (const held of ['identity', 'gzip']) {
        const { ask } = await serve(t, kind);
        const tag = header(await ask('HEAD', PATH, { ...GOOD, 'accept-encoding': held }), 'ETag') ?? '';
        for (const wanted of ['identity', 'gzip']) {
          const headers = { ...GOOD, 'if-none-match': tag, 'accept-encoding': wanted };
          const { status } = await ask('HEAD', PATH, headers);
          assert.equal(status, wanted === held ? 304 : 200, `${tag} ${wanted}`);
        }
      }
    });

    test('HEAD, a tag that is current and an empty file send no body', async (t) => {
      const { ask, id } = await serve(t, kind);
      const head = await ask('HEAD', PATH, GOOD);
      assert.deepEqual(
        [head.status, head.body.length, header(head, 'Content-Length')],
        [200, 0, String(FILE_BYTES)],
      );
      const current = await ask('GET', PATH, { ...GOOD, 'if-none-match': `"${id()}.toy"` });
      assert.deepEqual([current.status, current.body.length, header(current, 'X-Toys')], [304, 0, 'yes']);
      const empty = await ask('GET', '/toy/v1/file/none.zip', GOOD);
      assert.deepEqual([empty.status, empty.body.length, header(empty, 'Vary')], [200, 0, 'Origin']);
    });

    test('until there are files the answer is 503 in the dialect’s own form; a file of none of its names is 404', async (t) => {
      const without = await serveToy(t, kind, { dialect: toyWithFiles });
      const early = await without('GET', PATH, GOOD);
      assert.match(`${early.status} ${early.body}`, /^503 preparing \(made-up\): /);
      assert.equal(header(early, 'Retry-After'), '5');
      const { ask } = await serve(t, kind);
      assert.match(String((await ask('GET', '/toy/v1/file/other', GOOD)).body), /^not_found/);
    });

    test('a file of the named snapshot is sent, one of another snapshot is 412 in the dialect’s own form', async (t) => {
      const { ask, id } = await serve(t, kind);
      const head = await ask('HEAD', PATH, GOOD);
      assert.equal((await ask('HEAD', `${PATH}?snapshot=${id()}`, GOOD)).status, head.status);
      const other = await ask('GET', `${PATH}?snapshot=${'0'.repeat(16)}`, GOOD);
      assert.match(`${other.status} ${other.body}`, /^412 unknown_snapshot \(made-up\): /);
      assert.ok(other.body.includes(id()));
    });
  });
}

test('gzip is sent only to a client that accepts it', () => {
  const bytes = new Uint8Array(new SharedArrayBuffer(1));
  const file: PreparedFile = {
    contentType: 'text/plain',
    plain: bytes,
    gzip: bytes,
    etag: '"1"',
    headers: [],
  };
  const accepts = (acceptEncoding: string): boolean => {
    const answer = answerPrepared(
      { header: (name) => (name === 'accept-encoding' ? acceptEncoding : '') },
      file,
    );
    return answer.kind === 'prepared' && answer.acceptsGzip;
  };
  for (const yes of ['gzip', 'br, GZIP;q=0.5', 'x-gzip', '*', 'gzip;q=1', '*;q=0, gzip']) {
    assert.equal(accepts(yes), true, yes);
  }
  for (const no of ['', 'identity', 'br', 'gzip;q=0', 'gzip; q=0.00', '*;q=0', '*, gzip;q=0', 'gzipped']) {
    assert.equal(accepts(no), false, no);
  }
});

test('a file that is not ready is a problem that says when to ask again', () => {
  const answer = notYetPrepared();
  assert.ok(answer.kind === 'problem');
  assert.deepEqual([answer.problem.status, answer.headers], [503, [['Retry-After', '5']]]);
});
