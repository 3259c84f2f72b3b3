// How many connections fit the limit on descriptors, and when accepting stops and resumes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DescriptorWatch, descriptorLimit, fitConnections } from '../../../src/serve/workers/descriptors.ts';

const onLinux = process.platform === 'linux' ? {} : { skip: 'limits are read from /proc' };

test('connections of all workers together leave descriptors for everything else', () => {
  assert.equal(fitConnections(20_000, 2, undefined), 20_000);
  assert.equal(fitConnections(20_000, 2, 1_048_576), 20_000);
  assert.equal(fitConnections(100, 2, 1024), 100);
  for (const [workers, limit] of [
    [1, 1024],
    [2, 20_000],
    [16, 65_536],
  ] as const) {
    const each = fitConnections(20_000, workers, limit);
    assert.ok(
      each * workers <= limit - 128 && each * workers > limit * 0.75,
      `${each} for ${workers} of ${limit}`,
    );
  }
  assert.equal(fitConnections(20_000, 4, 60), 1, 'never zero: the process could not answer anyone');
});

test('the limit is that of this process', onLinux, () => {
  const limit = descriptorLimit();
  assert.ok(limit === undefined || (Number.isInteger(limit) && limit > 0), String(limit));
});

test('running out and recovering are reported once each, with hysteresis between them', (t) => {
  let free = 100;
  const told: boolean[] = [];
  const watch = new DescriptorWatch(
    (haveRunOut) => told.push(haveRunOut),
    (count) => count <= free,
  );
  t.after(() => watch.close());
  watch.look();
  assert.deepEqual(told, []);
  free = 0;
  watch.look();
  watch.look();
  assert.deepEqual(told, [true]);
  free = 5;
  watch.look();
  assert.deepEqual(told, [true], 'a few are not enough');
  free = 60;
  watch.look();
  watch.look();
  assert.deepEqual(told, [true, false]);
});
