import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InventoryBuilder, MAX_PACKAGES, MAX_RANGES } from '../../src/inventory/inventory.ts';
import { declarationOf } from '../support/console/inventory-rows.ts';

test('packages that no server could answer are left out with the reason', () => {
  const builder = new InventoryBuilder();
  const add = (name: string, version: string | undefined): void =>
    builder.add({ type: 'npm', name, version });
  add('', '1.0.0');
  add('a', undefined);
  add('a', '');
  add('a', '*'); // would ask about all versions
  add('a'.repeat(257), '1.0.0');
  add('ä'.repeat(129), '1.0.0');
  add('a', '1'.repeat(257));
  add('a\u0000b', '1.0.0');
  add('a\nb', '1.0.0');
  add('ä'.repeat(128), '1'.repeat(256));
  const { packages, notes } = builder.inventory('x');
  assert.equal(packages.length, 1);
  assert.deepEqual(
    notes.map(({ reason, count }) => [reason, count]),
    [
      ['no name', 1],
      ['no version', 3],
      ['a name or version that no server accepts', 5],
    ],
  );
});

test('a name without the group or vendor that its type has is left out, since it would cost a batch', () => {
  const builder = new InventoryBuilder();
  for (const type of ['maven', 'composer', 'gem'] as const)
    builder.add({ type, name: 'a', version: '1.0.0' });
  for (const type of ['maven', 'composer'] as const) builder.add({ type, name: 'a/b', version: '1.0.0' });
  const { packages, notes } = builder.inventory('x');
  assert.deepEqual(
    packages.map(({ type, name }) => `${type} ${name}`),
    ['gem a', 'maven a/b', 'composer a/b'],
  );
  assert.deepEqual(
    notes.map(({ count }) => count),
    [2],
  );
});

test('a package is direct if any of its entries is', () => {
  const builder = new InventoryBuilder();
  const found = { type: 'npm', name: 'a', version: '1.0.0' } as const;
  builder.add(found);
  assert.equal(builder.inventory('x').packages[0].direct, null);
  builder.add({ ...found, direct: true, declarations: [{ alias: 'alias', workspace: 'web' }] });
  builder.add({ ...found, direct: true });
  builder.add({ ...found, direct: false });
  const [pack] = builder.inventory('x').packages;
  assert.equal(pack.direct, true);
  assert.deepEqual(pack.declarations, [declarationOf('alias', 'web'), declarationOf('a')]);
});

test('ranges that are too many to keep end in one that includes everything', () => {
  const builder = new InventoryBuilder();
  const ranges = Array.from({ length: 2 * MAX_RANGES }, (_, i) => `^${i}`);
  builder.add({ type: 'npm', name: 'a', version: '1.0.0', ranges });
  builder.add({ type: 'npm', name: 'a', version: '1.0.0', ranges });
  const [pack] = builder.inventory('x').packages;
  assert.deepEqual(pack.ranges, [...ranges.slice(0, MAX_RANGES), '*']);
});

test('places and examples are few and short', () => {
  const builder = new InventoryBuilder();
  for (let i = 0; i < 10; i++) {
    builder.add({ type: 'npm', name: 'a', version: '1.0.0', place: `${i}`.repeat(1_000) });
    builder.leaveOut('why', 'x'.repeat(1_000));
  }
  const { packages, notes } = builder.inventory('x');
  assert.equal(packages[0].placeCount, 10);
  assert.deepEqual([packages[0].places.length, packages[0].places[0].length], [3, 200]);
  assert.deepEqual([notes[0].count, notes[0].examples.length, notes[0].examples[0].length], [10, 3, 80]);
});

test('one package too many is a refusal', () => {
  const builder = new InventoryBuilder();
  for (let i = 0; i < MAX_PACKAGES; i++) builder.add({ type: 'npm', name: 'a', version: `1.0.${i}` });
  builder.add({ type: 'npm', name: 'a', version: '1.0.0' }); // known
  assert.throws(() => builder.add({ type: 'npm', name: 'b', version: '1.0.0' }), {
    name: 'Refusal',
    message: /more than 200,000 different packages/,
  });
});
