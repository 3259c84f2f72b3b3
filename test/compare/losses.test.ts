import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Excess, findExcess, findLosses, type Losses } from '../../src/compare/losses.ts';
import type { Advisory } from '../../src/compiler/advisory.ts';
import type { Generation } from '../../src/index/generation.ts';
import type { SourcesTerm } from '../../src/index/items/list-item.ts';
import { temporaryFolder } from '../support/folder.ts';
import { compileGeneration, coreAdvisory, coreProduct } from '../support/snapshots/generation.ts';

const folder = temporaryFolder({ after });
const LEFT = coreProduct('npm', 'left');

const generation = (advisories: readonly Advisory[]): Generation => compileGeneration(folder, advisories);

function from(...names: readonly string[]): Pick<Advisory, 'sources'> {
  return { sources: names.map((name) => ({ name, notice: '', license: '', licenseUrl: '' })) };
}

function losses(previous: readonly Advisory[], next: readonly Advisory[]): Losses {
  const before = generation(previous);
  const namesOf = (term: number): string[] =>
    (before.records.termAt(term) as SourcesTerm).map(([name]) => name); // verified by the load
  return findLosses(before.parts.columns, generation(next).parts.columns, namesOf);
}

/** Ids first..first+count-1, alternately of both platforms. */
function some(count: number, changes: Partial<Advisory> = {}, first = 1): Advisory[] {
  return Array.from({ length: count }, (_, i) =>
    coreAdvisory(first + i, i % 2 === 0 ? { product: LEFT, ...changes } : changes),
  );
}

test('an advisory that is withdrawn or gone is lost, if it was published', () => {
  const previous = [...some(4), coreAdvisory(5, { withdrawnAt: 1 }), coreAdvisory(6, { withdrawnAt: 1 })];
  const next = [
    coreAdvisory(1, { title: 'Other', product: LEFT }),
    coreAdvisory(2, { withdrawnAt: 1 }),
    coreAdvisory(5), // restored
    ...some(3, {}, 7),
  ];
  const found = losses(previous, next);
  const { published, withdrawn, gone } = found.total;
  assert.deepEqual({ published, withdrawn, gone }, { published: 4, withdrawn: 1, gone: 2 });
  assert.equal(found.nextPublished, 5);
  const before = generation(previous);
  assert.deepEqual(
    found.total.examples.map(({ kind, ordinal }) => [before.idAt(ordinal), kind]),
    [
      [4, 'gone'],
      [2, 'withdrawn'],
      [3, 'gone'],
    ],
  );
});

test('an id that now belongs to another product is lost, as after the loss of a registry of ids', () => {
  const same = coreProduct('plugin', 'gallery');
  const previous = [1, 2, 3].map((id) => coreAdvisory(id, { product: same }));
  const next = [
    coreAdvisory(1, { product: same, title: 'Other' }),
    coreAdvisory(2, { product: coreProduct('plugin', 'gallery-2') }),
    coreAdvisory(3, { product: coreProduct('theme', 'gallery') }),
  ];
  const { total } = losses(previous, next);
  assert.deepEqual([total.published, total.withdrawn, total.gone], [3, 0, 2]);
});

test('what is lost is counted for each source of an advisory, and once for a source named twice', () => {
  const previous = [
    ...some(3, from('A')),
    ...some(2, from('A', 'B', 'B'), 11),
    coreAdvisory(21, { ...from('B'), withdrawnAt: 1 }),
    coreAdvisory(31),
  ];
  // The sources of the new snapshot do not matter: 1 is still published.
  const { bySource, total } = losses(previous, [coreAdvisory(1, { product: LEFT }), coreAdvisory(2)]);
  const counts = [...bySource].map(([name, { published, gone }]) => [name, published, gone]);
  assert.deepEqual(counts.toSorted(), [
    ['A', 5, 3],
    ['B', 2, 2],
  ]);
  assert.deepEqual([total.published, total.gone], [6, 4]);
});

test('what is lost is shown by at most five examples', () => {
  const { total } = losses(some(9), [coreAdvisory(100)]);
  assert.equal(total.gone, 9);
  assert.equal(total.examples.length, 5);
});

const none = { maxWithdrawn: 100, maxShrink: 100 };
const kinds = (excess: readonly Excess[]): string[] =>
  excess.map((each) => (each.kind === 'lost' ? `lost of ${each.source ?? 'all'}` : 'shrunk'));
/** 200 published, of which `lost` are replaced by others. */
const exchanged = (lost: number): Losses => losses(some(200), some(200, {}, lost + 1));

test('a share above --max-withdrawn exceeds the limit, but not one that equals it', () => {
  const limits = { ...none, maxWithdrawn: 10 };
  assert.deepEqual(kinds(findExcess(exchanged(20), limits)), []);
  assert.deepEqual(kinds(findExcess(exchanged(21), limits)), ['lost of all']);
  assert.deepEqual(kinds(findExcess(exchanged(0), { ...none, maxWithdrawn: 0 })), []);
  assert.deepEqual(kinds(findExcess(exchanged(1), { ...none, maxWithdrawn: 0 })), ['lost of all']);
  assert.deepEqual(kinds(findExcess(exchanged(200), none)), []);
});

test('the loss of one source exceeds the limit, however small its part of the whole', () => {
  const previous = [...some(196, from('Large')), ...some(2, from('B'), 301), ...some(2, from('A'), 401)];
  const next = [...some(196, from('Large')), coreAdvisory(500)];
  const found = losses(previous, next);
  assert.deepEqual(kinds(findExcess(found, { ...none, maxWithdrawn: 10 })), ['lost of A', 'lost of B']);
  assert.deepEqual(kinds(findExcess(found, { ...none, maxWithdrawn: 99 })), ['lost of A', 'lost of B']);
  assert.deepEqual(kinds(findExcess(found, none)), []);
});

test('fewer advisories by --max-shrink or more exceed the limit, as the server sees it', () => {
  const shrunk = (to: number): Losses => losses(some(200), some(to));
  const limits = { ...none, maxShrink: 20 };
  assert.deepEqual(kinds(findExcess(shrunk(161), limits)), []);
  assert.deepEqual(kinds(findExcess(shrunk(160), limits)), ['shrunk']);
  assert.deepEqual(kinds(findExcess(shrunk(1), none)), []);
  assert.deepEqual(kinds(findExcess(losses(some(200), some(200)), { ...none, maxShrink: 0 })), []);
});

test('no limit applies when nothing was published', () => {
  const found = losses([coreAdvisory(1, { withdrawnAt: 1 })], [coreAdvisory(2)]);
  assert.deepEqual(kinds(findExcess(found, { maxWithdrawn: 0, maxShrink: 0 })), []);
});
