import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  describeHolder,
  FIRST_NUMBER,
  IdRegistry,
  type RecordKey,
  recordText,
} from '../../../src/importers/ids/id-registry.ts';
import { temporaryFolder } from '../../support/folder.ts';

const DAY = 86_400;
const FREE = (): boolean => false;

function key(sourceId: string, slug = 'left', source = 'osv'): RecordKey {
  return { source, sourceId, type: 'npm', slug };
}

test('a number is given once and stays, with the time at which it was first seen', (t) => {
  const file = join(temporaryFolder(t), 'ids');
  const first = new IdRegistry(file, DAY);
  assert.equal(first.numberOf(key('A')), undefined);
  const number = first.issueNumber(FREE);
  assert.equal(number, FIRST_NUMBER);
  first.register(key('A'), number);
  assert.equal(first.firstSeenOf(number), DAY);
  first.changes()();
  const second = new IdRegistry(file, 2 * DAY);
  assert.equal(second.numberOf(key('A')), FIRST_NUMBER);
  assert.equal(second.firstSeenOf(FIRST_NUMBER), DAY);
  assert.equal(second.issueNumber(FREE), FIRST_NUMBER + 1);
  second.register(key('B'), FIRST_NUMBER + 1);
  assert.equal(second.firstSeenOf(FIRST_NUMBER + 1), 2 * DAY);
  second.changes()();
  assert.equal(readFileSync(file, 'utf8').split('\n').length, 4);
});

test('a record is known by its source, its id there, and its product', (t) => {
  const registry = new IdRegistry(join(temporaryFolder(t), 'ids'), 0);
  registry.register(key('A'), 5);
  for (const other of [key('B'), key('A', 'right'), key('A', 'left', 'wordfence')]) {
    assert.equal(registry.numberOf(other), undefined);
  }
  assert.deepEqual(registry.holderOf(5), key('A'));
  assert.equal(describeHolder(registry.holderOf(5)), 'osv A of npm/left');
  assert.equal(registry.holderOf(6), undefined);
});

test('a record is known by its id in any case of letters', (t) => {
  const registry = new IdRegistry(join(temporaryFolder(t), 'ids'), 0);
  registry.register(key('ghsa-2222-3333-4444'), 5);
  assert.equal(registry.numberOf(key('GHSA-2222-3333-4444')), 5);
});

test('nothing is written until its changes are', (t) => {
  const file = join(temporaryFolder(t), 'ids');
  const registry = new IdRegistry(file, 0);
  registry.register(key('A'), registry.issueNumber(FREE));
  assert.equal(new IdRegistry(file, 0).numberOf(key('A')), undefined);
});

test('new numbers pass over those that are taken, and continue after the greatest', (t) => {
  const file = join(temporaryFolder(t), 'ids');
  const registry = new IdRegistry(file, 0);
  registry.register(key('A'), FIRST_NUMBER + 1);
  registry.register(key('B'), 12);
  registry.register(key('C'), Number.MAX_SAFE_INTEGER);
  assert.equal(
    registry.issueNumber((number) => number < FIRST_NUMBER + 5),
    FIRST_NUMBER + 5,
  );
  assert.equal(registry.issueNumber(FREE), FIRST_NUMBER + 6);
  registry.changes()();
  assert.equal(new IdRegistry(file, 0).issueNumber(FREE), FIRST_NUMBER + 2); // the others were never used
});

test('a record can be moved to a number of its own, which then counts', (t) => {
  const file = join(temporaryFolder(t), 'ids');
  const first = new IdRegistry(file, 0);
  first.register(key('A'), 5);
  first.register(key('B'), 5);
  first.register(key('B'), 6);
  first.register(key('B'), 6);
  first.changes()();
  assert.equal(readFileSync(file, 'utf8').trimEnd().split('\n').length, 4);
  const second = new IdRegistry(file, 0);
  assert.deepEqual([second.numberOf(key('A')), second.numberOf(key('B'))], [5, 6]);
});

test('a record can take its number to another product; the others that had it have none then', (t) => {
  const file = join(temporaryFolder(t), 'ids');
  const first = new IdRegistry(file, 0);
  first.register(key('A'), 5);
  first.register(key('B'), 5);
  first.register(key('A', 'right'), 5);
  first.changes()();
  for (const registry of [first, new IdRegistry(file, 0)]) {
    assert.equal(registry.numberOf(key('A', 'right')), 5);
    assert.deepEqual([registry.numberOf(key('A')), registry.numberOf(key('B'))], [undefined, undefined]);
    assert.deepEqual(registry.holderOf(5), key('A', 'right'));
    const found = registry.numbersOf(new Set([recordText(key('A')), recordText(key('B'))]));
    assert.deepEqual([...found.values()], [[{ number: 5, key: key('A', 'right') }]]);
  }
});

test('a product without a number in its source gets one, and keeps it', (t) => {
  const file = join(temporaryFolder(t), 'ids');
  const first = new IdRegistry(file, 0);
  first.register(key('A'), 5); // an advisory of a product says nothing of its number
  assert.equal(first.productNumber('npm', 'left'), FIRST_NUMBER);
  assert.equal(first.productNumber('theme', 'left'), FIRST_NUMBER + 1);
  assert.equal(first.productNumber('npm', 'left'), FIRST_NUMBER);
  first.changes()();
  const second = new IdRegistry(file, 0);
  assert.equal(second.productNumber('theme', 'left'), FIRST_NUMBER + 1);
  assert.equal(second.productNumber('npm', 'right'), FIRST_NUMBER + 2);
});

test('a product takes the number that its source has for it, for good', (t) => {
  const file = join(temporaryFolder(t), 'ids');
  const first = new IdRegistry(file, 0);
  assert.equal(first.productNumber('npm', 'left', { own: 3 }), 3);
  assert.equal(first.productNumber('npm', 'left', { own: 4 }), 3);
  const isTaken = (number: number): boolean => number === FIRST_NUMBER;
  assert.equal(first.productNumber('npm', 'right', { isTaken }), FIRST_NUMBER + 1);
  first.changes()();
  assert.equal(new IdRegistry(file, 0).productNumber('npm', 'left'), 3);
});

test('a number that a source has for two products is kept for both, and registered for the first', (t) => {
  const file = join(temporaryFolder(t), 'ids');
  const first = new IdRegistry(file, 0);
  assert.equal(first.productNumber('npm', 'left', { own: 3 }), 3);
  assert.equal(first.productNumber('npm', 'right', { own: 3 }), 3);
  first.changes()();
  assert.equal(new IdRegistry(file, 0).findProductNumber('npm', 'right'), undefined);
});

test('new numbers of products continue after the greatest, in whatever order the file has them', (t) => {
  const file = join(temporaryFolder(t), 'ids');
  const lines = [7, 5].map(
    (more) => `product\t${FIRST_NUMBER + more}\t2026-01-01T00:00:00Z\t\t\tnpm\t${more}`,
  );
  writeFileSync(file, ['vulndex-ids\t1', ...lines, ''].join('\n'));
  const registry = new IdRegistry(file, 0);
  assert.equal(registry.productNumber('npm', 'left'), FIRST_NUMBER + 8);
  assert.equal(registry.productNumber('npm', '5'), FIRST_NUMBER + 5);
});

test('a number that two products have, or a product with two numbers, is damage', (t) => {
  const file = join(temporaryFolder(t), 'ids');
  const time = '2026-01-01T00:00:00Z';
  const cases: readonly (readonly [lines: readonly string[], message: RegExp])[] = [
    [
      [`advisory\t5\t${time}\tosv\tA\tnpm\tleft`, `advisory\t5\t${time}\tosv\tB\tnpm\tright`],
      /ids:3: 5 is already the number of osv A of npm\/left; .*damaged/,
    ],
    [
      [`product\t5\t${time}\t\t\tnpm\tleft`, `product\t5\t${time}\t\t\tnpm\tright`],
      /ids:3: 5 is already the number/,
    ],
    [
      [`product\t5\t${time}\t\t\tnpm\tleft`, `product\t6\t${time}\t\t\tnpm\tleft`],
      /ids:3: this product already has/,
    ],
  ];
  for (const [lines, message] of cases) {
    writeFileSync(file, ['vulndex-ids\t1', ...lines, ''].join('\n'));
    assert.throws(() => new IdRegistry(file, 0), { name: 'RegistryError', message });
  }
});

test('a torn end is reported, and gone after the next write', (t) => {
  const file = join(temporaryFolder(t), 'ids');
  const first = new IdRegistry(file, 0);
  first.register(key('A'), 5);
  first.changes()();
  const whole = readFileSync(file, 'utf8');
  writeFileSync(file, `${whole}advisory\t6\t2026-`);
  const second = new IdRegistry(file, 0);
  assert.match(second.warnings.join(), /:3: warning: the last line has no line feed/);
  second.changes()();
  assert.equal(readFileSync(file, 'utf8'), whole);
});
