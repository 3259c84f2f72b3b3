// Areas in shared memory: what is assembled there, that they do not overlap, and what happens when one is
// full.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { OwnArea } from '../../../src/index/memory/own-area.ts';
import {
  allocateShared,
  growShared,
  MAX_SEPARATOR_BYTES,
  type SharedMemory,
} from '../../../src/index/memory/shared-memory.ts';

const AREA_BYTES = 128 * 1024;
const bytesOf = (text: string): Uint8Array => Buffer.from(text);

function memoryWith(text: string): SharedMemory {
  const memory = allocateShared(text.length);
  new Uint8Array(memory.buffer).set(bytesOf(text));
  return memory;
}

function take(memory: SharedMemory): OwnArea {
  const area = OwnArea.take(memory, AREA_BYTES);
  assert.ok(area !== undefined);
  return area;
}

function join(
  area: OwnArea,
  before: string,
  first: number,
  last: number,
  after: string,
): Uint8Array | undefined {
  area.restart();
  area.piece(bytesOf(before));
  area.range(first, last);
  area.piece(bytesOf(after));
  return area.view();
}

function joined(
  area: OwnArea,
  before: string,
  first: number,
  last: number,
  after: string,
): string | undefined {
  const bytes = join(area, before, first, last, after);
  return bytes === undefined ? undefined : Buffer.from(bytes).toString();
}

test('a range of the memory is joined with what comes before and after, at any alignment', () => {
  const text = Array.from({ length: 5_000 }, (_, i) => String.fromCharCode(97 + (i % 26))).join('');
  const area = take(memoryWith(text));
  for (let first = 0; first < 20; first++) {
    for (const length of [0, 1, 7, 8, 9, 64, 4_000]) {
      const wanted = `<${'-'.repeat(first % 5)}${text.slice(first, first + length)}>`;
      assert.equal(joined(area, `<${'-'.repeat(first % 5)}`, first, first + length, '>'), wanted);
    }
  }
});

test('areas overlap neither each other nor earlier data, and are filled to the last byte', () => {
  const text = 'x'.repeat(AREA_BYTES);
  const memory = memoryWith(text);
  const [one, other] = [take(memory), take(memory)];
  const first = join(one, '<', 0, AREA_BYTES - 2, '>') as Uint8Array;
  const second = join(other, '[', 0, AREA_BYTES - 2, ']') as Uint8Array;
  assert.equal(Buffer.from(first).toString(), `<${'x'.repeat(AREA_BYTES - 2)}>`);
  assert.equal(Buffer.from(second).toString(), `[${'x'.repeat(AREA_BYTES - 2)}]`);
  assert.equal(Buffer.from(new Uint8Array(memory.buffer, 0, AREA_BYTES)).toString(), text);
  assert.equal(join(one, '<', 0, AREA_BYTES - 1, '>'), undefined);
});

test('a memory without space gives no area', () => {
  const memory = memoryWith('abc');
  growShared(memory, 2 ** 32 - AREA_BYTES + 1);
  assert.equal(OwnArea.take(memory, AREA_BYTES), undefined);
});

const STARTS_AT = 4096; // after the text

/** A memory with a text, and with the starts of ranges of these lengths. */
function memoryWithRanges(
  text: string,
  lengths: readonly number[],
): { memory: SharedMemory; starts: Uint32Array } {
  const memory = memoryWith(text.padEnd(2 * STARTS_AT, '\0'));
  const starts = new Uint32Array(memory.buffer, STARTS_AT, lengths.length + 1);
  lengths.forEach((length, i) => {
    starts[i + 1] = starts[i] + length;
  });
  return { memory, starts };
}

test('ranges are appended without their ends, each followed by a separator', () => {
  const text = Array.from({ length: 2_000 }, (_, i) => String.fromCharCode(97 + (i % 26))).join('');
  const lengths = Array.from({ length: 60 }, (_, i) => 2 + ((i * 7) % 31));
  const { memory, starts } = memoryWithRanges(text, lengths);
  const area = take(memory);
  for (const separator of ['', ',', '|separator|', '='.repeat(MAX_SEPARATOR_BYTES)]) {
    const constant = bytesOf(separator);
    for (const [first, last] of [
      [0, 0],
      [0, 1],
      [3, 4],
      [5, 60],
      [0, 60],
    ]) {
      for (const cut of [0, 1, 2]) {
        area.restart();
        area.piece(bytesOf('['));
        area.separated(starts, first, last, cut, constant);
        area.piece(bytesOf(']'));
        const ranges = lengths.map((_, i) => text.slice(starts[i], starts[i + 1] - cut) + separator);
        const wanted = `[${ranges.slice(first, last).join('')}]`;
        assert.equal(area.length, wanted.length);
        assert.equal(Buffer.from(area.view() as Uint8Array).toString(), wanted);
      }
    }
  }
});

test('the last separator of a full area is written to its last byte and not into the next area', () => {
  const { memory, starts } = memoryWithRanges('abcd', [4]);
  const [one, other] = [take(memory), take(memory)];
  other.restart();
  other.piece(new Uint8Array(AREA_BYTES).fill(0x2e));
  one.restart();
  one.piece(new Uint8Array(AREA_BYTES - 5).fill(0x2d));
  one.separated(starts, 0, 1, 0, bytesOf('|'));
  assert.equal(Buffer.from(one.view() as Uint8Array).toString(), `${'-'.repeat(AREA_BYTES - 5)}abcd|`);
  assert.equal(Buffer.from(other.view() as Uint8Array).toString(), '.'.repeat(AREA_BYTES));
});

test('what does not fit makes the area full until it is restarted, whatever comes after', () => {
  const { memory, starts } = memoryWithRanges('abcd', [4]);
  const area = take(memory);
  const overflows: readonly (() => void)[] = [
    () => area.piece(new Uint8Array(2)),
    () => area.range(0, 2),
    () => area.separated(starts, 0, 1, 3, bytesOf('|')),
  ];
  for (const overflow of overflows) {
    area.restart();
    area.piece(new Uint8Array(AREA_BYTES - 1));
    assert.equal(area.isFull, false);
    overflow();
    assert.equal(area.isFull, true);
    area.truncate(1);
    area.range(0, 1);
    assert.equal(area.view(), undefined);
  }
  assert.equal(joined(area, '<', 0, 4, '>'), '<abcd>');
});

test('an area and its ranges may be above 2 GiB, where addresses are negative as signed numbers', () => {
  const memory = memoryWith('');
  growShared(memory, 3 * 2 ** 30);
  const at = 3 * 2 ** 30 - 4096;
  new Uint8Array(memory.buffer).set(bytesOf('abcdefgh'), at);
  const starts = new Uint32Array(memory.buffer, at + 64, 3);
  starts.set([at, at + 4, at + 8]);
  const area = take(memory);
  assert.equal(joined(area, '<', at + 1, at + 3, '>'), '<bc>');
  area.restart();
  area.separated(starts, 0, 2, 1, bytesOf('|'));
  assert.equal(Buffer.from(area.view() as Uint8Array).toString(), 'abc|efg|');
});

test('a separator that is too long is an internal error', () => {
  const { memory, starts } = memoryWithRanges('abcd', [4]);
  const area = take(memory);
  const tooLong = new Uint8Array(MAX_SEPARATOR_BYTES + 1);
  assert.throws(() => area.separated(starts, 0, 1, 0, tooLong), RangeError);
});

test('another thread sees the same bytes and takes its own area', async () => {
  const memory = memoryWith('shared');
  take(memory);
  // On Node 20 threads do not inherit the loader that runs the tests, so the thread registers it.
  const worker = new Worker(
    `const { parentPort, workerData: memory } = require('node:worker_threads');
     import('tsx/esm/api').then(async ({ register }) => {
       register();
       const { OwnArea } = await import(${JSON.stringify(new URL('../../../src/index/memory/own-area.ts', import.meta.url).href)});
       const area = OwnArea.take(memory, 8);
       area.restart();
       area.piece(Buffer.from('<'));
       area.range(0, 6);
       area.piece(Buffer.from('>'));
       const bytes = area.view();
       parentPort.postMessage([Buffer.from(bytes).toString(), bytes.byteOffset]);
     });`,
    { eval: true, workerData: memory },
  );
  const [text, offset] = await new Promise<[string, number]>((resolve, reject) => {
    worker.once('message', resolve).once('error', reject);
  });
  await worker.terminate();
  assert.equal(text, '<shared>');
  // After a page of data, and the pages of the other area: AREA_BYTES, and 1 KiB for separators.
  assert.equal(offset, 4 * 64 * 1024 + 1024);
});
