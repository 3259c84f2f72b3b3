import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Generation } from '../../../src/index/generation.ts';
import { Canary } from '../../../src/loader/live/canary.ts';
import { coreAdvisory, coreProduct, coreSpan, generationOf } from '../../support/snapshots/generation.ts';

/** Plugins p1, p2, …, each vulnerable below its fix. */
function pluginsBelow(t: TestContext, fixes: readonly string[]): Generation {
  const advisories = fixes.map((fix, i) =>
    coreAdvisory(i + 1, {
      product: coreProduct('plugin', `p${i + 1}`),
      spans: [coreSpan(null, fix, 'exclusive', fix)],
    }),
  );
  return generationOf(t, advisories);
}

function askingAll(products: number, version = '1.5'): Canary {
  const canary = new Canary();
  for (let i = 1; i <= products; i++) canary.note({ type: 'plugin', name: `p${i}`, version });
  return canary;
}

test('a snapshot that changes more verdicts than allowed is refused, and the changes are listed', (t) => {
  const live = pluginsBelow(t, Array(200).fill('2.0'));
  const fixes = Array.from({ length: 200 }, (_, i) => (i < 60 ? '1.0' : '2.0'));
  const next = pluginsBelow(t, fixes);
  const canary = askingAll(200);
  assert.equal(canary.findChanged(live, next, 30), undefined, '60 of 200 are 30 %');
  const error = canary.findChanged(live, next, 29);
  assert.equal(error?.code, 'verdicts-changed');
  assert.equal(
    error?.expected,
    'other verdicts for at most 29 % of the last 200 products that were asked about',
  );
  assert.match(error?.got ?? '', /^60: plugin\/p60 1\.5 is no longer vulnerable, plugin\/p59 1\.5/);
  assert.match(error?.got ?? '', /, and 40 more$/);
  assert.match(canary.findChanged(next, live, 29)?.got ?? '', /^60: plugin\/p60 1\.5 becomes vulnerable/);
  assert.equal(canary.findChanged(live, next, 100), undefined);
});

test('products that one of them lacks, and texts that are not versions, have verdicts too', (t) => {
  const live = pluginsBelow(t, Array(120).fill('2.0'));
  const next = pluginsBelow(t, Array(100).fill('2.0'));
  const canary = askingAll(120);
  canary.note({ type: 'plugin', name: 'p1', version: '' });
  canary.note({ type: 'npm', name: 'unknown', version: 'not a version' });
  assert.deepEqual(
    canary.changes(live, next).map(({ name }) => name),
    Array.from({ length: 20 }, (_, i) => `p${120 - i}`),
  );
});

test('of few products nothing is concluded', (t) => {
  const [live, next] = [pluginsBelow(t, Array(99).fill('2.0')), pluginsBelow(t, ['1.0'])];
  assert.equal(askingAll(99).findChanged(live, next, 1), undefined);
  assert.notEqual(askingAll(100).findChanged(live, next, 1), undefined);
});

test('many versions of one product are one product, whoever asks for them', (t) => {
  const live = pluginsBelow(t, Array(200).fill('2.0'));
  const next = pluginsBelow(t, ['1.0', ...Array(199).fill('2.0')]);
  const canary = askingAll(200);
  for (let i = 0; i < 450; i++) canary.note({ type: 'plugin', name: 'p1', version: `1.${i}` });
  assert.equal(canary.findChanged(live, next, 1), undefined, '1 of 200 products');
  assert.equal(canary.changes(live, next).length, 16, 'the last versions of it');
});

test('the last 10,000 products are kept', () => {
  const canary = askingAll(10_000);
  canary.note({ type: 'plugin', name: 'p1', version: '1.5' }); // again
  assert.equal(canary.count, 10_000);
  canary.note({ type: 'plugin', name: 'p10001', version: '1.5' });
  assert.equal(canary.count, 10_000);
});

/** Callers 1, 2, …, each asking about `each` products of its own: the first p1, p2, … */
function askedBy(callers: number, each: number): Canary {
  const canary = new Canary();
  for (let i = 0; i < callers * each; i++) {
    canary.note({ type: 'plugin', name: `p${i + 1}`, version: '1.5' }, 1 + Math.floor(i / each));
  }
  return canary;
}

/** The last `news` of so many plugins change. */
function withNews(
  t: TestContext,
  plugins: number,
  news: number,
): readonly [live: Generation, next: Generation] {
  const fixes = Array.from({ length: plugins }, (_, i) => (i < plugins - news ? '2.0' : '1.0'));
  return [pluginsBelow(t, Array(plugins).fill('2.0')), pluginsBelow(t, fixes)];
}

test('of ten callers, none alone has a snapshot refused', (t) => {
  const [live, next] = withNews(t, 300, 120);
  const canary = askedBy(9, 20);
  for (let i = 181; i <= 300; i++) canary.note({ type: 'plugin', name: `p${i}`, version: '1.5' }, 10);
  assert.equal(canary.changes(live, next).length, 120);
  assert.equal(canary.findChanged(live, next, 1), undefined);
  // One of the others saw some of it, at the same versions.
  for (let i = 181; i <= 200; i++) canary.note({ type: 'plugin', name: `p${i}`, version: '1.5' }, 1);
  assert.equal(canary.findChanged(live, next, 10), undefined, '20 of 200 without the tenth');
  assert.match(canary.findChanged(live, next, 9)?.got ?? '', /^120: plugin\/p200 1\.5 is no longer/);
});

test('what many callers see is refused, and so is what one of few sees', (t) => {
  const [live, next] = withNews(t, 400, 200);
  assert.match(askedBy(20, 20).findChanged(live, next, 40)?.got ?? '', /^200: /);
  assert.match(askedBy(4, 100).findChanged(live, next, 40)?.got ?? '', /^200: /);
  const [before, after] = withNews(t, 400, 100);
  assert.match(askedBy(4, 100).findChanged(before, after, 20)?.got ?? '', /^100: /, 'all by the fourth');
});

test('a caller decides if the others asked about too few products to judge by', (t) => {
  const [live, next] = withNews(t, 300, 200);
  const canary = askedBy(9, 11);
  for (let i = 101; i <= 300; i++) canary.note({ type: 'plugin', name: `p${i}`, version: '1.5' }, 10);
  assert.match(canary.findChanged(live, next, 50)?.got ?? '', /^200: /);
});

test('callers without a key are heard only while those with one asked about fewer than 100 products', (t) => {
  const [live, next] = withNews(t, 300, 200);
  const asking = (withKey: number): Canary => {
    const canary = askedBy(1, withKey);
    for (let i = 101; i <= 300; i++) canary.note({ type: 'plugin', name: `p${i}`, version: '1.5' });
    return canary;
  };
  assert.match(asking(99).findChanged(live, next, 50)?.got ?? '', /^200: /);
  assert.equal(asking(100).findChanged(live, next, 1), undefined);
  assert.deepEqual(asking(100).changes(live, next), []);
});

test('who asks about many products displaces its own, not those of others', (t) => {
  const [live, next] = withNews(t, 100, 100);
  const canary = askedBy(1, 100);
  for (let i = 0; i < 20_000; i++) canary.note({ type: 'npm', name: `x${i}`, version: '1.0' });
  for (let i = 0; i < 20_000; i++) canary.note({ type: 'npm', name: `y${i}`, version: '1.0' }, 2);
  assert.equal(canary.count, 10_000);
  assert.equal(canary.changes(live, next).length, 100);
});

test('of more callers than products that are kept, those who asked last are kept', (t) => {
  const [live, next] = withNews(t, 100, 100);
  const canary = askedBy(100, 1);
  for (let i = 0; i < 9_950; i++) canary.note({ type: 'npm', name: 'x', version: '1.0' }, 1_000 + i);
  assert.equal(canary.count, 10_000);
  assert.deepEqual(
    canary.changes(live, next).map(({ name }) => name),
    Array.from({ length: 50 }, (_, i) => `p${100 - i}`),
  );
});
