import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TextTable } from '../../src/importers/text-table.ts';

test('every distinct text gets the next number, and keeps it', () => {
  const table = new TextTable();
  const texts = ['a', '', 'GHSA-1', 'ä', '\u{1f600}', 'a '];
  assert.deepEqual(
    texts.map((text) => table.intern(text)),
    [0, 1, 2, 3, 4, 5],
  );
  assert.deepEqual(
    texts.map((text) => table.intern(text)),
    [0, 1, 2, 3, 4, 5],
  );
  assert.deepEqual(
    texts.map((_, number) => table.textAt(number)),
    texts,
  );
  assert.equal(table.length, 6);
});

test('a text that was only looked for has no number', () => {
  const table = new TextTable();
  table.intern('a');
  assert.equal(table.find('b'), undefined);
  assert.equal(table.find('a'), 0);
  assert.equal(table.intern('c'), 1);
  assert.equal(table.find('b'), undefined);
  assert.equal(table.textAt(1), 'c');
});

test('it is like a Map while it grows, also with texts that begin and end alike', () => {
  const table = new TextTable();
  const map = new Map<string, number>();
  for (let i = 0; i < 60_000; i++) {
    const text = `GHSA-${'x'.repeat(i % 7)}${(i * 7919) % 25_000}-${i % 3}`;
    if (!map.has(text)) map.set(text, map.size);
    assert.equal(table.intern(text), map.get(text));
  }
  assert.equal(table.length, map.size);
  for (const [text, number] of map) {
    assert.equal(table.textAt(number), text);
    assert.equal(table.find(text), number);
  }
});

test('one text may be larger than everything before it', () => {
  const table = new TextTable();
  const large = 'ä'.repeat(300_000);
  assert.equal(table.intern('a'), 0);
  assert.equal(table.intern(large), 1);
  assert.equal(table.textAt(1), large);
  assert.equal(table.textAt(0), 'a');
});
