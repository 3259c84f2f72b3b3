import assert from 'node:assert/strict';
import { test } from 'node:test';
import { patchstack } from '../../../src/dialects/patchstack/patchstack.ts';
import { Dice } from '../../../src/generator/dice.ts';
import { keepValue, keptValue, type PathNote } from '../../../src/http/routing/path-note.ts';
import { PathNotes } from '../../../src/http/routing/path-notes.ts';
import { type BoundRoute, RouteTable } from '../../../src/http/routing/routes.ts';
import { printedSeed } from '../../support/seed.ts';
import { inProcess } from '../../support/serving/in-process.ts';
import { coreAdvisory, coreProduct, coreSpan, generationOf } from '../../support/snapshots/generation.ts';

const table = new RouteTable([patchstack]);

function boundAt(path: string): BoundRoute {
  const found = table.find('GET', path);
  assert.ok(found.kind === 'route');
  return found.bound;
}

const BOUND = boundAt('/latest');

test('a path that was asked for twice is found with its route and parts, and only that path', () => {
  const paths = new PathNotes();
  assert.equal(paths.find('/latest'), undefined);
  assert.equal(paths.meet('/latest', BOUND, ['a']), undefined);
  assert.equal(paths.find('/latest'), undefined);
  const kept = paths.meet('/latest', BOUND, ['a']);
  assert.equal(paths.find('/latest'), kept);
  assert.deepEqual([kept?.bound, kept?.parts], [BOUND, ['a']]);
  for (const other of ['/lates', '/latesu', '/latest/', ''])
    assert.equal(paths.find(other), undefined, other);
});

test('a value is of one snapshot', () => {
  const note: PathNote = { snapshotId: '', value: undefined };
  assert.equal(keptValue(note, 'one'), undefined);
  const value = { is: 'kept' };
  keepValue(note, 'one', value);
  assert.equal(keptValue(note, 'one'), value);
  assert.equal(keptValue(note, 'two'), undefined);
  keepValue(undefined, 'one', value); // a path that is not remembered
  assert.equal(keptValue(undefined, 'one'), undefined);
});

test('long paths are not kept, and many paths leave no more than the table has places', () => {
  const paths = new PathNotes();
  const long = `/${'x'.repeat(256)}`;
  for (let i = 0; i < 3; i++) assert.equal(paths.meet(long, BOUND, []), undefined);
  assert.equal(paths.find(long), undefined);
  const many = Array.from({ length: 100_000 }, (_, i) => `/product/plugin/name-${i}/1.${i % 7}.0`);
  for (const path of many) for (let i = 0; i < 2; i++) paths.meet(path, BOUND, []);
  const found = many.filter((path) => paths.find(path) !== undefined);
  assert.ok(found.length <= 4096);
  assert.ok(found.length > 3500, `${found.length} of 4096 places are used`);
});

test('paths that nobody asks for again leave those alone that are kept', () => {
  const paths = new PathNotes();
  for (let i = 0; i < 2; i++) paths.meet('/latest', BOUND, []);
  for (let i = 0; i < 100_000; i++) paths.meet(`/product/plugin/name-${i}/1.0`, BOUND, []);
  assert.ok(paths.find('/latest') !== undefined);
});

test('answers to paths asked again, also across swaps, are those of a service that was never asked', (t) => {
  const dice = new Dice(printedSeed(t));
  const slugs = ['gallery', 'Form', 'none-such'];
  const versions = ['1.0', '1.4.9', '1.5.0', '2.0', '*', '%31.0', 'no version', '', '1.0%'];
  const ids = [
    '101',
    '102',
    '201',
    '303',
    '0102',
    '9',
    'CVE-2024-1',
    'cve-2024-1',
    'CVE-2024-9',
    '',
    '%1',
    'x%',
  ];
  const generations = [1, 2, 3].map((round) =>
    generationOf(
      t,
      Array.from({ length: 6 }, (_, i) =>
        coreAdvisory(round * 100 + i, {
          product: coreProduct('plugin', dice.pick(['gallery', 'form'])),
          spans: [coreSpan(null, `1.${dice.whole(0, 9)}`, 'inclusive')],
          cves: [`CVE-2024-${Math.max(1, i - 2)}`], // the first several have
        }),
      ),
    ),
  );
  let live = generations[0];
  const remembering = inProcess(() => live);
  const seen = new Set<string>();
  for (let i = 0; i < 1500; i++) {
    if (dice.chance(0.02)) live = dice.pick(generations);
    const path = `/product/plugin/${dice.pick(slugs)}/${dice.pick(versions)}`;
    const query = dice.pick([
      '',
      '',
      '?fix=true',
      '?include=details',
      '?fix=maybe',
      `?snapshot=${generations[0].id}`,
    ]);
    const target = dice.chance(0.2)
      ? `/vulnerability/${dice.pick(ids)}`
      : `${path}${dice.pick(['', '/exists'])}${query}`;
    const got = remembering(target);
    assert.deepEqual(got, inProcess(live)(target), target);
    seen.add(String(got.status));
  }
  assert.deepEqual([...seen].sort(), ['200', '404', '412', '422']);
});
