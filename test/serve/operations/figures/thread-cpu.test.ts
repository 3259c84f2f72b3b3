import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CpuMeter,
  ownThreadId,
  threadCpuSeconds,
} from '../../../../src/serve/operations/figures/thread-cpu.ts';
import { until } from '../../../support/until.ts';

const onLinux = process.platform === 'linux' ? {} : { skip: 'the kernel’s account is read from /proc' };

test('a share is of the time since the last call, and nobody’s after the thread was replaced', () => {
  const seconds = new Map([
    [7, 10],
    [8, 3],
  ]);
  const meter = new CpuMeter((id) => seconds.get(id));
  assert.equal(meter.share(7, 1_000), undefined);
  seconds.set(7, 10.5);
  assert.equal(meter.share(7, 2_000), 0.5);
  seconds.set(7, 10.5);
  assert.equal(meter.share(7, 4_000), 0);
  seconds.set(7, 15);
  assert.equal(meter.share(7, 5_000), 1, 'no more than a core');
  assert.equal(meter.share(8, 6_000), undefined);
  seconds.set(8, 3.25);
  assert.equal(meter.share(8, 7_000), 0.25);
  seconds.delete(8);
  assert.equal(meter.share(8, 8_000), undefined);
});

test(
  'the CPU time of a thread grows while it lives, and that of one that does not exist is not known',
  onLinux,
  async () => {
    const id = ownThreadId();
    const first = threadCpuSeconds(id) ?? Number.NaN;
    assert.ok(first > 0, String(first));
    let last = first;
    await until('more CPU time', () => {
      const seconds = threadCpuSeconds(id) ?? Number.NaN;
      assert.ok(seconds >= last, `${seconds} after ${last}`);
      last = seconds;
      return seconds > first;
    });
    assert.equal(threadCpuSeconds(0), undefined);
    assert.equal(threadCpuSeconds(2 ** 30), undefined);
  },
);
