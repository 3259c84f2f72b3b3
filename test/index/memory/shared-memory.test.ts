// Areas in shared memory: what is joined there, that they do not overlap, and what happens at the end of the memory.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import {
  allocateShared,
  growShared,
  OwnArea,
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

function joined(
  area: OwnArea,
  before: string,
  first: number,
  last: number,
  after: string,
): string | undefined {
  const bytes = area.join(bytesOf(before), first, last, bytesOf(after));
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
  const first = one.join(bytesOf('<'), 0, AREA_BYTES - 2, bytesOf('>')) as Uint8Array;
  const second = other.join(bytesOf('['), 0, AREA_BYTES - 2, bytesOf(']')) as Uint8Array;
  assert.equal(Buffer.from(first).toString(), `<${'x'.repeat(AREA_BYTES - 2)}>`);
  assert.equal(Buffer.from(second).toString(), `[${'x'.repeat(AREA_BYTES - 2)}]`);
  assert.equal(Buffer.from(new Uint8Array(memory.buffer, 0, AREA_BYTES)).toString(), text);
  assert.equal(one.join(bytesOf('<'), 0, AREA_BYTES - 1, bytesOf('>')), undefined);
});

test('memory grows in place, keeps its contents, and never beyond 4 GiB', () => {
  const memory = memoryWith('abc');
  growShared(memory, 1 << 20);
  assert.ok(memory.buffer.byteLength >= 1 << 20);
  assert.equal(joined(take(memory), '', 0, 3, ''), 'abc');
  assert.throws(() => growShared(memory, 2 ** 32 + 1), RangeError);
  growShared(memory, 2 ** 32 - AREA_BYTES + 1);
  assert.equal(OwnArea.take(memory, AREA_BYTES), undefined);
});

test('more than 4 GiB is refused, and so is a process with too little address space, with a remedy', (t) => {
  assert.throws(() => allocateShared(2 ** 32 + 1), /4294967297 bytes of shared memory exceed 4 GiB/);
  if (process.platform !== 'linux') {
    t.diagnostic('prlimit is a program of Linux');
    return;
  }
  const module = new URL('../../../src/index/memory/shared-memory.ts', import.meta.url).href;
  // Set after importing the module, and 4 GB above current use: the loader that compiles it needs address space too.
  const script = `import(${JSON.stringify(module)}).then(({ allocateShared }) => {
    const status = require('node:fs').readFileSync('/proc/self/status', 'utf8');
    const limit = Number(/VmSize:\\s+(\\d+) kB/.exec(status)[1]) * 1024 + 4e9;
    require('node:child_process').execFileSync('prlimit', ['--pid', process.pid, '--as=' + limit]);
    try { allocateShared(1); } catch (error) { console.log(error.name, error.message); }
  });`;
  const { stdout } = spawnSync(process.execPath, ['--import', 'tsx', '-e', script], { encoding: 'utf8' });
  assert.match(stdout, /^RangeError the process may not reserve 10 GiB .* \(ulimit -v/);
});

test('another thread sees the same bytes and takes its own area', async () => {
  const memory = memoryWith('shared');
  take(memory);
  // On Node 20 threads do not inherit the loader that runs the tests, so the thread registers it.
  const worker = new Worker(
    `const { parentPort, workerData: memory } = require('node:worker_threads');
     import('tsx/esm/api').then(async ({ register }) => {
       register();
       const { OwnArea } = await import(${JSON.stringify(new URL('../../../src/index/memory/shared-memory.ts', import.meta.url).href)});
       const bytes = OwnArea.take(memory, 1).join(Buffer.from('<'), 0, 6, Buffer.from('>'));
       parentPort.postMessage([Buffer.from(bytes).toString(), bytes.byteOffset]);
     });`,
    { eval: true, workerData: memory },
  );
  const [text, offset] = await new Promise<[string, number]>((resolve, reject) => {
    worker.once('message', resolve).once('error', reject);
  });
  await worker.terminate();
  assert.equal(text, '<shared>');
  assert.equal(offset, 64 * 1024 + AREA_BYTES);
});
