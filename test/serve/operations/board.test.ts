import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { allocateBoard, Board } from '../../../src/serve/operations/board.ts';
import { volume } from '../../support/volume.ts';

const READS = volume(200_000);
const AREA_BYTES = 8_192;
const TIME_LIMIT = { timeout: 60_000 };

// On Node 20 threads do not inherit the loader that runs the tests, so each thread registers it.
const BOOT = `import('tsx/esm/api').then(({ register }) => {
  register();
  return import(${JSON.stringify(import.meta.url)});
});`;

function textOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes === undefined ? undefined : Buffer.from(bytes).toString();
}

if (isMainThread) {
  test('a board shows nothing at first, and then the last document', () => {
    const memory = allocateBoard(16);
    const [writer, reader] = [new Board(memory), new Board(memory)];
    assert.equal(reader.read(), undefined);
    for (const text of ['one', 'a longer one', '', 'x']) {
      assert.ok(writer.write(Buffer.from(text)));
      assert.equal(textOf(reader.read()), text);
    }
  });

  test('a document that does not fit is not written, and the previous one stays', () => {
    const board = new Board(allocateBoard(4));
    assert.ok(board.write(Buffer.from('four')));
    assert.equal(board.write(Buffer.from('fives')), false);
    assert.equal(textOf(board.read()), 'four');
  });

  test('what was read is a copy that no later document changes', () => {
    const board = new Board(allocateBoard(8));
    board.write(Buffer.from('first'));
    const first = board.read();
    board.write(Buffer.from('2'));
    board.write(Buffer.from('third'));
    assert.equal(textOf(first), 'first');
    assert.ok(!(first?.buffer instanceof SharedArrayBuffer));
  });
}

interface WriterData {
  readonly memory: SharedArrayBuffer;
  /** 1 once the reader has seen enough. */
  readonly enough: Int32Array;
}

/**
 * Documents of one repeated byte, with a length that goes with it: half of one and half of another is found
 * at once.
 */
const documentOf = (value: number): Uint8Array => new Uint8Array(lengthOf(value)).fill(value);

const lengthOf = (value: number): number => 1 + ((value * 7_919) % AREA_BYTES);

function writeAll({ memory, enough }: WriterData): void {
  const board = new Board(memory);
  const documents = Array.from({ length: 200 }, (_, value) => documentOf(value));
  for (let i = 0; Atomics.load(enough, 0) === 0; i++) board.write(documents[i % 200]);
}

if (!isMainThread) writeAll(workerData as WriterData);
else
  test(
    'while documents are written as fast as a thread can, a reader never sees half of one',
    TIME_LIMIT,
    async () => {
      const memory = allocateBoard(AREA_BYTES);
      const enough = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
      const workerData: WriterData = { memory, enough };
      const ended = once(new Worker(BOOT, { eval: true, workerData }), 'exit');
      const board = new Board(memory);
      try {
        for (let reads = 0; reads < READS; ) {
          await new Promise((resolve) => setImmediate(resolve));
          for (let i = 0; i < 100; i++) {
            const bytes = board.read(); // undefined if every try met a newer document
            if (bytes === undefined) continue;
            const [value] = bytes;
            assert.equal(bytes.length, lengthOf(value));
            assert.ok(Buffer.from(bytes).equals(documentOf(value)), `a torn document after ${reads} reads`);
            reads++;
          }
        }
      } finally {
        enough[0] = 1;
      }
      assert.deepEqual(await ended, [0]);
    },
  );
