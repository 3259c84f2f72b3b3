import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { discard, type HttpHead, readDecoded, readWhole } from '../../src/download/body.ts';

function headWith(headers: Readonly<Record<string, string>>): HttpHead {
  return { url: new URL('https://ada:pw@a.example/x'), status: 200, header: (name) => headers[name] };
}

async function* pieces(...parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts;
}

test('a whole body is its pieces joined, inflated if need be', async () => {
  const parts = pieces(Buffer.from('a'), Buffer.from('b'));
  assert.equal((await readWhole(headWith({}), parts, 2)).toString(), 'ab');
  const packed = gzipSync('abc');
  const gzip = headWith({ 'content-encoding': 'GZIP' });
  assert.equal((await readWhole(gzip, pieces(packed), 100)).toString(), 'abc');
  assert.equal((await readWhole(gzip, pieces(), 100)).toString(), '');
});

test('a body in pieces is inflated if need be, and an error of its own is passed on', async () => {
  const read = async (
    headers: Readonly<Record<string, string>>,
    body: AsyncIterable<Uint8Array>,
  ): Promise<string> => {
    const parts: Uint8Array[] = [];
    for await (const part of readDecoded(headWith(headers), body)) parts.push(part);
    return Buffer.concat(parts).toString();
  };
  const packed = gzipSync('abc');
  const packedParts = (): AsyncGenerator<Uint8Array> => pieces(packed.subarray(0, 3), packed.subarray(3));
  assert.equal(await read({}, pieces(Buffer.from('a'), Buffer.from('b'))), 'ab');
  assert.equal(await read({ 'content-encoding': 'X-Gzip' }, packedParts()), 'abc');
  assert.equal(await read({ 'content-encoding': 'identity' }, packedParts()), packed.toString());
  await assert.rejects(read({ 'content-encoding': 'gzip' }, pieces(Buffer.from('abc'))), {
    code: 'unusable',
    message: /^https:\/\/a\.example\/x: the gzip content is damaged/,
  });
  await assert.rejects(read({ 'content-encoding': 'gzip, br' }, packedParts()), {
    message: /encoded as gzip, br/,
  });
  const broken = new Error('the connection broke');
  async function* breaking(): AsyncGenerator<Uint8Array> {
    yield packed.subarray(0, 12);
    throw broken;
  }
  await assert.rejects(read({ 'content-encoding': 'gzip' }, breaking()), (error) => error === broken);
});

test('a whole body is not read beyond its limit', async () => {
  let read = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) {
      read++;
      yield new Uint8Array(10);
    }
  }
  await assert.rejects(readWhole(headWith({}), endless(), 35), {
    code: 'too-large',
    message: 'https://a.example/x: the answer has more than 35 bytes; check the URL',
  });
  assert.equal(read, 4);
});

test('an answer that is not read on is read to its end, unless it has already ended, and may fail meanwhile', async () => {
  const dumps: string[] = [];
  const body = (name: string, destroyed: boolean, fails = false) => ({
    destroyed,
    dump: async () => {
      dumps.push(name);
      if (fails) throw new Error('reset');
    },
  });
  for (const each of [body('open', false), body('ended', true), body('failing', false, true)]) {
    await discard(each as unknown as Parameters<typeof discard>[0]); // these two members are all that it uses
  }
  assert.deepEqual(dumps, ['open', 'failing']);
});
