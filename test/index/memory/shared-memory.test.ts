// Shared memory: how it grows, and what limits it.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { allocateShared, growShared } from '../../../src/index/memory/shared-memory.ts';

test('memory grows in place, keeps its contents, and never beyond 4 GiB', () => {
  const memory = allocateShared(3);
  new Uint8Array(memory.buffer).set(Buffer.from('abc'));
  growShared(memory, 1 << 20);
  assert.ok(memory.buffer.byteLength >= 1 << 20);
  assert.equal(Buffer.from(new Uint8Array(memory.buffer, 0, 3)).toString(), 'abc');
  assert.throws(() => growShared(memory, 2 ** 32 + 1), RangeError);
});

test('more than 4 GiB is refused, and so is a process with too little address space, with a remedy', (t) => {
  assert.throws(() => allocateShared(2 ** 32 + 1), /4294967297 bytes of shared memory exceed 4 GiB/);
  if (process.platform !== 'linux') {
    t.diagnostic('prlimit is a program of Linux');
    return;
  }
  const module = new URL('../../../src/index/memory/shared-memory.ts', import.meta.url).href;
  // Set after importing the module, and 4 GB above current use: the loader that compiles it needs address
  // space too.
  const script = `import(${JSON.stringify(module)}).then(({ allocateShared }) => {
    const status = require('node:fs').readFileSync('/proc/self/status', 'utf8');
    const limit = Number(/VmSize:\\s+(\\d+) kB/.exec(status)[1]) * 1024 + 4e9;
    require('node:child_process').execFileSync('prlimit', ['--pid', process.pid, '--as=' + limit]);
    try { allocateShared(1); } catch (error) { console.log(error.name, error.message); }
  });`;
  const { stdout } = spawnSync(process.execPath, ['--import', 'tsx', '-e', script], { encoding: 'utf8' });
  assert.match(stdout, /^RangeError the process may not reserve 10 GiB .* \(ulimit -v/);
});
